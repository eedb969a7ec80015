//! Bad input is an error that says where, what and what to do; a log that says nothing is no proof.

use omnilink_evidence::{Evidence, Verdict};

use crate::link_file::evidence;

const QUEUE: &str = r#"---- MODULE Queue ----
EXTENDS Sequences, Naturals
VARIABLES queue, seen
Init == queue = <<>> /\ seen = [n \in {0, 2} |-> {}]
Put(x) == queue' = Append(queue, x) /\ UNCHANGED seen
Take == queue # <<>> /\ queue' = Tail(queue) /\ seen' = [seen EXCEPT ![0] = @ \cup {Head(queue)}]
Next == (\E x \in 1..3 : Put(x)) \/ Take
===="#;

fn queue(log: &str) -> Evidence {
    evidence("Queue", QUEUE, "", &[], log)
}

#[test]
fn mistakes_are_named_with_their_place() {
    let cases = [
        (
            r#"{"event":"Put","args":[1]}"#.to_owned() + "\n{oops",
            "log.ndjson:2: this is no JSON",
        ),
        ("[1]".to_owned(), "log.ndjson:1: this is no JSON object"),
        (
            r#"{"event":"Putt"}"#.to_owned(),
            "has no action `Putt`; it has Put, Take",
        ),
        (
            r#"{"event":"Put","args":[1,2]}"#.to_owned(),
            "has 2 arguments, but the action Put(x) takes 1",
        ),
        (
            r#"{"event":"Put","args":{"y":1}}"#.to_owned(),
            "has no parameter `y`",
        ),
        (
            r#"{"vars":{"que":[{"op":"Clear"}]}}"#.to_owned(),
            "has no variable `que`; it has queue, seen",
        ),
        (
            r#"{"queue":[{"op":"Push","args":[1]}]}"#.to_owned(),
            "there is no operator \"Push\"; there are Init",
        ),
        (
            r#"{"queue":[{"op":"AppendElement"}]}"#.to_owned(),
            "AppendElement takes 1 argument, not 0",
        ),
        (
            r#"{"seen":[{"op":"AddElement","path":["3"],"args":[1]}]}"#.to_owned(),
            "the path [3] leads nowhere",
        ),
        (
            r#"{"queue":[{"op":"AddElement","args":[1]}]}"#.to_owned(),
            "AddElement does not apply to <<>>: it needs a set",
        ),
        (
            r#"{"queue":[{"op":"AppendElement","pfad":[],"args":[1]}]}"#.to_owned(),
            "an update has no field \"pfad\"",
        ),
    ];
    for (log, expected) in cases {
        let found = queue(&log);
        assert_eq!(found.verdict, Verdict::Error, "{log}");
        let error = found.error.unwrap_or_default();
        assert!(error.contains(expected), "{log}\n{error}");
    }
}

#[test]
fn logs_that_say_nothing_are_noted() {
    let kinds = |log: &str| -> Vec<String> {
        let found = queue(log);
        assert_eq!(found.verdict, Verdict::Valid, "{:?}", found.error);
        found
            .vacuity
            .into_iter()
            .flatten()
            .map(|reason| reason.kind)
            .collect()
    };
    assert_eq!(kinds(""), ["nothing_placed"]);
    assert_eq!(kinds("{}\n{}"), ["says_nothing"]);
    assert_eq!(kinds(r#"{"event":"Put","size":3}"#), ["unread_field"]);
    assert!(
        kinds(r#"{"event":"Put","x":3,"desc":"for people"}"#).is_empty(),
        "x is the parameter"
    );
}

#[test]
fn a_rejection_names_the_false_conjunct_and_what_would_help() {
    let found = queue("{\"event\":\"Take\"}\n{\"event\":\"Put\",\"x\":1}\n{\"event\":\"Put\",\"x\":2}\n");
    let json = found.to_json();
    assert!(json.contains("`queue # <<>>` is false"), "{json}");
    let log = found.log.expect("it is a log");
    let suspects: Vec<&str> = log.suspects.iter().filter_map(|op| op.place.as_deref()).collect();
    assert!(
        suspects
            .first()
            .is_some_and(|first| first.ends_with("log.ndjson:2")),
        "the line that came too late: {suspects:?}"
    );
    let guesses = log.guesses;
    assert!(
        guesses
            .iter()
            .any(|guess| guess.contains("accepted if log.ndjson:1 were missing")
                || guess.contains("were missing: Take")),
        "{guesses:?}"
    );
    assert!(
        guesses
            .iter()
            .any(|guess| guess.contains("log.ndjson:2 came before")),
        "{guesses:?}"
    );
}
