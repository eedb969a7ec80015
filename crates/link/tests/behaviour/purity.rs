//! What is found out about an instance before any state is known.

use omnilink_engine::{Keys, Model, successors};

use crate::world::{bound, linked, ndjson, trace};

const MAP: &str = r"---- MODULE Map ----
EXTENDS Integers
VARIABLES f, n
Init == f = [k \in 1..3 |-> 0] /\ n = 0
Get(k, r) == f[k] = r /\ UNCHANGED <<f, n>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
PutIfAbsent(k, v, r) == /\ f[k] = r
                        /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
                        /\ UNCHANGED n
Maybe(k, v) == IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] /\ UNCHANGED n ELSE UNCHANGED <<f, n>>
Count == n' = n + 1 /\ UNCHANGED f
Sum(r) == r = f[1] + f[2] + f[3] /\ UNCHANGED <<f, n>>
Clear == f' = [k \in 1..3 |-> 0] /\ UNCHANGED n
Counted(r) == n = r /\ UNCHANGED <<f, n>>
====";

fn facts(line: &str) -> (bool, Keys, Keys) {
    facts_in(MAP, line)
}

fn facts_in(spec: &str, line: &str) -> (bool, Keys, Keys) {
    let linked = linked(spec, "");
    linked
        .run(|model| {
            let op = bound(model, trace(ndjson(line))).unwrap().remove(0).op;
            let footprint = model.footprint(&op);
            (model.is_pure(&op), footprint.reads, footprint.writes)
        })
        .unwrap()
}

fn is_pure(line: &str) -> bool {
    facts(line).0
}

