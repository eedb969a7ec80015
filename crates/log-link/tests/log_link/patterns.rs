//! The patterns of trace specifications that people write by hand, each as a few lines of link file.

use omnilink_evidence::{Evidence, Verdict, Violation};

use crate::link_file::evidence;

/// Nodes send numbered messages through a bag, which loses and duplicates them; nodes crash and restart.
const NETWORK: &str = r#"---- MODULE Network ----
EXTENDS Naturals, Sequences, Bags
CONSTANT Node
VARIABLES bag, up, seen
vars == <<bag, up, seen>>
Init == bag = EmptyBag /\ up = [n \in Node |-> TRUE] /\ seen = [n \in Node |-> {}]
Msg(n, m, k) == [from |-> n, to |-> m, number |-> k]
Send(n, m, k) == up[n] /\ bag' = bag (+) SetToBag({Msg(n, m, k)}) /\ UNCHANGED <<up, seen>>
Receive(n) == \E msg \in BagToSet(bag) :
    /\ up[n] /\ msg.to = n
    /\ bag' = bag (-) SetToBag({msg})
    /\ seen' = [seen EXCEPT ![n] = @ \cup {msg.number}]
    /\ UNCHANGED up
Lose == \E msg \in BagToSet(bag) : bag' = bag (-) SetToBag({msg}) /\ UNCHANGED <<up, seen>>
Duplicate == \E msg \in BagToSet(bag) : bag' = bag (+) SetToBag({msg}) /\ UNCHANGED <<up, seen>>
Crash(n) == up[n] /\ up' = [up EXCEPT ![n] = FALSE] /\ seen' = [seen EXCEPT ![n] = {}] /\ UNCHANGED bag
Restart(n) == ~up[n] /\ up' = [up EXCEPT ![n] = TRUE] /\ UNCHANGED <<bag, seen>>
Next == \/ Lose \/ Duplicate
        \/ \E n \in Node : Receive(n) \/ Crash(n) \/ Restart(n) \/ \E m \in Node, k \in 1..3 : Send(n, m, k)
====
"#;

