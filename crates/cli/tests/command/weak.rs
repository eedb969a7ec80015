//! `omnilink check` for less than linearizability.

use omnilink_evidence::Evidence;

use crate::ran::{Ran, omnilink, omnilink_in};

fn example(file: &str) -> String {
    format!("{}/../../examples/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// One history a line: of a map, then of a `size` that misses a put that was over.
const HISTORIES: &str = r#"{"id":"good","ops":[{"id":0,"thread":0,"method":"put","args":[1,1],"ret":"null"},{"id":1,"thread":1,"method":"size","args":[],"ret":"1"}],"hb":[[0,1]]}
{"id":"stale","ops":[{"id":0,"thread":0,"method":"put","args":[1,1],"ret":"null"},{"id":1,"thread":1,"method":"size","args":[],"ret":"0"}],"hb":[[0,1]]}
"#;

#[test]
fn a_stale_read_is_no_violation_of_a_level_that_allows_it() {
    let file = example("register-stale-read.ndjson");
    let at = |level: &str| omnilink(&["check", &file, "--model", "register", "--consistency", level]).code;
    assert_eq!(at("linearizable"), 1);
    assert_eq!(at("return-value"), 0);
    assert_eq!(at("read-my-writes"), 0);
}

#[test]
fn a_file_of_histories_gets_one_verdict_each() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), HISTORIES).unwrap();
    let ran = omnilink_in(
        folder.path(),
        &["check", "h.jsonl", "--model", "java-map", "--json"],
    );
    let verdicts: Vec<_> = ran
        .json()
        .iter()
        .map(|answer| answer["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["valid", "violation"], "{ran:?}");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json()[1]["input"], "h.jsonl");
    assert_eq!(ran.json()[1]["id"], "stale");
    let weaker = [
        "check",
        "h.jsonl",
        "--model",
        "java-map",
        "--consistency",
        "return-value",
    ];
    assert_eq!(omnilink_in(folder.path(), &weaker).code, 0);
}

#[test]
fn several_histories_at_a_time_are_answered_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let many: String = (0..40)
        .map(|number| {
            let named = HISTORIES.replace("good", &format!("good {number}"));
            named.replace("stale", &format!("stale {number}"))
        })
        .collect();
    // The rest of an input with a history that makes no sense is left out, whichever worker is faster.
    let broken = format!(
        "{many}{}\n{many}",
        HISTORIES.lines().next().unwrap_or("").replace("put", "putt")
    );
    std::fs::write(folder.path().join("many.jsonl"), many).unwrap();
    std::fs::write(folder.path().join("broken.jsonl"), broken).unwrap();
    let inputs = [
        "check",
        "many.jsonl",
        "broken.jsonl",
        "missing.jsonl",
        "many.jsonl",
    ];
    let asked = |level: &str, jobs: &str| {
        let more = [
            "--model",
            "java-map",
            "--consistency",
            level,
            "--json",
            "--jobs",
            jobs,
        ];
        let ran = omnilink_in(folder.path(), &[&inputs[..], &more].concat());
        let told = |answer: &serde_json::Value| {
            (
                answer["input"].to_string(),
                answer["id"].to_string(),
                answer["verdict"].to_string(),
            )
        };
        (ran.code, ran.json().iter().map(told).collect::<Vec<_>>())
    };
    for level in ["weak", "linearizable"] {
        let (code, alone) = asked(level, "1");
        assert_eq!(code, 2);
        assert_eq!(asked(level, "4"), (code, alone));
    }
}

/// What becomes of the histories, asked this in addition.
fn asked_of_histories(more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), HISTORIES).unwrap();
    omnilink_in(folder.path(), &[&["check", "h.jsonl"], more].concat())
}

#[test]
fn what_the_weak_search_does_not_have_is_refused() {
    let model = ["--model", "java-map"];
    let asked = |more: &[&str]| asked_of_histories(&[&model, more].concat());
    asked(&["--consistency", "weak", "--no-symmetry", "--no-partitions"])
        .refused(&["--no-symmetry, --no-partitions", "drop it"]);
    asked(&["--infer", "--jobs", "2"]).refused(&["--infer", "drop --jobs"]);
    asked_of_histories(&["--consistency", "serializable", "--strategy", "sweep"])
        .refused(&["--strategy", "drop it"]);
}

