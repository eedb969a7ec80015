//! A model behind a pointer gives the answers, reasons and descriptions of the model itself.

use std::collections::HashMap;

use crate::common::check_text;
use omnilink_engine::{CheckOutcome, Conclusion, Model, Options, TimedOp, check};
use omnilink_models::{AnyModel, Decoded, catalogue};
use omnilink_trace::{OpenOptions, Trace};

/// The verdict on the text behind a pointer.
fn check_behind_pointer(spec: &str, text: &str) -> CheckOutcome {
    let model = AnyModel::from_spec(spec).unwrap();
    let trace = Trace::from_bytes("text", text.as_bytes().to_vec(), &OpenOptions::default()).unwrap();
    let mut threads = HashMap::new();
    let mut history = Vec::new();
    for operation in trace.map(Result::unwrap) {
        let next = threads.len() as u32;
        let thread = *threads.entry(operation.thread.clone()).or_insert(next);
        if let Decoded::Once(op) = model.decode(&operation).unwrap() {
            assert_eq!(model.clone().describe_op(&op), model.describe_op(&op.clone()));
            history.push(TimedOp::new(thread, op, operation.timebox));
        }
    }
    check(&model, history, Options::default()).unwrap()
}

#[test]
fn every_example_is_valid_behind_a_pointer() {
    for entry in catalogue() {
        assert_eq!(AnyModel::from_spec(entry.name).unwrap().entry().name, entry.name);
        let outcome = check_behind_pointer(entry.name, entry.example);
        assert!(outcome.conclusion.is_valid(), "{}", entry.name);
    }
}

#[test]
fn a_violation_has_the_same_evidence_behind_a_pointer() {
    let cases = [
        (
            "register:initial=0",
            r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}
               {"thread":1,"op":"read","ret":0,"start":2,"end":3}"#,
        ),
        (
            "kv",
            r#"{"thread":0,"op":"put","args":{"key":"x","value":"a"},"start":0,"end":1}
               {"thread":1,"op":"append","args":{"key":"x","value":"b"},"start":2,"end":3}
               {"thread":2,"op":"get","args":{"key":"x"},"ret":"a","start":4,"end":5}"#,
        ),
        (
            "queue",
            r#"{"thread":0,"op":"enqueue","args":{"value":1},"start":0,"end":1}
               {"thread":1,"op":"dequeue","ret":1,"start":2,"end":4}
               {"thread":2,"op":"dequeue","ret":1,"start":3,"end":5}"#,
        ),
    ];
    for (spec, text) in cases {
        let text: String = text.lines().map(|line| format!("{}\n", line.trim())).collect();
        let (plain, hidden) = (
            check_text(spec, &text).unwrap(),
            check_behind_pointer(spec, &text),
        );
        let evidence = |outcome: &CheckOutcome| match &outcome.conclusion {
            Conclusion::Violation(counterexample) => format!("{counterexample:?}"),
            other => panic!("{spec}: {other:?}"),
        };
        assert_eq!(evidence(&plain), evidence(&hidden), "{spec}");
    }
}
