//! Operations that happen in steps: `X_Step` any number of times, then `X_Done`.

use omnilink_engine::{Consistency, Options, check, naive};

use crate::world::{bound, is_valid, linked, ndjson, trace};

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

/// What is withdrawn first is deposited later; accounts are cells of their own, so that parts of different operations touch
/// different ones.
const BANK: &str = r"---- MODULE Bank ----
EXTENDS Integers
VARIABLES bal, flight
Init == bal = [a \in 0..2 |-> 1] /\ flight = [t \in 0..2 |-> 0]
Transfer_Step(thread, from, to, amount, ok) ==
    /\ ok /\ flight[thread] = 0 /\ bal[from] >= amount
    /\ bal' = [bal EXCEPT ![from] = @ - amount] /\ flight' = [flight EXCEPT ![thread] = amount]
Transfer_Done(thread, from, to, amount, ok) ==
    IF ok THEN /\ flight[thread] = amount
               /\ bal' = [bal EXCEPT ![to] = @ + amount] /\ flight' = [flight EXCEPT ![thread] = 0]
          ELSE flight[thread] = 0 /\ bal[from] < amount /\ UNCHANGED <<bal, flight>>
Balance(account, result) == result = bal[account] /\ UNCHANGED <<bal, flight>>
Poke(account) == bal' = [bal EXCEPT ![account] = @ + 1] /\ UNCHANGED flight
====";

/// Footprints of single steps, and what they wait for, against plain enumeration.
#[test]
fn random_transfers_in_steps_are_explained_as_by_trying_everything() {
    let linked = linked(BANK, "");
    let mut seed = 11u64;
    let mut below = |bound: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % bound
    };
    let (mut valid, mut violating) = (0, 0);
    for _ in 0..400 {
        let mut lines = String::new();
        let mut free = [0u64; 3];
        for _ in 0..2 + below(4) {
            let thread = below(3);
            let start = free[thread as usize] + below(4);
            let end = start + below(8);
            free[thread as usize] = end + 1;
            let (a, b) = (below(3), below(3));
            let call = match below(4) {
                0 => format!("Balance {{\"account\":{a},\"result\":{}}}", below(3)),
                1 => format!("Poke {{\"account\":{a}}}"),
                _ => format!(
                    "Transfer {{\"from\":{a},\"to\":{b},\"amount\":1,\"ok\":{}}}",
                    below(4) > 0
                ),
            };
            lines.push_str(&format!("{thread} {call} {start} {end}\n"));
        }
        let (found, expected) = linked
            .run(|model| {
                let mut operations = bound(model, trace(ndjson(&lines))).unwrap();
                operations.sort_by_key(|operation| operation.timebox.start);
                let expected = naive::explain(model, &operations, Consistency::Linearizable).is_some();
                let found = check(model, operations, Options::default()).unwrap();
                (found.conclusion.is_valid(), expected)
            })
            .unwrap();
        assert_eq!(found, expected, "{lines}");
        *(if found { &mut valid } else { &mut violating }) += 1;
    }
    assert!(valid > 50 && violating > 50, "{valid} valid, {violating} not");
}