#[test]
fn every_strategy_gives_the_same_weak_verdicts() {
    for level in ["return-value", "weak", "monotonic", "causal", "sequential"] {
        let verdicts = |more: &[&str]| {
            let weak = ["--model", "java-map", "--consistency", level, "--json"];
            let ran = asked_of_histories(&[&weak, more].concat());
            let verdicts: Vec<_> = ran
                .json()
                .iter()
                .map(|report| report["verdict"].clone())
                .collect();
            assert!(
                verdicts.len() > 1 && verdicts.iter().all(|verdict| verdict.is_string()),
                "{verdicts:?}"
            );
            (ran.code, verdicts)
        };
        let usual = verdicts(&[]);
        for strategy in ["portfolio", "sweep", "depth-first"] {
            let verdicts = verdicts(&["--strategy", strategy]);
            assert_eq!(verdicts, usual, "{level} by {strategy}");
        }
    }
}

#[test]
fn a_weak_violation_is_shrunk_to_the_returns_that_contradict_each_other() {
    let weak = ["--model", "java-map", "--consistency", "weak", "--json"];
    let plain = asked_of_histories(&weak);
    assert_eq!(plain.json()[1]["violation"]["core"][0]["label"], "1");
    let asked_for = asked_of_histories(&[&weak[..], &["--minimize"]].concat());
    assert_eq!(asked_for.json()[1]["violation"], plain.json()[1]["violation"]);
}

#[test]
fn axioms_levels_and_inference_are_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), HISTORIES).unwrap();
    std::fs::write(folder.path().join("weak.txt"), "vis >= hb\n").unwrap();
    std::fs::write(
        folder.path().join("levels.txt"),
        "put: complete, size: return-value\n",
    )
    .unwrap();
    let check = |more: &[&str]| {
        let mut arguments = vec!["check", "h.jsonl", "--model", "java-map"];
        arguments.extend(more);
        omnilink_in(folder.path(), &arguments)
    };
    assert_eq!(check(&["--axioms", "weak.txt"]).code, 1);
    assert_eq!(check(&["--levels", "levels.txt"]).code, 0);
    let inferred = check(&["--infer"]);
    assert_eq!(inferred.code, 0, "{inferred:?}");
    assert!(inferred.stdout.contains("put: "), "{inferred:?}");
}

/// The verdicts on a file of histories, by id.
fn verdicts(file: &str, more: &[&str]) -> Vec<(String, String)> {
    let file = example(file);
    let ran = omnilink(&[&["check", &file, "--json"], more].concat());
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let answers = ran.json();
    answers
        .iter()
        .map(|answer| (text(&answer["id"]), text(&answer["verdict"])))
        .collect()
}

/// The histories of a file that are valid.
fn valid(file: &str, more: &[&str]) -> Vec<String> {
    let valid = verdicts(file, more)
        .into_iter()
        .filter(|(_, verdict)| verdict == "valid");
    valid.map(|(id, _)| id).collect()
}

