//! Logs that are read line by line get the answer that they get in memory, whatever the order of their lines.

use std::fmt::Write;
use std::path::Path;

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log, follow_log};

/// Steps whose order is seen.
const DIGITS: &str = r"---- MODULE Digits ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Add(n) == x' = (3 * x + n) % 7
Next == \E n \in 1..2: Add(n)
====";

fn check(folder: &Path, link: &str) -> LogCheck {
    let spec = folder.join("Digits.tla");
    std::fs::write(&spec, DIGITS).unwrap_or_else(|error| panic!("{error}"));
    let options = LinkOptions {
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
        ..LinkOptions::default()
    };
    LogCheck::new(&spec, options, Limits::default())
}

fn check_by_line(folder: &Path, link: &str) -> LogCheck {
    let mut check = check(folder, link);
    check.in_memory_bytes = 0;
    check
}

fn answer(check: &LogCheck, log: &Path) -> Evidence {
    check_log(check, None, "log", &[log.to_owned()], &mut |_| {})
}

/// What lines say about their time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Time {
    None,
    Clock,
    Timebox,
    Vector,
    /// A clock in most lines.
    Sometimes,
}

/// A run of some steps, often with lines that do not stand in their order, and sometimes with a wrong state.
fn log(random: &mut fastrand::Rng) -> (Time, String) {
    let time = random
        .choice([
            Time::None,
            Time::Clock,
            Time::Clock,
            Time::Timebox,
            Time::Timebox,
            Time::Vector,
            Time::Sometimes,
        ])
        .unwrap_or(Time::None);
    let (mut x, mut now) = (0, 0);
    let mut lines = Vec::new();
    for _ in 0..random.usize(2..6) {
        let n = random.i64(1..3);
        x = (3 * x + n) % 7;
        // Equal clocks and timeboxes that overlap are frequent.
        now += random.i64(0..3);
        let node = random.i64(0..2);
        let seen = if random.u8(0..12) == 0 { (x + 1) % 7 } else { x };
        let mut line = format!("{{\"event\":\"Add\",\"event_args\":[{n}],\"node\":{node}");
        let at = match time {
            Time::None => String::new(),
            Time::Sometimes if random.bool() => String::new(),
            Time::Clock | Time::Sometimes => format!(",\"clock\":{now}"),
            Time::Timebox => format!(
                ",\"start\":{},\"end\":{}",
                now - random.i64(0..3),
                now + random.i64(0..6)
            ),
            Time::Vector => format!(",\"clock\":{{\"n\":{now}}}"),
        };
        let state = if random.bool() {
            format!(",\"state\":{{\"x\":{seen}}}")
        } else {
            String::new()
        };
        let _ = write!(line, "{at}{state}}}");
        lines.push(line);
    }
    if random.bool() {
        let (one, other) = (random.usize(0..lines.len()), random.usize(0..lines.len()));
        lines.swap(one, other);
    }
    (time, lines.join("\n") + "\n")
}

#[test]
fn a_file_that_is_read_line_by_line_gets_the_answer_that_it_gets_in_memory() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    let in_memory = check(folder.path(), "");
    let by_line = check_by_line(folder.path(), "");
    let mut random = fastrand::Rng::with_seed(23);
    let mut seen = [0; 3];
    for _ in 0..1_500 {
        let (time, text) = log(&mut random);
        std::fs::write(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        let expected = answer(&in_memory, &file).verdict;
        let found = answer(&by_line, &file);
        assert_eq!(found.verdict, expected, "{time:?} {:?}\n{text}", found.error);
        // Where reading again is not possible, the answer is the same or the order of the lines is in doubt.
        let followed = follow_log(&in_memory, "log", &file, opened(&file), &mut |_| {}, &mut || {
            false
        });
        match &followed.error {
            Some(error) => assert!(
                error.contains("sort it by its clock") && time != Time::None,
                "{error}"
            ),
            None if followed.verdict == Verdict::Valid => assert_eq!(expected, Verdict::Valid, "{text}"),
            None => {}
        }
        seen[match expected {
            Verdict::Valid => 0,
            Verdict::Violation => 1,
            _ => 2,
        }] += 1;
    }
    assert!(seen[0] > 300 && seen[1] > 150, "{seen:?}");
}

#[test]
fn what_comes_before_a_line_that_was_rejected_is_looked_for_to_the_end() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    // 2, then 1: x is 2, then 0.
    std::fs::write(
        &file,
        "{\"event\":\"Add\",\"event_args\":[1],\"clock\":2,\"state\":{\"x\":0}}\n{\"event\":\"Add\",\"event_args\":[2],\"clock\":1}\n",
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let by_line = check_by_line(folder.path(), "");
    assert_eq!(answer(&by_line, &file).verdict, Verdict::Valid);
    let as_it_stands = check_by_line(folder.path(), "[log]\norder = \"lines\"");
    assert_eq!(answer(&as_it_stands, &file).verdict, Verdict::Violation);
}

#[test]
fn a_log_that_is_followed_and_is_not_in_order_ends_with_the_place() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    let text: String = [1, 2, 5, 4]
        .iter()
        .map(|clock| format!("{{\"event\":\"Add\",\"event_args\":[1],\"clock\":{clock}}}\n"))
        .collect();
    std::fs::write(&file, text).unwrap_or_else(|error| panic!("{error}"));
    let in_memory = check(folder.path(), "");
    let followed = follow_log(&in_memory, "log", &file, opened(&file), &mut |_| {}, &mut || {
        false
    });
    assert_eq!(followed.verdict, Verdict::Error);
    assert!(
        followed
            .error
            .is_some_and(|error| error.contains("log.ndjson:4: its clock"))
    );
}

#[test]
fn a_clock_that_is_no_whole_number_is_refused() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    for clock in ["1.5", "99999999999999999999999", "\"noon\"", "[1]"] {
        let line = format!("{{\"event\":\"Add\",\"event_args\":[1],\"clock\":{clock}}}\n");
        std::fs::write(&file, line).unwrap_or_else(|error| panic!("{error}"));
        for check in [check(folder.path(), ""), check_by_line(folder.path(), "")] {
            let error = answer(&check, &file).error.unwrap_or_default();
            assert!(error.contains("log.ndjson:1: \"clock\" is"), "{clock}: {error}");
        }
        let as_it_stands = check(folder.path(), "[log]\norder = \"lines\"");
        assert_eq!(answer(&as_it_stands, &file).verdict, Verdict::Valid, "{clock}");
    }
}

fn opened(file: &Path) -> Box<dyn std::io::Read + Send> {
    Box::new(std::fs::File::open(file).unwrap_or_else(|error| panic!("{error}")))
}
