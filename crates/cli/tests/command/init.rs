//! `omnilink init`: what is suggested can be run as it stands.

use super::ran::{folder, omnilink, omnilink_in};

const SPEC: &str = r"---- MODULE Switch ----
VARIABLE on
Init == on = FALSE
Flip == on' = ~on
Next == Flip
====
";
const EVENTS: &str = "{\"event\":\"Flip\"}\n{\"event\":\"Flip\",\"state\":{\"on\":false}}\n";
const WRITES: &str = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}
{"thread":1,"op":"read","ret":1,"start":2,"end":3}
"#;
const TRANSACTIONS: &str = r#"{"thread":0,"op":"txn","args":[[["append","x",1],["r","x",[1]]]],"start":0,"end":1}
{"thread":1,"op":"txn","args":[[["r","x",[1]]]],"start":2,"end":3}
"#;

/// The commands that are suggested for a folder, each run there.
fn suggested(files: &[(&str, &str)]) -> Vec<String> {
    let folder = folder(files);
    let ran = omnilink_in(folder.path(), &["init"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let commands: Vec<String> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("omnilink "))
        .map(str::to_owned)
        .collect();
    for command in &commands {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        if words[0] == "test" || command.contains("SPEC.tla") {
            continue;
        }
        let ran = omnilink_in(folder.path(), &words);
        assert!(ran.code == 0 || ran.code == 1, "{command}: {ran:?}");
    }
    commands
}

#[test]
fn what_is_in_a_folder_decides_what_is_suggested() {
    assert_eq!(
        suggested(&[("Switch.tla", SPEC), ("run.ndjson", EVENTS)]),
        [
            "omnilink validate Switch.tla run.ndjson",
            "omnilink mc Switch.tla"
        ]
    );
    assert_eq!(
        suggested(&[("a/history.ndjson", WRITES), ("Cargo.toml", "")]),
        [
            "omnilink check a/history.ndjson --model register",
            "omnilink test"
        ]
    );
    assert_eq!(
        suggested(&[("txn.ndjson", TRANSACTIONS)]),
        ["omnilink check txn.ndjson --infer"]
    );
    assert_eq!(
        suggested(&[
            ("app.log", "12:00:01 INFO flipped\n12:00:02 INFO flipped\n"),
            ("A.tla", "nonsense"),
            ("Switch.tla", SPEC),
            ("Switch.cfg", "INIT Init\nNEXT Next\n")
        ])[0],
        "omnilink mc Switch.tla"
    );
    assert_eq!(
        suggested(&[
            ("target/history.ndjson", WRITES),
            (".hidden/history.ndjson", WRITES),
            ("notes.json", "{"),
            ("empty.log", "")
        ])
        .len(),
        1,
        "a log that is empty is still a log"
    );
    // A log belongs to the specification beside it.
    let elsewhere = SPEC.replace("Switch", "Other");
    assert_eq!(
        suggested(&[
            ("a/Other.tla", &elsewhere),
            ("b/Switch.tla", SPEC),
            ("b/run.ndjson", EVENTS)
        ])[0],
        "omnilink validate b/Switch.tla b/run.ndjson"
    );
    assert_eq!(
        suggested(&[("a/Switch.tla", SPEC), ("b/run.ndjson", EVENTS)])[0],
        "omnilink mc a/Switch.tla"
    );
    assert_eq!(suggested(&[]), ["omnilink demo", "omnilink check --list-models"]);
}

#[test]
fn names_that_a_shell_would_take_apart_are_quoted() {
    let folder = folder(&[("it's mine.ndjson", WRITES)]);
    let ran = omnilink_in(folder.path(), &["init"]);
    let command = r"omnilink check 'it'\''s mine.ndjson' --model register";
    assert!(ran.stdout.contains(command), "{ran:?}");
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    omnilink(&["init", "no/such/folder"]).refused(&["no/such/folder", "give the path of a folder"]);
}
