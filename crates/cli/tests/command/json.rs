//! `--json` is a contract: field names, types, one object per input, nothing else.

use super::ran::{example, folder, omnilink, omnilink_in};

#[test]
fn every_report_has_the_fields_of_the_contract() {
    let (good, bad) = (
        example("register-valid.ndjson"),
        example("register-stale-read.ndjson"),
    );
    let ran = omnilink(&["check", &good, &bad, "nowhere", "--model", "register", "--json"]);
    let reports = ran.json();
    assert_eq!(reports.len(), 3);
    for report in &reports {
        assert!(
            report["input"].is_string() && report["verdict"].is_string(),
            "{report}"
        );
        for field in [
            "ops",
            "pending",
            "aborted",
            "threads",
            "configurations",
            "frontier_max",
            "model_steps",
            "partitions",
        ] {
            assert!(report[field].is_u64(), "{field}: {report}");
        }
        assert!(
            report["seconds"].is_f64() && report["notes"].is_array(),
            "{report}"
        );
        assert!(
            report["peak_bytes"].as_u64() > Some(0) || !cfg!(target_os = "linux"),
            "{report}"
        );
    }
    assert_eq!(reports[0]["ops"], 6);
    assert_eq!(reports[0]["threads"], 3);
    assert_eq!(reports[0]["pending"], 1);
    assert_eq!(reports[2]["verdict"], "error");
    assert!(
        reports[2]["error"]
            .as_str()
            .is_some_and(|error| error.contains("nowhere"))
    );
}

#[test]
fn a_violation_carries_its_evidence_and_a_minimal_history_when_asked_for() {
    let path = example("queue-taken-twice.ndjson");
    let ran = omnilink(&["check", &path, "--model", "queue", "--json", "--minimize"]);
    let report = &ran.json()[0];
    let op = &report["violation"]["op"];
    assert_eq!(op["thread"], "1", "{report}");
    assert!(
        op["place"]
            .as_str()
            .is_some_and(|place| place.ends_with("queue-taken-twice.ndjson:8")),
        "{op}"
    );
    let alternative = &report["violation"]["alternatives"][0];
    assert!(alternative["state"].is_string(), "{alternative}");
    assert_eq!(alternative["candidates"][0]["fate"], "refused", "{alternative}");
    let minimal = report["minimal"]["ops"].as_array().unwrap();
    assert!((1..=4).contains(&minimal.len()), "{minimal:?}");
    assert_eq!(report["minimal"]["confirmed"], true);
}

#[test]
fn the_evidence_file_has_what_json_prints() {
    let folder = folder(&[]);
    let path = example("queue-taken-twice.ndjson");
    let ran = omnilink_in(
        folder.path(),
        &["check", &path, "--model", "queue", "--evidence", "e.json"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    let evidence = std::fs::read_to_string(folder.path().join("e.json")).unwrap();
    let evidence: serde_json::Value = serde_json::from_str(evidence.trim()).unwrap();
    assert_eq!(evidence["verdict"], "violation");
    assert!(evidence["violation"]["alternatives"].is_array());
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "no temporary file is left behind");
}
