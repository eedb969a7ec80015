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
        if words[0] == "test" || command.contains("SPEC.tla") || command.contains("MODEL") {
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
            "omnilink test",
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

/// A recording has one file for each thread; a part of one has reads of what others wrote.
fn recorded(thread: usize) -> String {
    let call = |op: &str, args: &str, ret: &str, at: usize| {
        format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{\"key\":\"x\"{args}}},\"start\":{at},\"end\":{}{ret}}}\n",
            at + 1
        )
    };
    let line = match thread {
        0 => call("put", ",\"value\":1", "", 10),
        _ => call("get", "", ",\"ret\":1", 20 * thread),
    };
    format!("{{\"omnilink\":1,\"unit\":\"ns\"}}\n{line}")
}

#[test]
fn a_recording_is_checked_as_a_whole_and_by_key() {
    let files: Vec<(String, String)> = { 0..3 }
        .map(|thread| (format!("run-1/{thread}.ndjson"), recorded(thread)))
        .collect();
    let files: Vec<(&str, &str)> = { files.iter() }
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    assert_eq!(suggested(&files), ["omnilink check run-1 --model kv"]);
    let folder = folder(&files);
    let ran = omnilink_in(folder.path(), &["check", "run-1/1.ndjson", "--model", "kv"]);
    assert!(
        ran.stderr.contains("one of 3 files of a recording") && ran.stderr.contains("omnilink check run-1"),
        "{ran:?}"
    );
    assert_eq!(
        omnilink_in(folder.path(), &["check", "run-1", "--model", "kv"]).stderr,
        ""
    );
}

#[test]
fn a_project_is_told_the_recorder_of_its_language() {
    for (file, recorder) in [
        ("pyproject.toml", "recorders/python"),
        ("go.mod", "recorders/go"),
        ("pom.xml", "recorders/java"),
        ("build.gradle", "recorders/java"),
        ("package.json", "docs/trace-format.md"),
        ("CMakeLists.txt", "recorders/cpp"),
        ("Cargo.toml", "omnilink-record"),
    ] {
        let folder = folder(&[(file, "{}")]);
        let ran = omnilink_in(folder.path(), &["init"]);
        assert!(ran.code == 0 && ran.stdout.contains(recorder), "{file}: {ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_newest_run_of_jepsen_is_taken() {
    let history = "{:process 0, :type :invoke, :f :read, :value nil, :index 0}\n{:process 0, :type :ok, :f :read, :value 1, :index 1}\n";
    let folder = folder(&[
        ("store/a/1/history.edn", history),
        ("store/a/2/history.edn", history),
    ]);
    std::os::unix::fs::symlink("a/2", folder.path().join("store/latest")).expect("a link");
    let ran = omnilink_in(folder.path(), &["init"]);
    assert!(
        ran.stdout.contains("omnilink check store/latest --model"),
        "{ran:?}"
    );
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
