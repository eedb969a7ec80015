//! What the link file says about lines.

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict, Violation};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

/// Messages in transit, and what each node has received.
const CHANNEL: &str = r#"---- MODULE Channel ----
EXTENDS Naturals, Sequences
CONSTANT Node
VARIABLES msgs, got, term
vars == <<msgs, got, term>>
Init == msgs = {} /\ got = [n \in Node |-> <<>>] /\ term = [n \in Node |-> 0]
Send(n, m, t) == msgs' = msgs \cup {[from |-> n, to |-> m, term |-> t]} /\ UNCHANGED <<got, term>>
Lose == \E m \in msgs : msgs' = msgs \ {m} /\ UNCHANGED <<got, term>>
UpdateTerm(n) == \E m \in msgs : m.to = n /\ m.term > term[n] /\ term' = [term EXCEPT ![n] = m.term] /\ UNCHANGED <<msgs, got>>
Receive(n) == \E m \in msgs : m.to = n /\ m.term = term[n] /\ got' = [got EXCEPT ![n] = Append(@, m.from)] /\ msgs' = msgs \ {m} /\ UNCHANGED term
Next == (\E n, m \in Node, t \in 0..3 : Send(n, m, t)) \/ Lose \/ (\E n \in Node : UpdateTerm(n) \/ Receive(n))
====
"#;

pub(crate) fn evidence(
    module: &str,
    spec: &str,
    link: &str,
    constants: &[(&str, &str)],
    log: &str,
) -> Evidence {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join(format!("{module}.tla"));
    std::fs::write(&path, spec).unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    std::fs::write(&file, log).unwrap_or_else(|error| panic!("{error}"));
    let options = LinkOptions {
        constants: constants
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect(),
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
        ..LinkOptions::default()
    };
    let check = LogCheck::new(&path, options, Limits::default());
    check_log(&check, None, "log.ndjson", &[file], &mut |_| {})
}

