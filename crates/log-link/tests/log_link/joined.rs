//! A joined line is a line: all that it says holds for the step, and contradictions are violations, in the search, with the plain evaluator and in the confirmation.

use omnilink_engine::Limits;
use omnilink_evidence::{Confirmation, Evidence, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

const LOCK: &str = r#"---- MODULE Lock ----
EXTENDS Naturals, FiniteSets, Sequences
VARIABLES lock, msgs, n
Node == {"a", "b"}
Init == lock = "nil" /\ msgs = {} /\ n = 0
Acq(k) == lock = "nil" /\ lock' = k /\ UNCHANGED <<msgs, n>>
Rel(k) == lock = k /\ lock' = "nil" /\ UNCHANGED <<msgs, n>>
Cast(k) == msgs' = msgs \cup {[to |-> k, v |-> 1], [to |-> k, v |-> 2]} /\ n' = n + 2 /\ UNCHANGED lock
Take(k) == \E m \in msgs : m.to = k /\ msgs' = msgs \ {m} /\ UNCHANGED <<lock, n>>
Next == \E k \in Node : Acq(k) \/ Rel(k) \/ Cast(k) \/ Take(k)
====
"#;

const MORE: &str = "[log.events.More]\njoins = true\n";

fn answers(link: &str, log: &str) -> [Evidence; 3] {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let spec = folder.path().join("Lock.tla");
    std::fs::write(&spec, LOCK).unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    std::fs::write(&file, log).unwrap_or_else(|error| panic!("{error}"));
    let options = LinkOptions {
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
        ..LinkOptions::default()
    };
    [(false, 16 << 20), (true, 16 << 20), (false, 0)].map(|(is_naive, in_memory_bytes)| {
        let mut check = LogCheck::new(&spec, options.clone(), Limits::default());
        check.is_naive = is_naive;
        check.in_memory_bytes = in_memory_bytes;
        check_log(&check, None, "log", std::slice::from_ref(&file), &mut |_| {})
    })
}

/// The verdict, which all ways to get it agree on, and the report.
fn judged(link: &str, log: &str) -> (Verdict, String) {
    let found = answers(link, log);
    for one in &found {
        assert_eq!(one.error, None, "{link}\n{log}");
        assert_eq!(one.verdict, found[0].verdict, "{link}\n{log}");
        if one.verdict == Verdict::Violation {
            let confirmation = one.confirmation.as_ref();
            assert!(
                confirmation.is_some_and(Confirmation::is_confirmed),
                "{confirmation:?}"
            );
        }
    }
    (found[0].verdict, format!("{:?}", found[0]))
}

#[test]
fn everything_that_a_joined_line_says_holds_for_the_step() {
    let acq = r#"{"node":"a","event":"Acq","args":["a"]}"#;
    let cases: [(&str, &str, &str, bool); 22] = [
        (acq, r#""state":{"lock":"a"}"#, "", true),
        (acq, r#""state":{"lock":"b"}"#, "", false),
        (
            acq,
            r#""vars":{"lock":[{"op":"Update","args":["b"]}]}"#,
            "",
            false,
        ),
        (acq, r#""n":[{"op":"Add","args":[1]}]"#, "", false),
        (acq, r#""who":"a""#, "requires = \"FALSE\"\n", false),
        (acq, r#""who":"a""#, "requires = 'lock = \"nil\"'\n", true),
        (acq, r#""who":"a""#, "requires = 'lock = line.who'\n", false),
        (acq, r#""who":"a""#, "ensures = \"lock' = line.who\"\n", true),
        (acq, r#""who":"b""#, "ensures = \"lock' = line.who\"\n", false),
        (acq, r#""args":["a"]"#, "", true),
        (acq, r#""args":["b"]"#, "", false),
        (acq, r#""k":"a""#, "", true),
        (acq, r#""k":"b""#, "", false),
        (acq, r#""who":"b""#, "fields = { k = \"who\" }\n", false),
        (acq, r#""args":["a"]"#, "action = \"Acq\"\n", true),
        (acq, r#""args":["b"]"#, "action = \"Acq\"\n", false),
        (acq, r#""args":["a"]"#, "action = \"Rel\"\n", false),
        // The line that is joined says something else than the line that joins it.
        (
            r#"{"node":"a","event":"Acq","state":{"lock":"b"}}"#,
            r#""state":{"lock":"a"}"#,
            "",
            false,
        ),
        (
            r#"{"node":"a","event":"Acq","vars":{"lock":[{"op":"Update","args":["b"]}]}}"#,
            r#""vars":{"lock":[{"op":"Update","args":["a"]}]}"#,
            "",
            false,
        ),
        (
            r#"{"node":"a","event":"Acq","vars":{"lock":[{"op":"Unchanged"}]}}"#,
            r#""state":{"lock":"a"}"#,
            "",
            false,
        ),
        // Changes add up.
        (
            r#"{"node":"a","event":"Cast","vars":{"msgs":[{"op":"AddElement","args":[{"to":"a","v":1}]}],"n":[{"op":"Add","args":[1]}]}}"#,
            r#""vars":{"msgs":[{"op":"AddElement","args":[{"to":"a","v":2}]}],"n":[{"op":"Add","args":[1]}]}"#,
            "",
            true,
        ),
        (
            r#"{"node":"a","event":"Cast","vars":{"n":[{"op":"Add","args":[2]}]}}"#,
            r#""state":{"n":1}"#,
            "",
            false,
        ),
    ];
    for (first, more, link, is_valid) in cases {
        let log = format!("{first}\n{{\"node\":\"a\",\"event\":\"More\",{more}}}\n");
        let expected = if is_valid {
            Verdict::Valid
        } else {
            Verdict::Violation
        };
        assert_eq!(judged(&format!("{MORE}{link}"), &log).0, expected, "{link}{log}");
    }
}

#[test]
fn an_event_that_joins_and_is_an_action_is_one_of_the_step() {
    let link = "[log.events.Rel]\njoins = true\n";
    let log = |first: &str| {
        format!(
            "{{\"node\":\"a\",\"event\":\"{first}\"}}\n{{\"node\":\"a\",\"event\":\"Rel\",\"args\":[\"a\"]}}\n"
        )
    };
    assert_eq!(judged(link, &log("Acq")).0, Verdict::Violation);
    let any = "{\"node\":\"a\",\"event\":\"Acq\"}\n{\"node\":\"a\"}\n{\"node\":\"a\",\"event\":\"Rel\",\"args\":[\"a\"]}\n";
    assert_eq!(judged(link, any).0, Verdict::Valid);
}

#[test]
fn messages_of_a_joined_line_bind_its_step() {
    let link = |order: &str| format!("[log]\norder = \"{order}\"\n{MORE}");
    // The step of b comes after the last line of a, by the line that joins it, and before the second, by its own.
    let log = r#"{"node":"b","id":"r1","event":"Take","args":["b"]}
{"node":"b","id":"r2","event":"More","receives":"m1"}
{"node":"a","id":"s1","event":"Cast","args":["b"],"sends":"m0"}
{"node":"a","id":"s2","event":"Acq","after":"r1"}
{"node":"a","id":"s3","event":"Rel","sends":"m1"}
"#;
    let (verdict, text) = judged(&link("edges"), log);
    assert_eq!(verdict, Verdict::Violation);
    assert!(text.contains("it comes after lines that come after it"), "{text}");
    let without = log.replace(",\"after\":\"r1\"", "");
    assert_eq!(judged(&link("edges"), &without).0, Verdict::Valid);
    // With its own line alone the step could come before the message is there.
    let late = r#"{"node":"b","event":"Acq","args":["b"]}
{"node":"b","event":"More","receives":"m"}
{"node":"a","event":"Acq","args":["a"]}
{"node":"a","event":"Rel","args":["a"],"sends":"m"}
{"node":"a","event":"Acq","args":["a"],"state":{"lock":"a"}}
"#;
    assert_eq!(judged(&link("edges"), late).0, Verdict::Violation);
    assert_eq!(
        judged(&link("edges"), &late.replace("\"receives\":\"m\"", "\"x\":1")).0,
        Verdict::Violation
    );
    let released = late.replace(
        "\"event\":\"Acq\",\"args\":[\"a\"],\"state\":{\"lock\":\"a\"}",
        "\"event\":\"Cast\"",
    );
    assert_eq!(judged(&link("edges"), &released).0, Verdict::Valid);
}

#[test]
fn a_step_of_several_lines_happened_between_the_first_and_the_last() {
    let log = |first: u32, last: u32, other: u32| {
        format!(
            "{{\"node\":\"a\",\"event\":\"Acq\",\"args\":[\"a\"],\"clock\":{first}}}\n{{\"node\":\"a\",\"event\":\"More\",\"clock\":{last}}}\n\
             {{\"node\":\"b\",\"event\":\"Cast\",\"clock\":{other},\"lock\":[{{\"op\":\"Update\",\"args\":[\"nil\"]}}]}}\n"
        )
    };
    // The other line is a step before the lock was taken.
    assert_eq!(judged(MORE, &log(5, 10, 7)).0, Verdict::Valid);
    assert_eq!(judged(MORE, &log(5, 10, 4)).0, Verdict::Valid);
    assert_eq!(judged(MORE, &log(5, 10, 11)).0, Verdict::Violation);
    assert_eq!(judged(MORE, &log(5, 6, 7)).0, Verdict::Violation);
}

#[test]
fn what_contradicts_joining_is_refused() {
    for entry in ["compose = [\"Acq\"]", "skip = true", "stutters = true"] {
        let error = answers(
            &format!("{MORE}{entry}\n"),
            "{\"node\":\"a\",\"event\":\"Acq\"}\n",
        )[0]
        .error
        .clone();
        let error = error.unwrap_or_default();
        assert!(
            error.contains("[log.events.More]") && error.contains("means nothing"),
            "{entry}: {error}"
        );
    }
}

#[test]
fn a_false_line_is_named_with_its_formula_and_values() {
    let log = "{\"node\":\"a\",\"event\":\"Acq\",\"args\":[\"a\"]}\n{\"node\":\"a\",\"event\":\"More\",\"who\":\"b\"}\n";
    let (_, text) = judged(&format!("{MORE}ensures = \"lock' = line.who\"\n"), log);
    assert!(
        text.contains("log.ndjson:2 (ensures) is false: `lock' = line.who` is false"),
        "{text}"
    );
    let (_, text) = judged(&format!("{MORE}requires = 'lock = line.who'\n"), log);
    assert!(
        text.contains("requires before")
            && text.contains("log.ndjson:2 is false: `lock = line.who` is false: lock = \\\"nil\\\""),
        "{text}"
    );
}
