//! Lines that are no part of the log are gone before anything looks at them.

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict, Violation};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

const COUNTER: &str = r"---- MODULE C ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Inc == x' = x + 1
Double == x' = 2 * x
Next == Inc \/ Double
====";

/// The answers in memory and line by line.
fn answers(link: &str, log: &str) -> [Evidence; 2] {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let spec = folder.path().join("C.tla");
    std::fs::write(&spec, COUNTER).unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    std::fs::write(&file, log).unwrap_or_else(|error| panic!("{error}"));
    let options = LinkOptions {
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
        ..LinkOptions::default()
    };
    let mut check = LogCheck::new(&spec, options, Limits::default());
    let in_memory = check_log(&check, None, "log", std::slice::from_ref(&file), &mut |_| {});
    check.in_memory_bytes = 0;
    let by_line = check_log(&check, None, "log", &[file], &mut |_| {});
    [in_memory, by_line]
}

/// The verdict on a log, which is the same without the lines that a link file leaves out.
fn verdict(link: &str, log: &str) -> Verdict {
    let without: String = log
        .lines()
        .filter(|line| !line.contains("config") && !line.contains("Ping"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_ne!(without, log);
    let [in_memory, by_line] = answers(link, log);
    for found in [&in_memory, &by_line].into_iter().chain(&answers(link, &without)) {
        assert_eq!(found.error, None, "{log}");
        assert_eq!(found.verdict, in_memory.verdict, "{log}");
        assert_eq!(found.figures.ops, in_memory.figures.ops, "{log}");
    }
    in_memory.verdict
}

const ONLY: &str = "[log]\nonly = 'line.tag = \"trace\"'\nignore_fields = [\"to\", \"n\"]\n";

#[test]
fn they_give_hidden_actions_no_chance() {
    let hidden = "[[log.hidden]]\naction = \"Inc\"\nbound = 1\n";
    let ensures = "[log.events.Double]\nensures = \"x' = line.to\"\n";
    let log = r#"{"tag":"trace","event":"Inc"}
{"tag":"config","n":3}
{"tag":"trace","event":"Double","to":8}
"#;
    assert_eq!(
        verdict(&format!("{ONLY}{ensures}{hidden}"), log),
        Verdict::Violation
    );
    let reachable = log.replace('8', "4");
    assert_eq!(
        verdict(&format!("{ONLY}{ensures}{hidden}"), &reachable),
        Verdict::Valid
    );
    let log = "{\"event\":\"Inc\"}\n{\"event\":\"Ping\"}\n{\"event\":\"Double\",\"to\":8}\n";
    let rules = [
        "[log]\nskip = [\"Ping\"]\n",
        "[log.events.Ping]\nskip = true\n",
        "[log]\nskip_when = 'line.event = \"Ping\"'\n",
        "[log]\nskip_when = 'line.event = \"Ping\" /\\ previous # <<>>'\n",
    ];
    for rule in rules {
        let link = format!("{rule}{ensures}{hidden}");
        assert_eq!(verdict(&link, log), Verdict::Violation, "{rule}");
        assert_eq!(verdict(&link, &log.replace('8', "4")), Verdict::Valid, "{rule}");
    }
}

#[test]
fn a_line_that_belongs_to_another_gives_hidden_actions_no_chance() {
    let link = "[log.events.more]\njoins = true\n[[log.hidden]]\naction = \"Inc\"\nbound = 1\n";
    let log = |to: u32| {
        format!(
            "{{\"event\":\"Inc\"}}\n{{\"event\":\"more\"}}\n{{\"event\":\"Double\",\"state\":{{\"x\":{to}}}}}\n"
        )
    };
    for (to, expected) in [(2, Verdict::Valid), (4, Verdict::Valid), (8, Verdict::Violation)] {
        let [found, _] = answers(link, &log(to));
        assert_eq!((found.verdict, found.error), (expected, None), "{to}");
    }
}

#[test]
fn they_need_no_clock() {
    let log = r#"{"node":"b","clock":2,"tag":"trace","event":"Double"}
{"node":"a","tag":"config","n":3}
{"node":"a","clock":1,"tag":"trace","event":"Inc"}
"#;
    let link = format!("{ONLY}[log.events.Double]\nensures = \"x' = 2\"\n");
    assert_eq!(verdict(&link, log), Verdict::Valid);
    let skipped = r#"{"node":"b","clock":2,"event":"Double"}
{"node":"a","event":"Ping"}
{"node":"a","clock":1,"event":"Inc"}
"#;
    let link = "[log]\nskip = [\"Ping\"]\n[log.events.Double]\nensures = \"x' = 2\"\n";
    assert_eq!(verdict(link, skipped), Verdict::Valid);
}

#[test]
fn they_are_nobodys_neighbours_and_no_coming_lines() {
    let log = r#"{"node":"a","tag":"trace","event":"Inc"}
{"node":"a","tag":"config","n":3}
{"node":"a","tag":"trace","event":"Double","to":2}
"#;
    let link = format!("{ONLY}[log.events.Double]\nrequires = 'previous.event = \"Inc\"'\n");
    assert_eq!(verdict(&link, log), Verdict::Valid);
    let log = r#"{"tag":"config","n":3}
{"tag":"trace","event":"Inc","to":1}
{"tag":"trace","event":"Double","to":4}
"#;
    let link = format!(
        "{ONLY}[log.events.Double]\nensures = \"x' = line.to\"\n[[log.hidden]]\naction = \"Inc\"\nbound = 1\nwhen = 'line.to > 3'\n"
    );
    assert_eq!(verdict(&link, log), Verdict::Valid);
}

#[test]
fn reports_do_not_show_them() {
    let log = "{\"event\":\"Inc\"}\n{\"event\":\"Ping\"}\n{\"event\":\"Double\",\"state\":{\"x\":9}}\n";
    for found in answers("[log]\nskip = [\"Ping\"]\n", log) {
        let text = format!("{found:?}");
        assert!(!text.contains("Ping"), "{text}");
        let Some(Violation::Operation(violation)) = &found.violation else {
            panic!("{:?}", found.violation);
        };
        assert_eq!(
            violation
                .op
                .place
                .as_deref()
                .map(|place| &place[place.len() - 2..]),
            Some(":3")
        );
        assert_eq!(violation.op.id, 1);
    }
}

#[test]
fn a_log_of_which_some_lines_have_clocks_is_noted() {
    let log = "{\"clock\":1,\"event\":\"Inc\"}\n{\"event\":\"Double\"}\n{\"clock\":3,\"event\":\"Inc\"}\n";
    for found in answers("", log) {
        assert_eq!(found.verdict, Verdict::Valid);
        assert!(
            found.notes.iter().any(|note| note.contains("others have none")
                && note.contains("log.ndjson:2")
                && note.contains("order of the file")),
            "{:?}",
            found.notes
        );
    }
    for (link, log) in [
        ("[log]\norder = \"lines\"", log),
        ("", "{\"event\":\"Inc\"}\n"),
        (
            "",
            "{\"clock\":1,\"event\":\"Inc\"}\n{\"clock\":2,\"event\":\"Inc\"}\n",
        ),
    ] {
        for found in answers(link, log) {
            assert!(
                !found.notes.iter().any(|note| note.contains("clock")),
                "{:?}",
                found.notes
            );
        }
    }
    for found in answers(
        "",
        "{\"clock\":1,\"event\":\"Inc\"}\n{\"clock\":{\"a\":2},\"node\":\"a\",\"event\":\"Inc\"}\n",
    ) {
        assert!(
            found
                .notes
                .iter()
                .any(|note| note.contains("clocks of different kinds")),
            "{:?} {:?}",
            found.notes,
            found.error
        );
    }
}

#[test]
fn lines_come_before_others_by_way_of_one_that_is_left_out() {
    // Double must come between the two others: it comes after `Ping`, which comes after the first, and before the last by `after`.
    let log = r#"{"node":"c","id":3,"after":[2],"event":"Inc","state":{"x":3}}
{"node":"b","event":"Ping","id":9,"after":[1]}
{"node":"b","id":2,"event":"Double","state":{"x":2}}
{"node":"a","id":1,"event":"Inc"}
"#;
    let link = "[log]\norder = \"edges\"\nskip = [\"Ping\"]\n";
    let [found, _] = answers(link, log);
    assert_eq!((found.verdict, found.error), (Verdict::Valid, None));
    // Without that, Double may come first, and then it leaves 0.
    let zero = log.replace("\"x\":2", "\"x\":0").replace("\"x\":3", "\"x\":1");
    let [found, _] = answers(link, &zero);
    assert_eq!((found.verdict, found.error), (Verdict::Violation, None));
}

#[test]
fn a_stream_looks_back_to_the_line_of_the_same_node() {
    let log = "{\"node\":\"a\",\"event\":\"Inc\",\"k\":1}\n{\"node\":\"b\",\"event\":\"Inc\",\"k\":2}\n{\"node\":\"a\",\"event\":\"Double\"}\n";
    let link = |k: u32| format!("[log.events.Double]\nrequires = 'previous.k = {k}'\n");
    for (k, expected) in [(1, Verdict::Valid), (2, Verdict::Violation)] {
        for found in answers(&link(k), log) {
            assert_eq!((found.verdict, found.error), (expected, None), "{k}");
        }
    }
}

fn unread(link: &str, log: &str) -> Vec<String> {
    let [in_memory, by_line] = answers(link, log);
    let fields = |found: &Evidence| -> Vec<String> {
        assert_eq!((found.verdict, &found.error), (Verdict::Valid, &None));
        let reasons = found.vacuity.iter().flatten();
        reasons.filter_map(|reason| reason.field.clone()).collect()
    };
    assert_eq!(fields(&in_memory), fields(&by_line));
    fields(&in_memory)
}

#[test]
fn a_misspelt_field_is_noticed_although_there_are_formulas() {
    let log = "{\"tag\":\"trace\",\"event\":\"Inc\",\"too\":1,\"to\":1}\n";
    let only = "[log]\nonly = 'line.tag = \"trace\"'\n";
    assert_eq!(unread(only, log), ["to", "too"]);
    assert_eq!(
        unread("[log]\nonly = '\"tag\" \\in DOMAIN line'\n", log),
        ["to", "too"]
    );
    let ensures = format!("{only}[log.events.Inc]\nensures = \"x' = line.to\"\n");
    assert_eq!(unread(&ensures, log), ["too"]);
    let requires = format!("{only}[log.events.Inc]\nrequires = 'line[\"too\"] = x + 1'\n");
    assert_eq!(unread(&requires, log), ["to"]);
    let whole = format!("{only}[log.events.Inc]\nrequires = 'line # <<>>'\n");
    assert_eq!(
        unread(&whole, log),
        [""; 0],
        "a line as a whole has all its fields"
    );
    let when = format!(
        "{only}[[log.hidden]]\naction = \"Inc\"\nbound = 1\nwhen = 'line.to = 9 /\\ \"too\" \\notin DOMAIN line'\n"
    );
    assert_eq!(unread(&when, log), [""; 0]);
    let back = format!("{only}[log.events.Inc]\nrequires = 'previous = <<>> \\/ previous.to = 3'\n");
    assert_eq!(
        unread(&back, log),
        [""; 0],
        "`previous # <<>>` compares all of it"
    );
    let back =
        format!("{only}[log.events.Inc]\nrequires = '\"to\" \\in DOMAIN previous \\/ previous.to = 3'\n");
    let twice = format!("{log}{log}").replacen("\"to\":1", "\"to\":3", 1);
    assert_eq!(
        unread(&back.replace("\\/ previous", "=> previous"), &twice),
        ["too"]
    );
}

#[test]
fn updates_of_variables_count_although_there_are_formulas() {
    let log = |to: u32| {
        format!(
            "{{\"tag\":\"trace\",\"event\":\"Inc\",\"x\":[{{\"op\":\"Update\",\"path\":[],\"args\":[{to}]}}]}}\n"
        )
    };
    for (to, expected) in [(1, Verdict::Valid), (2, Verdict::Violation)] {
        for rule in ["line.tag = \"trace\"", "\"x\" \\in DOMAIN line"] {
            for found in answers(
                &format!("[log]\nignore_fields = [\"tag\"]\nonly = '{rule}'\n"),
                &log(to),
            ) {
                assert_eq!((found.verdict, found.error), (expected, None), "{rule}");
            }
        }
    }
}

#[test]
fn a_rule_about_neighbours_sees_lines_that_are_skipped() {
    let log = r#"{"node":"a","clock":1,"event":"Inc"}
{"node":"a","event":"Ping"}
{"node":"a","clock":2,"event":"Double","state":{"x":9}}
{"node":"a","clock":3,"event":"Double","state":{"x":2}}
"#;
    let link = "[log]\nskip = [\"Ping\"]\nskip_when = 'previous # <<>> /\\ previous.event = \"Ping\"'\n";
    for found in answers(link, log) {
        assert_eq!((found.verdict, found.error), (Verdict::Valid, None));
        assert_eq!(found.figures.ops, 2);
    }
    let only = format!("{link}only = 'line.event # \"Ping\"'\n");
    for found in answers(&only, log) {
        assert_eq!(
            (found.verdict, found.error),
            (Verdict::Violation, None),
            "no line comes after one that is no part of the log"
        );
    }
}