fn channel(link: &str, log: &str) -> Evidence {
    evidence("Channel", CHANNEL, link, &[("Node", r#"{"a", "b"}"#)], log)
}

/// The verdict, and the number of explained lines of a rejected log.
fn verdict(evidence: &Evidence) -> (Verdict, Option<u64>) {
    let line = match &evidence.violation {
        Some(Violation::Operation(found)) => Some(found.op.id),
        _ => None,
    };
    assert_eq!(evidence.error, None);
    (evidence.verdict, line)
}

const VALID: (Verdict, Option<u64>) = (Verdict::Valid, None);

fn rejected_after(lines: u64) -> (Verdict, Option<u64>) {
    (Verdict::Violation, Some(lines))
}

#[test]
fn a_line_may_be_several_actions() {
    let log = r#"{"event":"Send","args":["a","b",2]}
{"event":"Receive","args":["b"],"state":{"got":{"a":[],"b":["a"]}}}"#;
    assert_eq!(
        verdict(&channel("", log)),
        rejected_after(1),
        "the term is not updated by Receive"
    );
    let composed = "[log.events.Receive]\ncompose = [\"UpdateTerm?\", \"Receive\"]";
    assert_eq!(verdict(&channel(composed, log)), VALID);
    let twice = r#"{"event":"Send","args":["a","b",0]}
{"event":"Receive","args":["b"]}"#;
    assert_eq!(
        verdict(&channel(composed, twice)),
        VALID,
        "an optional action may be left out"
    );
    let needed = "[log.events.Receive]\ncompose = [\"UpdateTerm\", \"Receive\"]";
    assert_eq!(
        verdict(&channel(needed, twice)),
        rejected_after(1),
        "without a question mark it may not"
    );
}

#[test]
fn hidden_actions_happen_between_lines_up_to_their_bound_and_where_they_may() {
    let log = r#"{"event":"Send","args":["a","b",0]}
{"event":"Send","args":["b","a",0]}
{"event":"Lost","state":{"msgs":[]}}"#;
    let link = |bound: u32, when: &str| {
        format!("[log]\nstuttering = [\"Lost\"]\n[[log.hidden]]\naction = \"Lose\"\nbound = {bound}\n{when}")
    };
    assert_eq!(verdict(&channel(&link(2, ""), log)), VALID);
    assert_eq!(
        verdict(&channel(&link(1, ""), log)),
        VALID,
        "one before each of two lines is enough"
    );
    let when = "when = 'line.event = \"Lost\"'";
    assert_eq!(verdict(&channel(&link(1, when), log)), rejected_after(2));
    assert_eq!(verdict(&channel(&link(2, when), log)), VALID);
}

#[test]
fn formulas_match_messages_and_are_steps_of_the_spec() {
    let log = r#"{"event":"Send","args":["a","b",0]}
{"event":"recv","at":"b","from":"a"}"#;
    let link = |formula: &str| format!("[log.events.recv]\naction = '''{formula}'''");
    let matching = r"Receive(line.at) /\ \E m \in msgs : m.from = line.from /\ m \notin msgs'";
    assert_eq!(verdict(&channel(&link(matching), log)), VALID);
    let wrong = r"Receive(line.at) /\ \E m \in msgs : m.from = line.at /\ m \notin msgs'";
    assert_eq!(verdict(&channel(&link(wrong), log)), rejected_after(1));
    let no_step = r#"msgs' = {} /\ got' = [got EXCEPT ![line.at] = <<"x">>] /\ UNCHANGED term"#;
    assert_eq!(
        verdict(&channel(&link(no_step), log)),
        rejected_after(1),
        "Next does not allow it"
    );
}

#[test]
fn conditions_before_and_after_read_fields() {
    let log = r#"{"event":"Send","args":["a","b",0]}
{"event":"Receive","args":["b"],"before":0,"after":1}"#;
    let link = |requires: &str, ensures: &str| {
        format!("[log.events.Receive]\nrequires = '''{requires}'''\nensures = '''{ensures}'''")
    };
    let (before, after) = ("Len(got[\"b\"]) = line.before", "Len(got'[\"b\"]) = line.after");
    assert_eq!(verdict(&channel(&link(before, after), log)), VALID);
    assert_eq!(
        verdict(&channel(&link("Len(got[\"b\"]) = 1", after), log)),
        rejected_after(1)
    );
    assert_eq!(
        verdict(&channel(&link(before, "Len(got'[\"b\"]) = 2"), log)),
        rejected_after(1)
    );
}

#[test]
fn lines_are_skipped_by_name_and_by_rule() {
    let log = r#"{"event":"Send","args":["a","b",0],"node":"a"}
{"event":"Ping","node":"a"}
{"event":"Send","args":["a","b",9],"node":"a","resent":true}
{"event":"Receive","args":["b"],"node":"b"}"#;
    let link = "[log]\nskip = [\"Ping\"]\nskip_when = '''\"resent\" \\in DOMAIN line /\\ previous # <<>> /\\ previous.event = \"Ping\"'''";
    assert_eq!(verdict(&channel(link, log)), VALID);
    let evidence = channel("[log]\nskip = [\"Ping\"]", log);
    assert_eq!(verdict(&evidence), rejected_after(1), "9 is no term");
}

#[test]
fn several_lines_may_be_one_action() {
    let log = r#"{"event":"Send","args":["a","b",0],"node":"a"}
{"event":"Receive","args":["b"],"node":"b"}
{"event":"stored","node":"b","vars":{"got":[{"op":"AppendElement","path":["b"],"args":["a"]}]}}"#;
    let link = "[log.events.stored]\njoins = true";
    assert_eq!(verdict(&channel(link, log)), VALID);
    let wrong = log.replace(r#""args":["a"]}"#, r#""args":["b"]}"#);
    assert_eq!(
        verdict(&channel(link, &wrong)),
        rejected_after(1),
        "the first line has the updates of the second"
    );
}

#[test]
fn constants_and_the_initial_state_come_from_the_first_lines() {
    let link = r"[log]
header = 1
init = 'lines[1].start = 0'
[log.constants]
Node = '{lines[1].nodes[i] : i \in DOMAIN lines[1].nodes}'
";
    let log = |start: u32| {
        format!(
            "{{\"nodes\":[\"x\",\"y\"],\"start\":{start}}}\n{{\"event\":\"Send\",\"args\":[\"x\",\"y\",1]}}"
        )
    };
    assert_eq!(verdict(&evidence("Channel", CHANNEL, link, &[], &log(0))), VALID);
    let none = evidence("Channel", CHANNEL, link, &[], &log(1));
    assert!(
        none.error
            .as_deref()
            .is_some_and(|error| error.contains("no state satisfies")),
        "{none:?}"
    );
}

#[test]
fn values_mean_what_the_table_says() {
    let spec = r#"---- MODULE Roles ----
CONSTANTS Follower, Leader, Nil
VARIABLES role, vote
Init == role = Follower /\ vote = Nil
Win(v) == role' = Leader /\ vote' = v
Next == \E v \in {"a", "b"} : Win(v)
===="#;
    let models = [("Follower", "Follower"), ("Leader", "Leader"), ("Nil", "Nil")];
    let log = |role: &str| format!("{{\"event\":\"Win\",\"state\":{{\"role\":{role},\"vote\":\"a\"}}}}");
    let link = "[log.values]\n'\"StateLeader\"' = \"Leader\"\nnull = \"Nil\"";
    assert_eq!(
        verdict(&evidence("Roles", spec, link, &models, &log("\"StateLeader\""))),
        VALID
    );
    assert_eq!(
        verdict(&evidence("Roles", spec, link, &models, &log("\"Leader\""))),
        VALID,
        "a model value by its name"
    );
    assert_eq!(
        verdict(&evidence("Roles", spec, link, &models, &log("null"))),
        rejected_after(0)
    );
    let without = evidence("Roles", spec, "", &models, &log("null"));
    assert!(
        without
            .error
            .as_deref()
            .is_some_and(|error| error.contains("null has no meaning")),
        "{without:?}"
    );
}

#[test]
fn failure_lines_reject() {
    let log = r#"{"event":"Send","args":["a","b",0]}
{"event":"__exception"}"#;
    assert_eq!(verdict(&channel("", log)), rejected_after(1));
    let by_rule = "[log]\nfail_when = '''\"level\" \\in DOMAIN line /\\ line.level = \"fatal\"'''";
    let log = r#"{"event":"Send","args":["a","b",0],"level":"fatal"}"#;
    assert_eq!(verdict(&channel(by_rule, log)), rejected_after(0));
}

#[test]
fn tracked_variables_are_unchanged_where_they_are_not_mentioned() {
    let log = r#"{"vars":{"msgs":[{"op":"AddElement","args":[{"from":"a","to":"b","term":0}]}]}}
{"vars":{"msgs":[{"op":"Clear"}]}}"#;
    assert_eq!(verdict(&channel("", log)), VALID, "it may be received or lost");
    let both = "[log]\ntracked = [\"msgs\", \"got\", \"term\"]";
    assert_eq!(verdict(&channel(both, log)), VALID, "it may still be lost");
    let step = r#"{"vars":{"msgs":[{"op":"AddElement","args":[{"from":"a","to":"b","term":0}]}]}}
{"vars":{"got":[{"op":"AppendElement","path":["b"],"args":["a"]}]}}"#;
    assert_eq!(verdict(&channel("", step)), VALID);
    assert_eq!(
        verdict(&channel(both, step)),
        rejected_after(1),
        "receiving removes a message, too"
    );
}

#[test]
fn invariants_hold_in_every_state_of_an_explanation() {
    let log = r#"{"event":"Send","args":["a","b",0]}
{}
{"event":"Send","args":["b","a",0]}"#;
    assert_eq!(verdict(&channel("", log)), VALID);
    let evidence = channel(
        "invariants = ['Len(got[\"b\"]) < 1 /\\ term[\"b\"] = 0 /\\ msgs # {}']\n",
        log,
    );
    assert_eq!(
        verdict(&evidence),
        rejected_after(0),
        "the initial state has no messages"
    );
}

#[test]
fn operators_may_have_other_definitions_for_logs() {
    let spec = r#"---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Step == 1
Init == x = 0
Add == x' = x + Step
Next == Add
===="#;
    let log = r#"{"event":"Add","state":{"x":5}}"#;
    assert_eq!(
        verdict(&evidence("Counter", spec, "", &[], log)),
        rejected_after(0)
    );
    let link = "[log.overrides]\nStep = \"5\"";
    assert_eq!(verdict(&evidence("Counter", spec, link, &[], log)), VALID);
}

/// Two values of one function change in one step.
const PAIR: &str = r#"---- MODULE Pair ----
VARIABLE x
Init == x = [a |-> 0, b |-> 0]
Set(v) == x' = [a |-> v, b |-> v]
Next == \E v \in {1, 2} : Set(v)
====
"#;

#[test]
fn lines_of_one_step_may_update_the_same_variable() {
    let log = |b: u8| {
        format!(
            r#"{{"node":"n","event":"Set","vars":{{"x":[{{"op":"Update","path":["a"],"args":[1]}}]}}}}
{{"node":"n","event":"more","vars":{{"x":[{{"op":"Update","path":["b"],"args":[{b}]}}]}}}}"#
        )
    };
    let link = "[log.events.more]\njoins = true";
    assert_eq!(evidence("Pair", PAIR, link, &[], &log(1)).verdict, Verdict::Valid);
    assert_eq!(
        evidence("Pair", PAIR, link, &[], &log(2)).verdict,
        Verdict::Violation
    );
}

#[test]
fn a_state_that_contradicts_the_updates_of_its_line_is_no_explanation() {
    let log = |a: u8| {
        let updates = r#"[{"op":"Update","args":[{"a":1,"b":1}]}]"#;
        format!(r#"{{"event":"Set","vars":{{"x":{updates}}},"state":{{"x":{{"a":{a},"b":{a}}}}}}}"#)
    };
    assert_eq!(evidence("Pair", PAIR, "", &[], &log(1)).verdict, Verdict::Valid);
    let refused = evidence("Pair", PAIR, "", &[], &log(2));
    assert_eq!(refused.verdict, Verdict::Violation);
    let text = format!("{refused:?}");
    assert!(text.contains("its updates make it"), "{text}");
}

/// "Nothing" is a string, where another action assigns a record: the two cannot be compared.
const MAILBOX: &str = r#"---- MODULE Mailbox ----
EXTENDS Naturals
VARIABLES letter, count, has
Init == letter = "none" /\ count = 0 /\ has = FALSE
Put(n) == ~has /\ letter' = [number |-> n] /\ count' = n /\ has' = TRUE
Take == has /\ has' = FALSE /\ letter' = "none" /\ UNCHANGED count
Reset == letter' = "none" /\ count' = 0 /\ has' = FALSE
Next == (\E n \in 1..3 : Put(n)) \/ Take \/ Reset
====
"#;

#[test]
fn a_next_value_that_cannot_be_compared_with_what_another_action_assigns_is_not_an_error() {
    let link = r#"[log.events.empty]
action = "Take \\/ Reset"
[log.events.fill]
action = '\E n \in 1..3 : Put(n)'
[log.events.change]
action = '(\E n \in 1..3 : Put(n)) \/ Reset'
"#;
    let read = |log: &str| evidence("Mailbox", MAILBOX, link, &[], log);
    let full = r#"{"event":"fill"}
{"event":"empty"}
{"event":"fill","state":{"count":2}}
{"event":"empty","state":{"letter":"none"}}
{"event":"Reset","state":{"letter":"none"}}
{"event":"change","state":{"letter":"none"}}
{"state":{"letter":"none"}}
{"event":"empty","state":{"letter":"none","count":0}}
"#;
    assert_eq!(verdict(&read(full)), (Verdict::Valid, None));
    let wrong = full.replace(r#""count":0"#, r#""count":1"#);
    assert_eq!(verdict(&read(&wrong)), rejected_after(7));
    let twice = full.replace(r#"{"event":"empty"}"#, r#"{"event":"fill"}"#);
    assert_eq!(read(&twice).verdict, Verdict::Violation);
}
