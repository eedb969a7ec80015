//! Shapes that people's logs have: lines that are states, states before the step, conditions on every line.

use omnilink_engine::Limits;
use omnilink_evidence::{Confirmation, Evidence, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

const PAIR: &str = r#"---- MODULE Pair ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = [a |-> 0, b |-> 0]
Inc == x' = x + 1 /\ UNCHANGED y
Set(k) == y' = [y EXCEPT ![k] = x] /\ UNCHANGED x
Next == Inc \/ \E k \in {"a", "b"} : Set(k)
====
"#;

fn answers(link: &str, log: &str) -> [Evidence; 3] {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let spec = folder.path().join("Pair.tla");
    std::fs::write(&spec, PAIR).unwrap_or_else(|error| panic!("{error}"));
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

fn verdict(link: &str, log: &str) -> Verdict {
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
    let reasons = found[0].vacuity.iter().flatten();
    let reasons: Vec<&str> = reasons.map(|reason| reason.message.as_str()).collect();
    assert_eq!(reasons, [] as [&str; 0], "{link}\n{log}");
    found[0].verdict
}

#[test]
fn a_line_may_be_a_state_or_have_one_anywhere() {
    let line = "[log]\nstate = \".\"\n";
    assert_eq!(
        verdict(line, "{\"x\":1}\n{\"x\":1,\"y\":{\"a\":1,\"b\":0}}\n"),
        Verdict::Valid
    );
    assert_eq!(
        verdict(line, "{\"x\":1}\n{\"x\":1,\"y\":{\"a\":2,\"b\":0}}\n"),
        Verdict::Violation
    );
    assert_eq!(
        verdict(line, "{\"node\":\"n\",\"event\":\"Inc\",\"x\":1}\n"),
        Verdict::Valid
    );
    assert_eq!(
        verdict(line, "{\"node\":\"n\",\"event\":\"Inc\",\"x\":2}\n"),
        Verdict::Violation
    );
    let nested = "[log]\nevent = \"e.name\"\nstate = \"e.after\"\nstate_before = \"e.before\"\n";
    let log = |before: u32, after: u32| {
        format!("{{\"e\":{{\"name\":\"Inc\",\"before\":{{\"x\":{before}}},\"after\":{{\"x\":{after}}}}}}}\n")
    };
    assert_eq!(verdict(nested, &log(0, 1)), Verdict::Valid);
    assert_eq!(verdict(nested, &log(0, 2)), Verdict::Violation);
    assert_eq!(verdict(nested, &log(1, 1)), Verdict::Violation);
    let before = "[log]\nstate_before = \".\"\n";
    assert_eq!(
        verdict(
            before,
            "{\"event\":\"Inc\",\"x\":0}\n{\"event\":\"Set\",\"args\":[\"b\"],\"x\":0}\n"
        ),
        Verdict::Violation
    );
    assert_eq!(
        verdict(
            before,
            "{\"x\":0,\"event\":\"Inc\"}\n{\"event\":\"Set\",\"args\":[\"b\"],\"x\":1}\n"
        ),
        Verdict::Valid
    );
    let renamed = "[log]\nstate = \".\"\nvariables = { count = \"x\" }\n";
    assert_eq!(verdict(renamed, "{\"count\":1}\n"), Verdict::Valid);
    assert_eq!(
        verdict(renamed, "{\"event\":\"Inc\",\"count\":2}\n"),
        Verdict::Violation
    );
}

#[test]
fn lines_that_look_like_states_are_told_how_to_be_some() {
    for found in answers("", "{\"x\":1}\n{\"x\":2}\n") {
        let error = found.error.unwrap_or_default();
        assert!(
            error.contains("log.ndjson:1") && error.contains("state = \".\""),
            "{error}"
        );
    }
    assert_eq!(
        answers("[log]\nignore_fields = [\"x\"]\n", "{\"x\":1}\n")[0].error,
        None
    );
}

#[test]
fn what_holds_for_every_line_is_said_once() {
    let link = "[log]\nrequires = 'line.old = x'\nensures = \"x' = line.new\"\n[log.events.Go]\naction = \"Inc\"\nensures = \"y' = y\"\n";
    let line =
        |event: &str, old: u32, new: u32| format!("{{\"node\":\"n\",{event}\"old\":{old},\"new\":{new}}}\n");
    let go = "\"event\":\"Go\",";
    for event in ["\"event\":\"Inc\",", go, ""] {
        assert_eq!(
            verdict(link, &(line(go, 0, 1) + &line(event, 1, 2))),
            Verdict::Valid,
            "{event}"
        );
        assert_eq!(
            verdict(link, &(line(go, 0, 1) + &line(event, 0, 2))),
            Verdict::Violation,
            "{event}"
        );
        assert_eq!(
            verdict(link, &(line(go, 0, 1) + &line(event, 1, 3))),
            Verdict::Violation,
            "{event}"
        );
    }
    let link = &link.replace("[log]\n", "[log]\nstuttering = [\"Idle\"]\n");
    let idle = "\"event\":\"Idle\",";
    assert_eq!(
        verdict(link, &(line(go, 0, 1) + &line(idle, 1, 1))),
        Verdict::Valid
    );
    assert_eq!(
        verdict(link, &(line(go, 0, 1) + &line(idle, 1, 2))),
        Verdict::Violation
    );
}

#[test]
fn a_hidden_action_is_needed_where_every_line_asks_for_what_it_takes() {
    // Losing helps only because the condition on every line asks whether the queue is empty.
    let spec = r#"---- MODULE Pair ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = {}
Inc == x' = x + 1 /\ y' = y \cup {x}
Lose == \E m \in y : y' = y \ {m} /\ UNCHANGED x
Next == Inc \/ Lose
====
"#;
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("Pair.tla");
    std::fs::write(&path, spec).unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    let log = "{\"node\":\"n\",\"event\":\"Inc\"}\n";
    std::fs::write(&file, log.repeat(2)).unwrap_or_else(|error| panic!("{error}"));
    for (hidden, expected) in [
        ("", Verdict::Violation),
        ("[[log.hidden]]\naction = \"Lose\"\n", Verdict::Valid),
    ] {
        let link = format!("[log]\nrequires = 'y = {{}}'\n{hidden}");
        let options = LinkOptions {
            file: LinkFile::parse(&link).unwrap_or_else(|error| panic!("{error}")),
            ..LinkOptions::default()
        };
        let check = LogCheck::new(&path, options, Limits::default());
        let found = check_log(&check, None, "log", std::slice::from_ref(&file), &mut |_| {});
        assert_eq!((found.verdict, found.error), (expected, None), "{link}");
    }
}
