//! `omnilink check` for less than linearizability.

use crate::ran::{omnilink, omnilink_in};

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

#[test]
fn nonsense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), HISTORIES).unwrap();
    std::fs::write(folder.path().join("bad.txt"), "vis >= hbb\n").unwrap();
    let cyclic = r#"{"id":1,"ops":[{"id":0,"thread":0,"method":"size","args":[],"ret":"0"},{"id":1,"thread":1,"method":"size","args":[],"ret":"0"}],"hb":[[0,1],[1,0]]}"#;
    std::fs::write(folder.path().join("cyclic.jsonl"), format!("{cyclic}\n")).unwrap();
    let unknown = r#"{"id":1,"ops":[{"id":0,"thread":0,"method":"putt","args":[1,1],"ret":"null"}],"hb":[]}"#;
    std::fs::write(folder.path().join("unknown.jsonl"), format!("{unknown}\n")).unwrap();
    let check = |arguments: &[&str]| {
        let mut all = vec!["check", "--model", "java-map"];
        all.extend(arguments);
        omnilink_in(folder.path(), &all)
    };
    check(&["h.jsonl", "--consistency", "causall"]).refused(&["causall", "causal"]);
    check(&["h.jsonl", "--axioms", "bad.txt"]).refused(&["hbb"]);
    check(&["h.jsonl", "--axioms", "missing.txt"]).refused(&["missing.txt"]);
    check(&["cyclic.jsonl"]).refused(&["cyclic.jsonl"]);
    check(&["unknown.jsonl"]).refused(&["putt"]);
}