#[test]
fn a_spec_is_a_model_like_any_other() {
    let spec = example("consistency/Store.tla");
    let valid = |level: &str| {
        valid(
            "consistency/replicas.jsonl",
            &["--spec", &spec, "--consistency", level],
        )
    };
    assert_eq!(valid("linearizable"), ["agree"]);
    assert_eq!(valid("sequential"), ["agree"]);
    assert_eq!(valid("causal"), ["agree", "disagree"]);
    assert_eq!(valid("weak"), ["agree", "disagree", "effect without cause"]);
    assert_eq!(valid("return-value").len(), 4);
    // A trace against a spec by timeboxes is what `validate` does.
    let fork = example("consistency/fork.ndjson");
    let ran = omnilink(&["check", &fork, "--spec", &spec]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(
        ran.stdout.lines().next(),
        omnilink(&["validate", &spec, &fork]).stdout.lines().next()
    );
}

#[test]
fn every_level_of_isolation_refuses_the_anomalies_that_it_is_known_for() {
    let valid = |level: &str| valid("consistency/transactions.jsonl", &["--consistency", level]);
    let names = [
        "in turn",
        "cut off but read",
        "stale read",
        "write skew",
        "lost update",
        "long fork",
        "fractured read",
    ];
    for (level, count) in [
        ("strict-serializable", 2),
        ("serializable", 3),
        ("snapshot-isolation", 4),
        ("read-atomic", 6),
        ("read-committed", 7),
    ] {
        let (mut expected, mut found) = (names[..count].to_vec(), valid(level));
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{level}");
    }
}

/// ```text
/// t0  |--write 1------------------|
/// t1       |--read 0--|                 after the write, as the trace says besides its timeboxes
/// ```
#[test]
fn an_order_that_a_trace_tells_counts_more_than_its_timeboxes() {
    let folder = tempfile::tempdir().unwrap();
    let with = |order: &str| {
        let write = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":90}"#;
        let read = format!(r#"{{"thread":1,"op":"read","args":{{}},"ret":0,"start":10,"end":20{order}}}"#);
        std::fs::write(folder.path().join("t.ndjson"), format!("{write}\n{read}\n")).unwrap();
        omnilink_in(
            folder.path(),
            &["check", "t.ndjson", "--model", "register:initial=0"],
        )
        .code
    };
    assert_eq!(with(""), 0);
    assert_eq!(with(r#","meta":{"after":[0]}"#), 1);
}

#[test]
fn json_has_one_shape_whatever_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), HISTORIES).unwrap();
    let common = [
        "evidence",
        "command",
        "subject",
        "input",
        "id",
        "verdict",
        "model",
        "consistency",
        "ops",
        "pending",
        "threads",
        "seconds",
        "peak_bytes",
        "configurations",
        "frontier_max",
        "model_steps",
        "notes",
    ];
    let file = example("consistency/transactions.jsonl");
    for (arguments, evidence) in [
        (vec!["h.jsonl", "--consistency", "weak"], ["witness", "violation"]),
        (vec!["h.jsonl", "--infer"], ["inferred", "inferred"]),
        (
            vec![&file, "--consistency", "serializable"],
            ["witness", "violation"],
        ),
        (
            vec!["h.jsonl", "--consistency", "causal", "--config-limit", "0"],
            ["unknown", "unknown"],
        ),
    ] {
        // Transactions need no model.
        let model: &[&str] = if arguments.contains(&"serializable") {
            &[]
        } else {
            &["--model", "java-map"]
        };
        let ran = omnilink_in(
            folder.path(),
            &[
                &["check", "--json", "--evidence", "e.json"],
                model,
                arguments.as_slice(),
            ]
            .concat(),
        );
        for answer in ran.json() {
            let fields = answer.as_object().unwrap();
            let is_there = |field: &&str| fields.contains_key(*field);
            let mut common = common
                .iter()
                .filter(|field| **field != "model" || !model.is_empty());
            assert!(common.all(is_there), "{arguments:?}: {answer}");
            assert!(evidence.iter().any(is_there), "{evidence:?}: {answer}");
            let read = Evidence::from_json(&answer.to_string()).unwrap();
            assert_eq!(read.verdict.word(), answer["verdict"]);
        }
        let written = std::fs::read_to_string(folder.path().join("e.json")).unwrap();
        assert_eq!(written, ran.stdout);
    }
}

/// Each of two calls had not begun when the other was over, by the readings after the calls.
#[test]
fn clocks_that_contradict_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let line = |thread: u8, mine: &str, begun: &str| {
        format!(
            r#"{{"thread":"{thread}","op":"put","args":{{"key":1,"value":1}},"start":0,"end":9,"clock":{mine},"meta":{{"return_clock":{begun}}}}}"#
        )
    };
    let asked = |first: String, second: String| {
        std::fs::write(folder.path().join("t.ndjson"), format!("{first}\n{second}\n")).unwrap();
        let weak = [
            "check",
            "t.ndjson",
            "--model",
            "java-map",
            "--consistency",
            "weak",
        ];
        omnilink_in(folder.path(), &weak)
    };
    let second = || line(1, r#"{"0":0,"1":1}"#, r#"{"0":0,"1":1}"#);
    asked(line(0, r#"{"0":1,"1":0}"#, r#"{"0":1,"1":0}"#), second()).refused(&["t.ndjson", "cyclic"]);
    asked(line(0, r#"{"0":1,"1":0}"#, r#""soon""#), second()).refused(&[
        "t.ndjson:1",
        "return_clock",
        "integers",
    ]);
}
