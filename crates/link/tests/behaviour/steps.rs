//! Operations that happen in steps: `X_Step` any number of times, then `X_Done`.

use crate::world::{is_valid, linked};

const BULK: &str = r"---- MODULE Bulk ----
EXTENDS Sequences
VARIABLES queue, putting
Init == queue = <<>> /\ putting = <<>>
Put_Step(items) ==
    /\ Len(putting) < Len(items)
    /\ \A i \in 1..Len(putting) : putting[i] = items[i]
    /\ putting' = Append(putting, items[Len(putting) + 1])
    /\ queue' = Append(queue, items[Len(putting) + 1])
Put_Done(items) == putting = items /\ putting' = <<>> /\ UNCHANGED queue
Take(item) == queue # <<>> /\ Head(queue) = item /\ queue' = Tail(queue) /\ UNCHANGED putting
Size(n) == n = Len(queue) /\ UNCHANGED <<queue, putting>>
====";

#[test]
fn others_see_an_operation_half_done() {
    let linked = linked(
        &BULK.replace("EXTENDS Sequences", "EXTENDS Sequences, Integers"),
        "",
    );
    assert!(is_valid(
        &linked,
        r#"
        0 Put {"items":["a","b"]} 0 9
        1 Size {"n":1} 2 3
        1 Size {"n":2} 4 5"#
    ));
    assert!(!is_valid(
        &linked,
        r#"
        0 Put {"items":["a","b"]} 0 9
        1 Size {"n":2} 2 3
        1 Size {"n":1} 4 5"#
    ));
}

#[test]
fn all_steps_are_taken_before_the_operation_returns() {
    let linked = linked(
        &BULK.replace("EXTENDS Sequences", "EXTENDS Sequences, Integers"),
        "",
    );
    assert!(!is_valid(
        &linked,
        r#"
        0 Put {"items":["a","b"]} 0 1
        1 Size {"n":1} 2 3"#
    ));
}

#[test]
fn nothing_happens_after_the_last_step() {
    let linked = linked(
        &BULK.replace("EXTENDS Sequences", "EXTENDS Sequences, Integers"),
        "[ops.Put]\nsteps = 5\n",
    );
    assert!(!is_valid(
        &linked,
        r#"
        0 Put {"items":["a"]} 0 9
        1 Take {"item":"a"} 1 2
        1 Take {"item":"a"} 3 4"#
    ));
}
