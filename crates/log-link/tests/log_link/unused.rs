//! Nothing is ignored in silence: entries without effect, fields at any depth that nothing reads, groups that nothing uses.

use std::sync::Arc;

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_extract::ExtractionRules;
use omnilink_log_link::{LogCheck, check_log};

const LOCK: &str = r#"---- MODULE Lock ----
EXTENDS Naturals
VARIABLES lock, n
Node == {"a", "b"}
Init == lock = "nil" /\ n = 0
Acq(k) == lock = "nil" /\ lock' = k /\ UNCHANGED n
Rel(k) == lock = k /\ lock' = "nil" /\ UNCHANGED n
Tick == n' = n + 1 /\ UNCHANGED lock
Next == Tick \/ \E k \in Node : Acq(k) \/ Rel(k)
====
"#;

fn answer(link: &str, rules: Option<&str>, log: &str) -> Evidence {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let spec = folder.path().join("Lock.tla");
    std::fs::write(&spec, LOCK).unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("run.log");
    std::fs::write(&file, log).unwrap_or_else(|error| panic!("{error}"));
    let options = LinkOptions {
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}\n{link}")),
        ..LinkOptions::default()
    };
    let mut check = LogCheck::new(&spec, options, Limits::default());
    let rules = rules.map(|rules| ExtractionRules::parse(rules, "rules.toml"));
    let rules = rules.transpose().unwrap_or_else(|error| panic!("{error}"));
    check.extraction = rules.map(Arc::new);
    check_log(&check, None, "log", &[file], &mut |_| {})
}

/// What is told about a valid log.
fn told(link: &str, log: &str) -> Vec<String> {
    let found = answer(link, None, log);
    assert_eq!(
        (found.verdict, &found.error),
        (Verdict::Valid, &None),
        "{link}\n{log}"
    );
    let reasons = found.vacuity.into_iter().flatten();
    reasons
        .map(|reason| format!("{}: {}", reason.kind, reason.message))
        .collect()
}

const ACQ: &str =
    "{\"node\":\"a\",\"event\":\"Acq\",\"args\":[\"a\"],\"level\":\"INFO\",\"state\":{\"lock\":\"a\"}}\n";

#[test]
fn an_entry_that_had_no_effect_is_told() {
    let quiet = "[log]\nignore_fields = [\"level\"]\n";
    assert_eq!(told(quiet, ACQ), [] as [&str; 0]);
    for (entry, what) in [
        (
            "[log.events.Rel]\nrequires = \"FALSE\"\nensures = \"FALSE\"\n",
            "log.events.Rel had no effect",
        ),
        (
            "[log.events.Acq]\nfields = { k = \"whoo\" }\n",
            "log.events.Acq.fields.k had no effect",
        ),
        (
            "[log.values]\n'\"zzz\"' = '\"b\"'\n",
            "had no effect: no line has this value",
        ),
        (
            "[log.variables]\nlok = \"lock\"\n",
            "log.variables.lok had no effect",
        ),
        (
            "[[log.hidden]]\naction = \"Rel\"\n",
            "log.hidden[1].action had no effect",
        ),
        (
            "[ops.Acq]\nrequires = \"FALSE\"\n",
            "ops.Acq.requires had no effect: it is about traces of operations",
        ),
        ("[tags]\nlost = \"TRUE\"\n", "tags.lost had no effect"),
        ("[collect]\nKeys = [\"key\"]\n", "collect.Keys"),
    ] {
        let found = told(&format!("{quiet}{entry}"), ACQ);
        assert!(
            found
                .iter()
                .any(|one| one.starts_with("unused: ") && one.contains(what)),
            "{entry}: {found:?}"
        );
        let lines: Vec<&String> = found.iter().filter(|one| one.contains("link file:")).collect();
        assert_eq!(lines.len(), found.len(), "{found:?}");
    }
    for (entry, what) in [
        (
            "skip = [\"Ping\"]",
            "log.skip = \"Ping\" had no effect: no line has this event",
        ),
        ("stuttering = [\"Nop\"]", "log.stuttering = \"Nop\" had no effect"),
        (
            "ignore_fields = [\"level\", \"lvl\"]",
            "log.ignore_fields = \"lvl\" had no effect",
        ),
        (
            "args = \"parameters\"",
            "log.args had no effect: no line has this field",
        ),
        ("clock_unit = \"ms\"", "log.clock_unit had no effect"),
    ] {
        let link = format!(
            "[log]\n{entry}\n{}",
            if entry.contains("level") {
                ""
            } else {
                "ignore_fields = [\"level\"]\n"
            }
        );
        let found = told(&link, ACQ);
        assert!(found.iter().any(|one| one.contains(what)), "{entry}: {found:?}");
    }
}

