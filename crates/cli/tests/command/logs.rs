//! Logs of distributed programs: the example, and logs that cannot be used.

use super::ran::{example, folder, interrupted_in, omnilink, omnilink_in};

const MANAGERS: [&str; 2] = ["--const", r#"RM={"rm-0","rm-1","rm-2"}"#];

#[test]
fn the_log_of_a_correct_run_is_explained_and_counting_messages_twice_is_found() {
    let spec = example("logs/two-phase/TwoPhase.tla");
    let validate = |log: &str| omnilink(&[&["validate", &spec, &example(log)], &MANAGERS[..]].concat());
    let ok = validate("logs/two-phase/ok");
    assert_eq!(ok.code, 0, "{ok:?}");
    assert!(ok.stdout.contains("10 lines are explained"), "{ok:?}");
    let bug = validate("logs/two-phase/counts-resent-messages");
    assert_eq!(bug.code, 1, "{bug:?}");
    for part in ["tm.ndjson:4", "`tmPrepared = RM` is false", "TwoPhase.tla:37:8"] {
        assert!(bug.stdout.contains(part), "{part}: {bug:?}");
    }
}

#[test]
fn a_line_that_cannot_be_read_or_updates_what_is_not_there_is_refused_with_its_place() {
    let spec = example("logs/two-phase/TwoPhase.tla");
    for (line, words) in [
        (
            r#"{"node":"tm","clock":1,"event":"TMCommit""#,
            &["log.ndjson:1"][..],
        ),
        (
            r#"{"node":"tm","clock":1,"event":"Teleport"}"#,
            &["log.ndjson:1", "Teleport"],
        ),
        (
            r#"{"node":"tm","clock":1,"event":"TMAbort","vars":{"rmState":[{"op":"Update","path":["rm-9"],"args":["aborted"]}]}}"#,
            &["log.ndjson:1", "rm-9"],
        ),
    ] {
        let folder = folder(&[("log.ndjson", line)]);
        let arguments = [&["validate", "--log", &spec, "log.ndjson"], &MANAGERS[..]].concat();
        omnilink_in(folder.path(), &arguments).refused(words);
    }
}

#[test]
fn every_example_is_explained_or_refused_as_its_name_says() {
    let cases = [
        ("snapshot-store/SnapshotStore.tla", "ok", 0, ""),
        (
            "snapshot-store/SnapshotStore.tla",
            "lost-update",
            1,
            "`written[c] \\cap missed[c] = {}` is false",
        ),
        (
            "snapshot-store/SnapshotStore.tla",
            "latest-value",
            1,
            "`view[c][k] = v` is false",
        ),
        ("raft/Raft.tla", "ok", 0, ""),
        (
            "raft/Raft.tla",
            "vote-twice",
            1,
            "`votedFor[m.to] \\in {\"none\", m.from}` is false",
        ),
        ("raft/Raft.tla", "no-check", 1, "m.prev"),
        (
            "raft/Raft.tla",
            "early-commit",
            1,
            "`2 * Cardinality(nodes) > Cardinality(Node)` is false",
        ),
    ];
    for (spec, log, code, words) in cases {
        let folder = spec.split('/').next().unwrap_or_default();
        let ran = omnilink(&[
            "validate",
            &example(&format!("logs/{spec}")),
            &example(&format!("logs/{folder}/{log}")),
        ]);
        assert_eq!(ran.code, code, "{spec} {log}: {ran:?}");
        let page: String = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(words), "{spec} {log}: {page}");
    }
}

#[test]
fn several_logs_have_their_coverage_together() {
    let spec = example("logs/two-phase/TwoPhase.tla");
    let (ok, bug) = (
        example("logs/two-phase/ok"),
        example("logs/two-phase/counts-resent-messages"),
    );
    let arguments = [
        &["validate", &spec, &ok, &bug, "--coverage", "--jobs", "2"],
        &MANAGERS[..],
    ]
    .concat();
    let ran = omnilink(&arguments);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout
            .contains("in 2 logs, in the explanations that were tried"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("TMAbort: never"), "{ran:?}");
    let json = omnilink(&[&arguments[..], &["--json"]].concat()).json();
    assert_eq!(json.len(), 3, "one for each log, and one for all");
    assert_eq!(json[2]["coverage"]["logs"], 2);
}

