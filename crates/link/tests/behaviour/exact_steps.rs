//! Actions whose outcome is known without evaluating them, against the same actions evaluated at every step.
//!
//! An invariant, even one that is always true, has every step evaluated: so the same spec with and without it must say the
//! same about every sequence of operations, failures included.

use omnilink_engine::{Checker, Conclusion, Options, Partitioning};

use crate::world::{bound, linked, ndjson, trace};

/// Actions of the form that needs no evaluation, and many that come close to it. What a cell holds may be a number or a
/// string, which cannot be compared, and key 9 does not exist.
const SPEC: &str = r#"---- MODULE Cells ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES f, n
Init == f = [k \in 1..2 |-> 0] /\ n = 0
Tick == n' = n + 1 /\ UNCHANGED f
Keep == UNCHANGED n
Is(k, r) == f[k] = r
Get(k, v, r) == f[k] = r /\ UNCHANGED <<f, n>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
Set(k, v, r) == f' = [f EXCEPT ![k] = v] /\ n' = n
Called(k, v, r) == Is(k, r) /\ f' = [f EXCEPT ![k] = v] /\ Keep
Named(k, v, r) == LET w == v IN f[k] = r /\ f' = [f EXCEPT ![k] = w] /\ UNCHANGED n
IfAbsent(k, v, r) == f[k] = r /\ (IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f) /\ UNCHANGED n
IfNot(k, v, r) == f[k] = r /\ (IF ~(f[k] # 0) THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f) /\ UNCHANGED n
Late(k, v, r) == (IF f[k] = 1 THEN TRUE ELSE 1 = "a") /\ f[k] = r /\ UNCHANGED <<f, n>>
After(k, v, r) == f' = [f EXCEPT ![k] = v] /\ f[k] = r /\ UNCHANGED n
Inner(k, v, r) == f[k] = r /\ (f[2] = v /\ f' = [f EXCEPT ![k] = 1]) /\ UNCHANGED n
Twice(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ f' = [f EXCEPT ![k] = 1] /\ UNCHANGED n
Two(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v, ![1] = 1] /\ UNCHANGED n
Open(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
Again(k, v, r) == f[k] = r /\ UNCHANGED f /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
Either(k, v, r) == (f[k] = r \/ f[k] = v) /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
Old(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = @] /\ UNCHANGED n
Whole(k, v, r) == n = 0 /\ f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
Count(k, v, r) == f[k] = r /\ n' = n + 1 /\ UNCHANGED f
Some(k, v, r) == f[k] = r /\ (\E w \in {1, v} : f' = [f EXCEPT ![k] = w]) /\ UNCHANGED n
Guard(k, v, r) == v = 1 /\ f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
Wrong(k, v, r) == v + 1 > 0 /\ f[k] = r /\ UNCHANGED <<f, n>>
Cases(k, v, r) == f[k] = r /\ (CASE f[k] = 0 -> f' = [f EXCEPT ![k] = v] [] f[k] = 1 -> UNCHANGED f) /\ UNCHANGED n
Clash(k, v, r) == f[k] = r /\ f[k] = v /\ UNCHANGED <<f, n>>
Member(k, v, r) == f[k] = r /\ f[k] \in {0, 1} /\ UNCHANGED <<f, n>>
Shift(k, v, r) == f[k] = r /\ f[k] + 1 = 2 /\ UNCHANGED <<f, n>>
Skip(k, v, r) == /\ f[k] = r
                 /\ IF n = "a" /\ f[k] = 7 THEN UNCHANGED f ELSE f' = [f EXCEPT ![k] = v]
                 /\ UNCHANGED n
Second(a, b) == b
Unused(k, v, r) == f[k] = r /\ Second(n = "a", f' = [f EXCEPT ![k] = v]) /\ UNCHANGED n
Deep(k, v, r) == f[k].a = r /\ UNCHANGED <<f, n>>
Last(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n /\ v = 1
Moved(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = f[2]] /\ UNCHANGED n
Guessed(k, v, r) == \E s \in SUBSET {1, 2} : /\ \A x \in {1, 2} : x \in s <=> f[x] # 0
                                             /\ Cardinality(s) = r /\ UNCHANGED <<f, n>>
Same(k, v, r) == ((f[k] = 0) <=> (f[k] = 0)) /\ UNCHANGED <<f, n>>
Opposite(k, v, r) == (f[k] = v) = (f[k] # v) /\ UNCHANGED <<f, n>>
Held(k, v, r) == k \in {x \in 1..2 : f[x] = 0} /\ UNCHANGED <<f, n>>
HeldByName(k, v, r) == LET s == {x \in 1..2 : f[x] = r} IN k \in s /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
Other(k, v, r) == v \in {x \in 1..2 : f[x] # 0} /\ UNCHANGED <<f, n>>
Idle(k, v, r) == f[k] = r /\ (\E s \in {{x \in 1..2 : f[x] = 0}} : v = 1 /\ UNCHANGED <<f, n>>)
Only(k, v, r) == f[k] = r /\ (\E w \in {v} : f' = [f EXCEPT ![k] = w] /\ UNCHANGED n)
OnlyHeld(k, v, r) == \E w \in {f[k]} : w = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
====
"#;

const OPS: [&str; 39] = [
    "Get",
    "Put",
    "Set",
    "Called",
    "Named",
    "IfAbsent",
    "IfNot",
    "Late",
    "After",
    "Inner",
    "Twice",
    "Two",
    "Open",
    "Again",
    "Either",
    "Old",
    "Whole",
    "Count",
    "Some",
    "Guard",
    "Wrong",
    "Cases",
    "Clash",
    "Member",
    "Shift",
    "Moved",
    "Skip",
    "Unused",
    "Deep",
    "Last",
    "Guessed",
    "Same",
    "Opposite",
    "Held",
    "HeldByName",
    "Other",
    "Idle",
    "Only",
    "OnlyHeld",
];

fn answer(linked: &omnilink_link::Linked, lines: &str) -> String {
    let answer = linked.run(|model| {
        // As one: parts that are checked by themselves find another operation first.
        let mut checker = Checker::with_partitioning(model, Options::default(), Partitioning::Whole);
        for operation in bound(model, trace(ndjson(lines))).unwrap() {
            checker.push(operation).unwrap();
        }
        match checker.finish() {
            Ok(outcome) => match outcome.conclusion {
                Conclusion::Valid(_) => "valid".to_owned(),
                Conclusion::Violation(found) => format!("operation {}", found.op.id),
                Conclusion::Unknown(_) => "unknown".to_owned(),
            },
            Err(error) => error.to_string(),
        }
    });
    answer.unwrap()
}

#[test]
fn a_rule_says_what_evaluating_says() {
    let (exact_step, evaluated) = (linked(SPEC, ""), linked(SPEC, "invariants = ['TRUE']"));
    let values = ["0", "1", "\"a\""];
    let mut answers = std::collections::BTreeSet::new();
    // What the first operation leaves is what the second finds.
    for (left, first) in values
        .into_iter()
        .flat_map(|left| ["Set", "Tick"].map(|first| (left, first)))
    {
        for op in OPS {
            for (k, v, r) in [1, 2, 9]
                .into_iter()
                .flat_map(|k| values.map(|v| values.map(|r| (k, v, r))))
                .flatten()
            {
                // The other variable is 0, or it is not.
                let first = match first {
                    "Set" => "0 Set {\"k\":2,\"v\":1,\"r\":0} 0 1",
                    _ => "0 Tick {} 0 1",
                };
                let lines = format!(
                    "{first}
                     0 Set {{\"k\":1,\"v\":{left},\"r\":0}} 2 3
                     0 {op} {{\"k\":{k},\"v\":{v},\"r\":{r}}} 4 5
                     0 Get {{\"k\":1,\"v\":0,\"r\":{v}}} 6 7"
                );
                let expected = answer(&evaluated, &lines);
                assert_eq!(answer(&exact_step, &lines), expected, "{lines}");
                answers.insert(expected.split(':').next().unwrap_or_default().to_owned());
            }
        }
    }
    // Valid, each of two refusals, and failures: all there is was met.
    assert!(answers.len() >= 4, "{answers:?}");
}