fn network(link: &str, log: &str) -> Evidence {
    evidence("Network", NETWORK, link, &[("Node", r#"{"a", "b"}"#)], log)
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

fn error(evidence: &Evidence) -> &str {
    assert_eq!(evidence.verdict, Verdict::Error, "{evidence:?}");
    evidence.error.as_deref().unwrap_or_default()
}

#[test]
fn messages_are_matched_by_fields_and_one_less_is_in_the_bag() {
    let log = r#"{"event":"Send","args":["a","b",1]}
{"event":"Send","args":["a","b",2]}
{"event":"got","at":"b","number":2}"#;
    let link = |delta: &str| {
        format!(
            r#"[log.events.got]
action = '''\E msg \in BagToSet(bag) : msg.to = line.at /\ msg.number = line.number /\ {delta} /\ Receive(line.at)'''"#
        )
    };
    let less = "bag' = bag (-) SetToBag({msg})";
    assert_eq!(verdict(&network(&link(less), log)), VALID);
    let more = "bag' = bag (+) SetToBag({msg})";
    assert_eq!(verdict(&network(&link(more), log)), rejected_after(2));
    let other = log.replace(r#""number":2}"#, r#""number":3}"#);
    assert_eq!(verdict(&network(&link(less), &other)), rejected_after(2));
}

#[test]
fn faults_are_hidden_steps_or_part_of_a_line() {
    let log = r#"{"event":"Send","args":["a","b",1]}
{"event":"Receive","args":["b"]}
{"event":"Receive","args":["b"]}"#;
    assert_eq!(verdict(&network("", log)), rejected_after(2), "it was sent once");
    let hidden = "[[log.hidden]]\naction = \"Duplicate\"\nwhen = 'line.event = \"Receive\"'";
    assert_eq!(verdict(&network(hidden, log)), VALID);
    let composed = "[log.events.Receive]\ncompose = [\"Duplicate?\", \"Receive\"]";
    assert_eq!(verdict(&network(composed, log)), VALID);
    let logged = log.replacen(
        r#"{"event":"Receive""#,
        "{\"event\":\"Duplicate\"}\n{\"event\":\"Receive\"",
        1,
    );
    assert_eq!(verdict(&network("", &logged)), VALID, "as an event of its own");
}

#[test]
fn a_crash_is_directed_by_the_line_that_shows_it() {
    let log = r#"{"event":"Send","args":["a","b",1],"node":"a"}
{"event":"Receive","args":["b"],"node":"b"}
{"event":"started","node":"b"}
{"event":"Send","args":["b","a",2],"node":"b","state":{"seen":{"a":[],"b":[]}}}"#;
    let restart = "[log.events.started]\naction = 'Restart(line.node)'\n";
    assert_eq!(
        verdict(&network(restart, log)),
        rejected_after(2),
        "it is still up"
    );
    let crash = |node: &str| {
        format!("{restart}[[log.hidden]]\naction = 'Crash({node})'\nwhen = 'line.event = \"started\"'")
    };
    assert_eq!(verdict(&network(&crash("line.node"), log)), VALID);
    assert_eq!(
        verdict(&network(&crash("\"a\""), log)),
        rejected_after(2),
        "another node crashed"
    );
    let composed = "[log.events.started]\ncompose = ['Crash(line.node)', 'Restart(line.node)']";
    assert_eq!(
        verdict(&network(composed, log)),
        VALID,
        "crash and restart in one line"
    );
}

#[test]
fn hidden_steps_are_directed_by_every_line_that_may_come_next() {
    // Both lines may come next; only that of b is preceded by a crash.
    let log = r#"{"node":"a","clock":{"a":1},"event":"Send","args":["a","b",1]}
{"node":"b","clock":{"b":1},"event":"Restart","args":["b"]}"#;
    let link = "[[log.hidden]]\naction = 'Crash(line.node)'\nwhen = 'line.event = \"Restart\"'";
    assert_eq!(verdict(&network(link, log)), VALID);
    // A step that happened for the sake of one line is followed by that line.
    let link = "invariants = ['up[\"b\"] \\/ bag = EmptyBag']\n".to_owned() + link;
    assert_eq!(verdict(&network(&link, log)), VALID);
    let both = log.replace("\"b\":1}", "\"a\":1,\"b\":1}");
    assert_eq!(verdict(&network(&link, &both)), rejected_after(1));
}

#[test]
fn a_line_that_changes_nothing_may_have_conditions() {
    let log = |number: u32| {
        format!(
            r#"{{"event":"Send","args":["a","b",1]}}
{{"event":"Receive","args":["b"]}}
{{"event":"known","node":"b","number":{number}}}"#
        )
    };
    let link =
        "[log]\nstuttering = [\"known\"]\n[log.events.known]\nrequires = 'line.number \\in seen[line.node]'";
    assert_eq!(verdict(&network(link, &log(1))), VALID);
    assert_eq!(verdict(&network(link, &log(2))), rejected_after(2));
    let with_action = link.to_owned() + "\naction = \"Lose\"";
    assert!(error(&network(&with_action, &log(1))).contains("stuttering has no action"));
}

#[test]
fn a_resent_message_may_change_nothing() {
    let log = r#"{"event":"Send","args":["a","b",1]}
{"event":"Receive","args":["b"]}
{"event":"Receive","args":["b"]}"#;
    let link = "[log.events.Receive]\nstutters = true";
    assert_eq!(verdict(&network(link, log)), VALID);
    let changed = log.to_owned()
        + r#"
{"event":"Receive","args":["b"],"vars":{"seen":[{"op":"AddElement","path":["b"],"args":[3]}]}}"#;
    assert_eq!(
        verdict(&network(link, &changed)),
        rejected_after(3),
        "a line with news changes something"
    );
}

#[test]
fn rules_about_lines_cannot_read_the_state() {
    let found = network("[log]\nskip_when = 'up[\"a\"]'", r#"{"event":"Lose"}"#);
    assert!(
        error(&found).contains("skip_when is decided before the search"),
        "{found:?}"
    );
}

#[test]
fn an_action_is_named_once() {
    let link = "[log.events.Receive]\naction = \"Lose\"\ncompose = [\"Receive\"]";
    assert!(error(&network(link, r#"{"event":"Receive"}"#)).contains("give action or compose, not both"));
}

#[test]
fn one_value_of_the_log_may_stand_for_several() {
    let spec = r#"---- MODULE Members ----
VARIABLE member
Init == member = "joining"
Move(to) == member' = to
Next == \E to \in {"joining", "active", "leaving", "gone"} : Move(to)
===="#;
    let link = r#"[log.values]
'"inside"' = '{"joining", "active"}'
[log.events.moved]
action = '\E to \in line.state : Move(to)'"#;
    let log = |state: &str, after: &str| {
        format!(
            "{{\"event\":\"moved\",\"state\":\"{state}\"}}\n{{\"vars\":{{\"member\":[{{\"op\":\"Unchanged\"}}]}},\"event\":\"Move\",\"args\":[\"{after}\"]}}"
        )
    };
    assert_eq!(
        verdict(&evidence("Members", spec, link, &[], &log("inside", "active"))),
        VALID
    );
    assert_eq!(
        verdict(&evidence("Members", spec, link, &[], &log("inside", "gone"))),
        rejected_after(1)
    );
}

#[test]
fn many_hidden_steps_before_one_line() {
    let spec = r"---- MODULE Ticks ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Tick == x' = x + 1
Show(v) == x = v /\ UNCHANGED x
Next == Tick \/ \E v \in 0..1000 : Show(v)
====";
    let log = r#"{"event":"Show","args":[400]}"#;
    let link =
        |bound: u32| format!("[[log.hidden]]\naction = \"Tick\"\nbound = {bound}\nwhen = 'x < line.args[1]'");
    assert_eq!(verdict(&evidence("Ticks", spec, &link(400), &[], log)), VALID);
    assert_eq!(
        verdict(&evidence("Ticks", spec, &link(399), &[], log)),
        rejected_after(0)
    );
}

#[test]
fn names_of_the_spec_come_before_names_for_lines() {
    let spec = r#"---- MODULE Ring ----
EXTENDS Naturals
VARIABLE node
Init == node = 0
Pass == node' = (node + 1) % 3
Next == Pass
===="#;
    let link = "[log.events.Pass]\nrequires = 'node = line.at'";
    let log = r#"{"event":"Pass","at":0}
{"event":"Pass","at":1}"#;
    assert_eq!(verdict(&evidence("Ring", spec, link, &[], log)), VALID);
}

#[test]
fn explanations_that_end_earlier_are_told() {
    let log = r#"{"event":"Send","args":["a","b",1]}
{"event":"Send","args":["a","b",2]}
{"event":"Receive","args":["b"]}
{"event":"Receive","args":["b"],"state":{"seen":{"a":[],"b":[1,2]}}}
{"event":"Receive","args":["b"]}"#;
    let lossy = "[[log.hidden]]\naction = \"Lose\"";
    let found = network(lossy, log);
    assert_eq!(verdict(&found), rejected_after(4));
    let log = found.log.unwrap_or_default();
    let lines: Vec<u64> = log.endings.iter().map(|ending| ending.lines).collect();
    assert_eq!(lines.first(), Some(&4), "{lines:?}");
    assert!(
        lines.len() > 1 && lines.is_sorted_by(|one, other| one > other),
        "{lines:?}"
    );
    assert!(log.dead_ends > 0);
}
