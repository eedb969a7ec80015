//! Logs of distributed programs: the example, and logs that cannot be used.

use super::ran::{example, folder, omnilink, omnilink_in};

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
