//! Transactions: names of levels, anomalies by name, cycles with reasons, every level at once, texts of other checkers.

use std::path::Path;

use crate::ran::{Ran, omnilink, omnilink_in};

fn check(file: &str, more: &[&str]) -> Ran {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/transactions")
        .join(file);
    let mut arguments = vec!["check", path.to_str().unwrap()];
    arguments.extend(more);
    omnilink(&arguments)
}

/// Checks a history of these lines.
fn checked(text: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h"), text).unwrap();
    let mut arguments = vec!["check", "h"];
    arguments.extend(more);
    omnilink_in(folder.path(), &arguments)
}

fn at(level: &str) -> [&str; 2] {
    ["--consistency", level]
}

#[test]
fn read_committed_is_pl_2_and_allows_read_skew() {
    let file = "02_read_skew_at_read_committed.edn";
    assert_eq!(check(file, &at("read-committed")).code, 0);
    assert_eq!(check(file, &at("PL-2")).code, 0);
    let ran = check(file, &at("monotonic-read-committed"));
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        "G-single",
        "fractured-read",
        "-wr->",
        "-rw->",
        "violated, at the least: monotonic-atomic-view",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn a_level_without_a_prefix_has_no_sessions() {
    let file = "03_session_order_at_plain_snapshot_isolation.edn";
    assert_eq!(check(file, &at("snapshot-isolation")).code, 0);
    assert_eq!(check(file, &at("serializable")).code, 0);
    let ran = check(file, &at("strong-session-snapshot-isolation"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("G-single-process"), "{}", ran.stdout);
}

#[test]
fn every_edge_of_the_cycle_of_a_write_skew_is_shown() {
    let ran = check("05_write_skew_hidden_edge.ndjson", &at("serializable"));
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        r#"#1 before #2: #1 read "y" = 0, which #2 overwrote"#,
        r#"#2 before #1: #2 read "x" = 0, which #1 overwrote"#,
        "write-skew",
        "holds, at the most: strong-snapshot-isolation",
        "confirmed",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn a_stronger_level_that_holds_decides_the_weaker_ones() {
    for level in [
        "read-atomic",
        "strong-session-read-atomic",
        "causal",
        "serializable",
        "strict-serializable",
    ] {
        let ran = check(
            "07_repeated_values_read_atomic.ndjson.zst",
            &[&at(level)[..], &["--time-limit", "60s"]].concat(),
        );
        assert_eq!(ran.code, 0, "{level}: {ran:?}");
    }
}

#[test]
fn infer_lists_every_level_with_a_mark() {
    let ran = check("05_write_skew_hidden_edge.ndjson", &["--infer"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in [
        "  yes read-committed  (PL-2)",
        "  yes snapshot-isolation  (PL-SI, generalized SI)",
        "  no  serializable  (PL-3)",
        "  yes causal  (CC of Biswas/Enea, CCv, TCC of Plume, causal+)",
    ] {
        assert!(
            ran.stdout.lines().any(|other| other == line),
            "{line}: {}",
            ran.stdout
        );
    }
    let json = check("05_write_skew_hidden_edge.ndjson", &["--infer", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let levels = json["isolation"]["levels"].as_array().unwrap();
    assert!(levels.len() > 30);
    let edge = &json["isolation"]["anomalies"][0]["cycle"][0];
    assert_eq!(
        (edge["kind"].as_str(), edge["key"].as_str()),
        (Some("rw"), Some("\"y\"")),
        "{json}"
    );
}

#[test]
fn a_level_that_does_not_exist_is_refused_with_those_that_do() {
    let ran = check("05_write_skew_hidden_edge.ndjson", &at("strong-pram"));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("parallel-snapshot-isolation"), "{ran:?}");
}

/// A lost update in the text of other checkers; AWDIT has no initial state.
#[test]
fn texts_of_other_checkers_are_recognised() {
    let plume = "r(1,0,0,0)\nw(1,5,0,0)\nr(1,0,1,1)\nw(1,6,1,1)\n";
    let dbcop = "[x==? x:=5]\n---\n[x==? x:=6]\n";
    let awdit = "w 0 1\n=\nr 0 1\nw 0 2\n=\nr 0 1\nw 0 3\n";
    for text in [plume, dbcop, awdit] {
        assert_eq!(checked(text, &at("causal")).code, 0, "{text}");
        let ran = checked(text, &at("snapshot-isolation"));
        assert_eq!(ran.code, 1, "{text}: {ran:?}");
        assert!(ran.stdout.contains("lost-update"), "{text}: {}", ran.stdout);
    }
    // These texts have no times, so real time orders nothing.
    let stale = "w(1,5,0,0)\nr(1,0,1,1)\n";
    assert_eq!(checked(stale, &at("strict-serializable")).code, 0);
}

#[test]
fn histories_of_awdit_hold_at_the_levels_of_their_folders() {
    let levels = ["monotonic-read-committed", "strong-session-read-atomic", "causal"];
    let mut compared = 0;
    for (folder, held) in [
        ("none", 0),
        ("read-committed", 1),
        ("read-atomic", 2),
        ("causal", 3),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data/transactions/awdit")
            .join(folder);
        for file in std::fs::read_dir(path).unwrap() {
            let file = file.unwrap().path();
            for (place, level) in levels.into_iter().enumerate() {
                let ran = omnilink(&["check", file.to_str().unwrap(), "--consistency", level]);
                assert_eq!(
                    ran.code,
                    i32::from(place >= held),
                    "{level} {}: {ran:?}",
                    file.display()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}
