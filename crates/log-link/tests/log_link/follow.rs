//! Logs that are still being written: the verdict comes with the line.

use std::io::Write;
use std::path::Path;

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict, Violation};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, follow_log};

const COUNTER: &str = r"---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Add == x' = x + 1
Next == Add
====";

fn line(value: u32) -> String {
    format!("{{\"event\":\"Add\",\"state\":{{\"x\":{value}}}}}\n")
}

fn append(file: &Path, text: &str) {
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(file)
        .unwrap_or_else(|error| panic!("{error}"));
    file.write_all(text.as_bytes())
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Follows a log to which these texts are added, one each time the follower waits; the answer, and how many lines were explained at each
/// wait.
fn followed(link: &str, parts: &[String]) -> (Evidence, Vec<u32>) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let spec = folder.path().join("Counter.tla");
    std::fs::write(&spec, COUNTER).unwrap_or_else(|error| panic!("{error}"));
    let log = folder.path().join("log.ndjson");
    std::fs::write(&log, "").unwrap_or_else(|error| panic!("{error}"));
    let options = LinkOptions {
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
        ..LinkOptions::default()
    };
    let check = LogCheck::new(&spec, options, Limits::default());
    let explained = std::sync::atomic::AtomicU32::new(0);
    let mut at_wait = Vec::new();
    let mut left = parts.iter();
    let input = std::fs::File::open(&log).unwrap_or_else(|error| panic!("{error}"));
    let evidence = follow_log(
        &check,
        "log.ndjson",
        &log,
        Box::new(input),
        &mut |_| {
            explained.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        },
        &mut || {
            at_wait.push(explained.load(std::sync::atomic::Ordering::SeqCst));
            match left.next() {
                Some(part) => {
                    append(&log, part);
                    true
                }
                None => false,
            }
        },
    );
    (evidence, at_wait)
}

#[test]
fn each_line_is_explained_when_it_is_whole() {
    let (first, second) = (line(1), line(2));
    let (half, rest) = second.split_at(9);
    let parts = [
        first,
        half.to_owned(),
        rest.to_owned(),
        String::new(),
        line(3) + &line(4),
    ];
    let (evidence, explained) = followed("", &parts);
    assert_eq!(evidence.verdict, Verdict::Valid, "{:?}", evidence.error);
    assert_eq!(explained, [0, 1, 1, 2, 2, 4], "half a line is no line");
    assert_eq!(evidence.figures.ops, 4);
}

#[test]
fn the_first_line_that_cannot_be_explained_ends_it() {
    let parts = [line(1) + &line(2), line(4), line(5)];
    let (evidence, explained) = followed("", &parts);
    assert_eq!(evidence.verdict, Verdict::Violation, "{:?}", evidence.error);
    assert_eq!(explained, [0, 2], "nobody waits for more after the violation");
    let Some(Violation::Operation(found)) = &evidence.violation else {
        panic!("{evidence:?}");
    };
    assert!(
        found
            .op
            .place
            .as_deref()
            .is_some_and(|place| place.ends_with("log.ndjson:3"))
    );
}

#[test]
fn what_is_no_json_ends_it_with_its_place() {
    let (evidence, _) = followed("", &[line(1), "{oops\n".to_owned(), line(2)]);
    assert_eq!(evidence.verdict, Verdict::Error);
    assert!(
        evidence
            .error
            .is_some_and(|error| error.contains("log.ndjson:2: this is no JSON"))
    );
}

#[test]
fn an_end_within_a_line_is_the_end_of_the_lines_before() {
    let (evidence, _) = followed("", &[line(1), "{\"event\":\"Ad".to_owned()]);
    assert_eq!(evidence.verdict, Verdict::Valid, "{:?}", evidence.error);
    assert_eq!(evidence.figures.ops, 1);
}

#[test]
fn what_needs_the_whole_log_cannot_be_followed() {
    for link in [
        "[log]\norder = \"clock\"",
        "[log]\nheader = 1",
        "[log]\nskip_when = 'next = <<>>'",
    ] {
        let (evidence, _) = followed(link, &[line(1)]);
        assert_eq!(evidence.verdict, Verdict::Error, "{link}");
        assert!(
            evidence
                .error
                .is_some_and(|error| error.contains("a log that is followed is read line by line")),
            "{link}"
        );
    }
}

#[test]
fn lines_that_join_the_line_before_them_are_judged_with_it() {
    let link = "[log.events.More]\njoins = true\nensures = \"x' = line.x\"";
    let more = |x: u32| format!("{{\"event\":\"More\",\"x\":{x}}}\n");
    let (right, _) = followed(link, &[line(1), more(1), line(2)]);
    assert_eq!(
        (right.verdict, right.figures.ops),
        (Verdict::Valid, 3),
        "{:?}",
        right.error
    );
    // The last line is judged, too, once nobody waits for more.
    for lines in [vec![line(1), more(7), line(2)], vec![line(1), more(7)]] {
        let (wrong, _) = followed(link, &lines);
        assert_eq!(wrong.verdict, Verdict::Violation, "{:?}", wrong.error);
    }
}

#[test]
fn a_long_log_is_followed_in_little_memory() {
    let many: String = (1..=30_000).map(line).collect();
    let (evidence, _) = followed("", &[many]);
    assert_eq!(evidence.verdict, Verdict::Valid, "{:?}", evidence.error);
    assert_eq!(evidence.figures.ops, 30_000);
    assert_eq!(evidence.figures.frontier_max, Some(1));
}
