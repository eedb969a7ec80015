//! Answers that mean little, and expressions that cost much, are told.

use omnilink_engine::{Options, check};
use omnilink_link::{LinkOptions, Linked, TlaModel};
use omnilink_value::Value;

use crate::world::{REGISTER, bound, linked, ndjson, trace};

fn after<T: Send>(linked: &Linked, lines: &str, ask: impl Fn(&TlaModel<'_>) -> T + Send + Sync) -> T {
    linked
        .run(|model| {
            let operations = bound(model, trace(ndjson(lines))).unwrap();
            operations
                .iter()
                .for_each(|operation| model.took(&operation.op, false));
            assert!(
                check(model, operations, Options::default())
                    .unwrap()
                    .verdict
                    .is_valid()
            );
            ask(model)
        })
        .unwrap()
}

#[test]
fn recorded_fields_that_nothing_reads_are_named() {
    let linked = linked(REGISTER, "");
    let unread = after(&linked, r#"0 Write {"value":1,"latency":7} 0 1"#, |model| {
        model.unread_fields()
    });
    assert_eq!(unread, [("Write".to_owned(), "latency".to_owned())]);
}

#[test]
fn a_result_that_no_parameter_takes_is_named_unless_it_is_none() {
    let linked = linked(REGISTER, "");
    let unread = |ret: &str| {
        let line =
            format!(r#"{{"thread":0,"op":"Write","args":{{"value":1}},"ret":{ret},"start":0,"end":1}}"#);
        let ask = |model: &TlaModel<'_>| {
            bound(model, trace(line + "\n")).unwrap();
            model.unread_fields()
        };
        linked.run(ask).unwrap()
    };
    assert_eq!(unread("false"), [("Write".to_owned(), "ret".to_owned())]);
    assert_eq!(unread("null"), []);
}

#[test]
fn parameters_that_the_action_only_hands_around_are_named() {
    let spec = REGISTER.replace(
        "Read(result) == result = x /\\ UNCHANGED x",
        "Same(ignored) == UNCHANGED x\nRead(result) == Same(result)",
    );
    let linked = linked(&spec, "[ops.Read]\nrequires = 'TRUE'\n");
    let unread = after(&linked, r#"0 Read {"result":9} 0 1"#, |model| {
        model.unread_fields()
    });
    assert_eq!(unread, [("Read".to_owned(), "result".to_owned())]);
}

#[test]
fn a_trace_that_nothing_could_contradict_is_told() {
    let linked = linked(REGISTER, "");
    assert!(after(&linked, r#"0 Write {"value":1} 0 1"#, |model| model
        .is_unconstrained()));
    let lines = r#"
        0 Write {"value":1} 0 1
        0 Read {"result":1} 2 3"#;
    assert!(!after(&linked, lines, |model| model.is_unconstrained()));
}

#[test]
fn expressions_that_go_through_a_big_set_are_named() {
    let spec = r"---- MODULE Wide ----
CONSTANT Keys
VARIABLE x
Init == x = 0
All(value) == (\A k \in Keys : k # value) /\ x' = value
One(value) == value \in Keys /\ x' = value
====";
    let options = |size: i64| LinkOptions {
        collected: vec![("Keys".to_owned(), Value::set_of_sorted((0..size).map(Value::int)))],
        ..LinkOptions::default()
    };
    let slow = |size: i64| {
        let linked = Linked::from_text("Wide", spec, &options(size)).unwrap();
        linked.run(|model| model.slow_expressions()).unwrap()
    };
    assert!(slow(100).is_empty());
    let slow = slow(20_000);
    assert_eq!(slow.len(), 1, "{slow:?}");
    assert!(slow[0].starts_with("Wide.tla:5:"), "{slow:?}");
    assert!(
        slow[0].contains("goes through all 20000 values of Keys"),
        "{slow:?}"
    );
}