/// The text between the fences of the first code block of a language in a page.
fn block(page: &str, language: &str) -> String {
    let after = page.split(&format!("\n```{language}\n")).nth(1).unwrap();
    after.split("\n```").next().unwrap().to_owned()
}

#[test]
fn the_programs_of_the_documentation_write_logs_in_other_languages() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/logs.md");
    let page = std::fs::read_to_string(docs).unwrap();
    let languages: [(&str, &str, &[&str]); 3] = [
        ("python", "log.py", &["python3", "log.py", "."]),
        ("java", "Log.java", &["java", "Log.java", "."]),
        ("go", "main.go", &["go", "run", "main.go", "."]),
    ];
    for (language, file, command) in languages {
        let folder = folder(&[(file, &block(&page, language))]);
        let ran = std::process::Command::new(command[0])
            .args(&command[1..])
            .current_dir(folder.path())
            .output();
        // A language that is not there cannot be tried.
        let Ok(ran) = ran else { continue };
        assert!(ran.status.success(), "{language}: {ran:?}");
        let arguments = [
            "validate",
            &example("logs/two-phase/TwoPhase.tla"),
            "rm-0.ndjson",
            "tm.ndjson",
            "--merge",
            "--const",
            r#"RM={"rm-0"}"#,
            "--strict",
        ];
        let valid = omnilink_in(folder.path(), &arguments);
        assert_eq!(valid.code, 0, "{language}: {valid:?}");
        assert!(
            valid.stdout.contains("2 lines are explained"),
            "{language}: {valid:?}"
        );
    }
}

#[test]
fn a_log_that_is_followed_is_judged_line_by_line_until_ctrl_c() {
    let spec = example("logs/two-phase/TwoPhase.tla");
    let line = r#"{"event":"RMPrepare","args":["rm-0"]}"#;
    let folder = folder(&[("log.ndjson", &format!("{line}\n{{\"event\":\"TMRcvPre"))]);
    let arguments = [&["validate", &spec, "log.ndjson", "--follow"], &MANAGERS[..]].concat();
    let ran = interrupted_in(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("1 line is explained"), "{ran:?}");
    // A line that nothing explains ends it without Ctrl-C.
    std::fs::write(folder.path().join("log.ndjson"), format!("{line}\n{line}\n")).unwrap();
    let ran = omnilink_in(folder.path(), &arguments);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("log.ndjson:2"), "{ran:?}");
}

#[test]
fn campaigns_check_runs_that_write_logs() {
    let harness = r#"#!/bin/sh
mkdir -p "$OMNILINK_TRACE"
echo '{"node":"rm-0","clock":1,"event":"RMPrepare","args":["rm-0"]}' > "$OMNILINK_TRACE/rm.ndjson"
[ $((OMNILINK_RUN % 3)) = 2 ] && echo '{"node":"tm","clock":2,"event":"TMCommit"}' > "$OMNILINK_TRACE/tm.ndjson"
exit 0
"#;
    let spec = example("logs/two-phase/TwoPhase.tla");
    let folder = folder(&[("harness.sh", harness)]);
    let fuzz = |log: &[&str]| {
        let arguments = [
            &["fuzz", "--spec", &spec, "--runs", "4", "--chaos", "none"],
            &MANAGERS[..],
            log,
            &["--", "sh", "harness.sh"],
        ];
        omnilink_in(folder.path(), &arguments.concat())
    };
    let ran = fuzz(&["--log"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("nothing explains TMCommit of node tm"),
        "{ran:?}"
    );
    let ran = fuzz(&[]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains("give --log"), "{ran:?}");
}
