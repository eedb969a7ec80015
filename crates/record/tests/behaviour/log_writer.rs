//! Logs of events and variables: clocks, lines, and what is left after a crash.

use std::path::Path;

use omnilink_record::{LogClock, LogValue, LogWriter, Stamp};

use crate::child;

fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn clock_of(line: &str) -> &str {
    let from = line.find("\"clock\":").unwrap() + 8;
    let rest = &line[from..];
    let end = if rest.starts_with('{') {
        rest.find('}').unwrap() + 1
    } else {
        rest.find([',', '}']).unwrap()
    };
    &rest[..end]
}

#[test]
fn a_line_has_everything_observed_since_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ndjson");
    let mut log = LogWriter::create(&file, "a", LogClock::None).unwrap();
    log.observe("x").at("k\"1").at(2).set(LogValue::set([1, 2]));
    log.observe("y").append("\n");
    log.observe("x").clear();
    log.log(
        "Step",
        [LogValue::Null, true.into(), LogValue::Model("m".to_owned())],
    )
    .unwrap();
    log.log("Other", [] as [i64; 0]).unwrap();
    log.observe("y").apply("RemoveFirst", []);
    log.log_variables().unwrap();
    let expected = [
        r#"{"node":"a","event":"Step","args":[null,true,{"$model":"m"}],"vars":{"x":[{"op":"Update","path":["k\"1",2],"args":[{"$set":[1,2]}]},{"op":"Clear","path":[],"args":[]}],"y":[{"op":"AppendElement","path":[],"args":["\n"]}]}}"#,
        r#"{"node":"a","event":"Other","args":[]}"#,
        r#"{"node":"a","vars":{"y":[{"op":"RemoveFirst","path":[],"args":[]}]}}"#,
    ];
    assert_eq!(lines(&file), expected);
}

#[test]
fn lamport_clocks_put_what_was_received_after_what_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let mut one = LogWriter::create(&a, "a", LogClock::lamport()).unwrap();
    let mut other = LogWriter::create(&b, "b", LogClock::lamport()).unwrap();
    for _ in 0..5 {
        one.log("Send", [1]).unwrap();
    }
    other.log("Idle", [1]).unwrap();
    other.received(&Stamp::from_text(&one.stamp().to_text()).unwrap());
    other.log("Receive", [1]).unwrap();
    // An old message does not turn the clock back.
    other.received(&Stamp::Number(2));
    other.log("Receive", [2]).unwrap();
    let clocks = |file| {
        lines(file)
            .iter()
            .map(|line| clock_of(line).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(clocks(&a), ["1", "2", "3", "4", "5"]);
    assert_eq!(clocks(&b), ["1", "6", "7"]);
}

#[test]
fn vector_clocks_tell_who_has_heard_of_whom() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let mut one = LogWriter::create(&a, "a", LogClock::vector()).unwrap();
    let mut other = LogWriter::create(&b, "b", LogClock::vector()).unwrap();
    one.log("Send", [1]).unwrap();
    let stamp = Stamp::from_text(&one.stamp().to_text()).unwrap();
    assert_eq!(stamp, one.stamp());
    one.log("Send", [2]).unwrap();
    other.log("Idle", [1]).unwrap();
    other.received(&stamp);
    other.log("Receive", [1]).unwrap();
    let clocks = |file| {
        lines(file)
            .iter()
            .map(|line| clock_of(line).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(clocks(&a), [r#"{"a":1}"#, r#"{"a":2}"#]);
    assert_eq!(clocks(&b), [r#"{"b":1}"#, r#"{"a":1,"b":2}"#]);
}

#[test]
fn nodes_that_share_a_clock_never_have_the_same_reading() {
    let folder = tempfile::tempdir().unwrap();
    let clock = LogClock::shared();
    std::thread::scope(|scope| {
        for node in 0..4 {
            let (folder, clock) = (folder.path(), clock.clone());
            scope.spawn(move || {
                let name = format!("n{node}");
                let mut log = LogWriter::create(&folder.join(&name), &name, clock).unwrap();
                for step in 0..200 {
                    log.log("Step", [step]).unwrap();
                }
            });
        }
    });
    let mut clocks = Vec::new();
    for node in 0..4 {
        let own: Vec<u64> = lines(&folder.path().join(format!("n{node}")))
            .iter()
            .map(|line| clock_of(line).parse().unwrap())
            .collect();
        assert!(
            own.is_sorted_by(|one, other| one < other),
            "a node's lines are in its order"
        );
        clocks.extend(own);
    }
    clocks.sort_unstable();
    assert_eq!(clocks, (0..800).collect::<Vec<u64>>());
}

#[test]
fn after_a_crash_every_logged_line_is_there_and_whole() {
    const LINES: usize = 1_000;
    if let Some((_, folder)) = child::role() {
        let mut log = LogWriter::create(&folder.join("a.ndjson"), "a", LogClock::lamport()).unwrap();
        for step in 0..LINES as i64 {
            log.observe("x").set(step);
            log.log("Step", [step]).unwrap();
        }
        // Observed, but not logged: no part of a step.
        log.observe("x").set(0);
        std::process::abort();
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "log_writer::after_a_crash_every_logged_line_is_there_and_whole";
    let status = child::start(test, "crash", folder.path()).wait().unwrap();
    assert!(!status.success());
    let lines = lines(&folder.path().join("a.ndjson"));
    assert_eq!(lines.len(), LINES);
    assert!(
        lines
            .iter()
            .all(|line| line.starts_with('{') && line.ends_with("]}}"))
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("missing").join("a.ndjson");
    assert!(LogWriter::create(&file, "a", LogClock::None).is_err());
}
