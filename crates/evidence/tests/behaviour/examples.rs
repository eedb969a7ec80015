//! The examples of `docs/evidence.md` are evidence: each is read, and written again as it stands.

use std::collections::BTreeSet;
use std::path::Path;

use omnilink_evidence::{
    Command, Decider, Evidence, FailureNeed, Limit, PlainAccesses, PropertyKind, RunMemory, ScheduleEnding,
    Subject, Violation,
};

fn examples() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence.md");
    let page = std::fs::read_to_string(path).unwrap();
    page.lines()
        .filter(|line| line.starts_with("{\"evidence\":1,"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_example_is_read_and_written_again_as_it_stands() {
    for example in examples() {
        assert_eq!(Evidence::from_json(&example).unwrap().to_json(), example);
    }
}

#[test]
fn there_is_an_example_of_every_subject_verdict_and_kind_of_violation() {
    let examples: Vec<Evidence> = examples()
        .iter()
        .map(|example| Evidence::from_json(example).unwrap())
        .collect();
    let subjects: BTreeSet<String> = examples
        .iter()
        .map(|example| format!("{:?}", example.subject))
        .collect();
    let verdicts: BTreeSet<&str> = examples.iter().map(|example| example.verdict.word()).collect();
    let kind = |violation: &Violation| match violation {
        Violation::Operation(_) => "operation",
        Violation::Visibility(_) => "visibility",
        Violation::Transactions(_) => "transactions",
        Violation::Behaviour(_) => "behaviour",
        Violation::Run(_) => "run",
        Violation::Nondeterminism(_) => "nondeterminism",
        Violation::Test(_) => "test",
    };
    let kinds: BTreeSet<&str> = examples
        .iter()
        .filter_map(|example| example.violation.as_ref())
        .map(kind)
        .collect();
    assert_eq!(subjects.len(), 8, "{subjects:?}");
    assert_eq!(verdicts.len(), 4, "{verdicts:?}");
    assert_eq!(kinds.len(), 7, "{kinds:?}");
}

/// The examples with a field, in each of which it has this word instead of its own.
fn with_word(field: &str, word: &str) -> Vec<String> {
    let begin = format!("\"{field}\":\"");
    let with_word = |example: &String| {
        let (before, after) = example.split_once(&begin)?;
        let (_, after) = after.split_once('"')?;
        Some(format!("{before}\"{field}\":{word}{after}"))
    };
    examples().iter().filter_map(with_word).collect()
}

#[test]
fn every_word_that_is_written_is_read() {
    use serde_json::to_string as json;
    let words = |field: &str, words: Vec<String>| {
        for word in words {
            let examples = with_word(field, &word);
            assert!(!examples.is_empty(), "no example has {field}");
            for example in examples {
                assert_eq!(Evidence::from_json(&example).unwrap().to_json(), example);
            }
        }
    };
    macro_rules! words {
        ($field:literal: $kind:ident { $($variant:ident)* }) => {
            words($field, vec![$(json(&$kind::$variant).unwrap()),*])
        };
    }
    words!("command": Command { Check Validate Mc Lineup Test Drive });
    words!("subject": Subject { Operations Log Visibility Transactions Levels States Runs Test System });
    words!("decided_by": Decider { Sweep DepthFirst ProgramOrder Monitor Plain });
    words!("limit": Limit {
        Time Memory Configurations Interrupt Operations Behaviours Depth Unchecked Inconclusive
    });
    words!("kind": PropertyKind {
        Invariant Property Deadlock Assert Assumption Postcondition Incomplete Replay Driven Evaluation
    });
    words!("needs": FailureNeed { Interleaving Environment NoPreemption Nothing Uncontrolled Unknown });
    words!("ending": ScheduleEnding { Finished Stuck Crashed Cut Diverged });
    words!("memory_model": RunMemory { SequentiallyConsistent Cpp20 Processor });
    words!("plain_accesses": PlainAccesses { All Racing None });
}

#[test]
fn what_is_wrong_with_evidence_is_said_with_its_place() {
    let right = Evidence::new(Command::Check, Subject::Operations, "trace").to_json();
    let message = |text: &str| Evidence::from_json(text).unwrap_err().to_string();
    let wrong = |from: &str, to: &str| message(&right.replacen(from, to, 1));
    for (said, expected) in [
        (
            message(""),
            "the text ends here, but a value should follow at line 1 column 1;",
        ),
        (message(" {}"), "missing field `evidence` at line 1 column 2;"),
        (
            message("[1]"),
            "expected an object, found '[' at line 1 column 1;",
        ),
        (message(&right[..right.len() - 1]), "the text ends here"),
        (message("{\"evidence\":7}"), "this is evidence of version 7"),
        (
            wrong("\"check\"", "\"chek\""),
            "unknown word `chek`, expected one of `check`, `validate`",
        ),
        (
            wrong("\"check\"", "3"),
            "expected a string, found '3' at line 1 column 25;",
        ),
        (wrong("\"ops\":0", "\"ops\":-1"), "found -1 at line 1"),
        (wrong("\"ops\":0", "\"ops\":1.5"), "found 1.5 at line 1"),
        (wrong("\"ops\":0", "\"ops\":0,\"ops\":1"), "duplicate field `ops`"),
        (
            wrong("\"notes\":[]", "\"notes\":[1]"),
            "expected a string, found '1'",
        ),
        (wrong(",\"notes\":[]", ""), "missing field `notes`"),
        (wrong("\"notes\":[]", "\n\"notes\":[] x"), "at line 2 column 12;"),
    ] {
        assert!(said.contains(expected), "{said}");
    }
    assert!(Evidence::from_json(&right.replacen("{", "{\"later\":{\"a\":[1]},", 1)).is_ok());
}