#[test]
fn an_action_that_changes_nothing_is_pure() {
    assert!(is_pure(r#"0 Get {"k":1,"r":0} 0 1"#));
    assert!(is_pure(r#"0 Sum {"r":0} 0 1"#));
}

#[test]
fn an_action_that_may_change_something_is_not_pure() {
    assert!(!is_pure(r#"0 Put {"k":1,"v":2,"r":0} 0 1"#));
    assert!(!is_pure(r#"0 Maybe {"k":1,"v":2} 0 1"#));
    assert!(!is_pure(r#"0 Count {} 0 1"#));
}

#[test]
fn what_the_result_refutes_does_not_count() {
    assert!(
        is_pure(r#"0 PutIfAbsent {"k":1,"v":2,"r":3} 0 1"#),
        "it was not absent"
    );
    assert!(!is_pure(r#"0 PutIfAbsent {"k":1,"v":2,"r":0} 0 1"#), "it was");
    assert!(
        is_pure(r#"0 Put {"k":1,"v":2,"r":2} 0 1"#),
        "it replaced a value by itself"
    );
}

/// A value that is not 0 implies `on`, whichever way the record is written.
#[test]
fn what_one_field_says_about_another_is_known() {
    let is_pure = |put: &str, line: &str| {
        let spec = format!(
            r"---- MODULE Map ----
EXTENDS Integers
VARIABLE f
Gone == [on |-> FALSE, val |-> 0]
Init == f = [k \in 1..3 |-> Gone]
Put(k, v, r) == f[k].val = r /\ f' = [f EXCEPT ![k].val = v, ![k].on = TRUE]
PutNew(k, v, r) == f[k].val = r /\ IF ~f[k].on THEN f' = [f EXCEPT {put}] ELSE UNCHANGED f
Drop(k, r) == f[k].val = r /\ f' = [f EXCEPT ![k] = Gone]
===="
        );
        facts_in(&spec, line).0
    };
    for put in [
        "![k].on = TRUE, ![k].val = v",
        "![k] = [on |-> TRUE, val |-> v]",
        "![k] = [@ EXCEPT !.on = TRUE, !.val = v]",
    ] {
        assert!(is_pure(put, r#"0 PutNew {"k":1,"v":2,"r":3} 0 1"#), "{put}");
        assert!(is_pure(put, r#"0 Put {"k":1,"v":2,"r":2} 0 1"#), "{put}");
        assert!(!is_pure(put, r#"0 PutNew {"k":1,"v":2,"r":0} 0 1"#), "{put}");
        assert!(!is_pure(put, r#"0 Put {"k":1,"v":2,"r":0} 0 1"#), "{put}");
        assert!(!is_pure(put, r#"0 Drop {"k":1,"r":2} 0 1"#), "{put}");
    }
    // A key may have a value and be off.
    let put = "![k].val = v";
    assert!(!is_pure(put, r#"0 PutNew {"k":1,"v":2,"r":3} 0 1"#));
}

#[test]
fn a_key_is_told_from_another() {
    let (_, reads, writes) = facts(r#"0 Put {"k":1,"v":2,"r":0} 0 1"#);
    let (_, other_reads, other_writes) = facts(r#"0 Put {"k":2,"v":2,"r":0} 0 1"#);
    let one = |keys: &Keys| matches!(keys, Keys::Only(keys) if keys.len() == 1);
    assert!(one(&reads) && one(&writes) && reads == writes);
    assert!(one(&other_reads) && one(&other_writes) && writes != other_writes);
}

#[test]
fn a_function_as_a_whole_is_everything() {
    assert_eq!(facts(r#"0 Clear {} 0 1"#).2, Keys::All);
    let (_, reads, _) = facts(r#"0 Sum {"r":0} 0 1"#);
    assert!(matches!(reads, Keys::Only(keys) if keys.len() == 3));
}

#[test]
fn a_variable_that_is_never_taken_apart_is_one_key() {
    let (_, reads, writes) = facts(r#"0 Count {} 0 1"#);
    assert!(matches!(&reads, Keys::Only(keys) if keys.len() == 1));
    assert_eq!(reads, writes);
}

/// Whether an operation may help another that the initial state refuses.
fn may_help(refused: &str, helper: &str) -> bool {
    const MAP: &str = r"---- MODULE Map ----
EXTENDS Integers, FiniteSets
VARIABLE f
Init == f = [k \in 1..4 |-> IF k < 3 THEN 7 ELSE 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v) == f' = [f EXCEPT ![k] = v]
Swap(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
Count(lo, hi, n) == n = Cardinality({k \in lo..hi : f[k] # 0}) /\ UNCHANGED f
====";
    let linked = linked(MAP, "");
    linked
        .run(|model| {
            let lines = format!("0 {refused} 0 1\n1 {helper} 0 1");
            let operations = bound(model, trace(ndjson(&lines))).unwrap();
            let state = &model.initial()[0];
            assert!(
                successors(model, state, &operations[0].op).is_empty(),
                "{refused} is accepted"
            );
            model.may_enable(state, &operations[0].op, &operations[1].op)
        })
        .unwrap()
}

#[test]
fn a_count_that_is_too_low_waits_for_what_adds() {
    let count = r#"Count {"lo":1,"hi":3,"n":3}"#;
    assert!(may_help(count, r#"Put {"k":3,"v":5}"#));
    assert!(may_help(count, r#"Swap {"k":3,"v":5,"r":0}"#));
    assert!(!may_help(count, r#"Put {"k":4,"v":5}"#), "it is not in the range");
    assert!(!may_help(count, r#"Put {"k":1,"v":5}"#), "it is counted already");
    assert!(!may_help(count, r#"Put {"k":3,"v":0}"#), "it takes away");
    assert!(
        !may_help(count, r#"Swap {"k":3,"v":5,"r":4}"#),
        "it finds it counted already"
    );
}

#[test]
fn a_count_that_is_too_high_waits_for_what_takes_away() {
    let count = r#"Count {"lo":1,"hi":3,"n":1}"#;
    assert!(may_help(count, r#"Put {"k":1,"v":0}"#));
    assert!(
        may_help(count, r#"Swap {"k":1,"v":0,"r":4}"#),
        "another operation may put 4 there first"
    );
    assert!(!may_help(count, r#"Put {"k":1,"v":5}"#));
    assert!(!may_help(count, r#"Put {"k":3,"v":0}"#));
}

#[test]
fn a_condition_on_one_cell_waits_for_what_fulfils_it() {
    assert!(may_help(r#"Has {"k":1,"r":false}"#, r#"Put {"k":1,"v":0}"#));
    assert!(!may_help(r#"Has {"k":1,"r":false}"#, r#"Put {"k":1,"v":5}"#));
    assert!(may_help(r#"Has {"k":3,"r":true}"#, r#"Put {"k":3,"v":5}"#));
    assert!(!may_help(r#"Has {"k":3,"r":true}"#, r#"Put {"k":4,"v":5}"#));
}