#[test]
fn an_entry_that_had_an_effect_is_not_told() {
    let log = format!(
        "{ACQ}{}",
        r#"{"node":"a","event":"Ping"}
{"node":"a","event":"Idle","who":"A","level":"INFO"}
{"node":"a","event":"Let","level":"INFO","vs":[{"op":"Update","args":["nil"]}],"to":"A"}
{"node":"a","event":"Acq","args":["A"],"level":"INFO"}
"#
    );
    let link = r#"
invariants = ["n < 5"]
[log]
ignore_fields = ["level", "who"]
skip = ["Ping"]
stuttering = ["Idle"]
failure = ["Panic"]
only = 'line.node = "a"'
fail_when = '"panic" \in DOMAIN line'
order = "lines"
variables = { vs = "lock" }
values = { '"A"' = '"a"' }
[log.events.Let]
action = "Rel"
fields = { k = "to" }
[log.events.Acq]
ensures = "lock' = line.args[1]"
[[log.hidden]]
action = "Tick"
"#;
    assert_eq!(told(link, &log), [] as [&str; 0]);
}

#[test]
fn a_part_of_a_field_that_nothing_reads_is_told() {
    let log = r#"{"node":"a","event":{"name":"Acq","args":["a"],"state":{"lock":"b"}}}
"#;
    let link = "[log]\nevent = \"event.name\"\nargs = \"event.args\"\n";
    let found = told(link, log);
    assert!(
        found
            .iter()
            .any(|one| one.contains("nothing reads the field \"event.state\"")),
        "{found:?}"
    );
    let read = format!("{link}[log.events.Acq]\nensures = 'line.event.state.lock # \"nil\"'\n");
    assert_eq!(told(&read, log), [] as [&str; 0]);
    let other = format!("{link}[log.events.Acq]\nensures = 'line.event.state.n = 1'\n");
    let log = log.replace("\"lock\":\"b\"", "\"n\":1,\"m\":2");
    let found = told(&other, &log);
    assert!(
        found.iter().any(|one| one.contains("\"event.state.m\"")),
        "{found:?}"
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        told(&format!("{link}ignore_fields = [\"event.state\"]\n"), &log),
        [] as [&str; 0]
    );
}

#[test]
fn groups_that_nothing_uses_and_lines_without_a_rule_are_told() {
    let rules = "format = \"text\"\n[[event]]\nname = \"Acq\"\npattern = '^acq (?<k>\\w+) (?<why>\\w+)'\nargs = [\"{k}\"]\n";
    let found = answer("", Some(rules), "acq a now\nsomething else\n");
    assert_eq!((found.verdict, found.error), (Verdict::Valid, None));
    let reasons: Vec<String> = found
        .vacuity
        .into_iter()
        .flatten()
        .map(|reason| reason.message)
        .collect();
    assert!(
        reasons.iter().any(|reason| reason.contains("captures `why`")),
        "{reasons:?}"
    );
    assert!(
        reasons
            .iter()
            .any(|reason| reason.contains("about 1 line (the first: line 2)")),
        "{reasons:?}"
    );
}

#[test]
fn a_condition_that_has_no_value_is_not_met() {
    for condition in [
        "requires = 'line.foo = 1'",
        "requires = 'line.node[1] = 1'",
        "ensures = \"lock' = line.foo\"",
    ] {
        let found = answer(&format!("[log.events.Acq]\n{condition}\n"), None, ACQ);
        assert_eq!(
            (found.verdict, &found.error),
            (Verdict::Violation, &None),
            "{condition}"
        );
        let text = format!("{found:?}");
        assert!(text.contains("cannot be evaluated"), "{condition}: {text}");
        assert!(
            found
                .confirmation
                .is_some_and(|confirmation| confirmation.is_confirmed()),
            "{condition}"
        );
    }
}

#[test]
fn an_invariant_that_breaks_is_told_apart_from_a_line_that_is_no_step() {
    let tick = "{\"node\":\"a\",\"event\":\"Tick\"}\n";
    let found = answer("invariants = [\"n < 2\"]\n", None, &tick.repeat(2));
    assert_eq!(found.verdict, Verdict::Violation);
    let text = format!("{found:?}");
    assert!(
        text.contains("the step fits, and the invariant n < 2 is false after it: `n < 2` is false: n = 2"),
        "{text}"
    );
    assert!(text.contains("rule: \"the invariant n < 2 is false\""), "{text}");
    // Here the line is no step at all.
    let found = answer(
        "invariants = [\"n < 2\"]\n",
        None,
        "{\"node\":\"a\",\"event\":\"Rel\"}\n",
    );
    assert!(format!("{found:?}").contains("broken: None"));
}
