//! Random small traces: the engine with all it knows about a spec against trying every order with the same evaluator.

use omnilink_engine::{Consistency, Options, TimedOp, check, naive};
use proptest::prelude::*;

use crate::world::{bound, linked, trace};

const MAP: &str = r"---- MODULE Map ----
EXTENDS Integers, FiniteSets
VARIABLES f, n
Init == f = [k \in 1..2 |-> 0] /\ n = 0
Get(k, r) == f[k] = r /\ UNCHANGED <<f, n>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED n
PutIfAbsent(k, v, r) == /\ f[k] = r
                        /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
                        /\ UNCHANGED n
Maybe(k, v, r) == \E w \in {v, r} : f' = [f EXCEPT ![k] = w] /\ UNCHANGED n
Add(k, v, r) == f' = [f EXCEPT ![k] = (@ + v) % 3] /\ f'[k] = r /\ UNCHANGED n
Tick(r) == n' = (n + 1) % 3 /\ n = r /\ UNCHANGED f
Both(r) == n = r /\ f' = [f EXCEPT ![1] = n, ![2] = f[1]] /\ UNCHANGED n
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED <<f, n>>
Twos(r) == Cardinality({k \in 1..2 : f[k] > 1}) = r /\ UNCHANGED <<f, n>>
Clear(r) == f[1] = r /\ f' = [k \in 1..2 |-> 0] /\ UNCHANGED n
====";

#[derive(Clone, Debug)]
struct Random {
    op: usize,
    key: i64,
    value: i64,
    result: i64,
    start: i64,
    length: i64,
    pending: bool,
}

fn random() -> impl Strategy<Value = Random> {
    (
        0..10usize,
        1..3i64,
        0..3i64,
        0..3i64,
        0..12i64,
        0..9i64,
        prop::bool::weighted(0.1),
    )
        .prop_map(|(op, key, value, result, start, length, pending)| Random {
            op,
            key,
            value,
            result,
            start,
            length,
            pending,
        })
}

fn lines(history: &[Random]) -> String {
    let mut text = String::new();
    for (thread, random) in history.iter().enumerate() {
        let Random {
            key,
            value,
            result,
            start,
            length,
            ..
        } = random;
        let (op, args) = match random.op {
            0 => ("Get", format!("\"k\":{key},\"r\":{result}")),
            1 => ("Put", format!("\"k\":{key},\"v\":{value},\"r\":{result}")),
            2 => ("PutIfAbsent", format!("\"k\":{key},\"v\":{value},\"r\":{result}")),
            3 => ("Maybe", format!("\"k\":{key},\"v\":{value},\"r\":{result}")),
            4 => ("Add", format!("\"k\":{key},\"v\":{value},\"r\":{result}")),
            5 => ("Tick", format!("\"r\":{result}")),
            6 => ("Both", format!("\"r\":{result}")),
            7 => ("Count", format!("\"r\":{result}")),
            8 => ("Twos", format!("\"r\":{result}")),
            _ => ("Clear", format!("\"r\":{result}")),
        };
        let end = if random.pending {
            "null".to_owned()
        } else {
            (start + length).to_string()
        };
        text.push_str(&format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end}}}\n"
        ));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_verdict_is_that_of_trying_every_order(mut history in prop::collection::vec(random(), 1..7)) {
        history.sort_by_key(|random| random.start);
        let linked = linked(MAP, "");
        let (found, expected) = linked
            .run(|model| {
                let operations: Vec<TimedOp<_>> = bound(model, trace(lines(&history))).unwrap();
                let expected = naive::explain(model, &operations, Consistency::Linearizable).is_some();
                let found = check(model, operations, Options::default()).unwrap().conclusion.is_valid();
                (found, expected)
            })
            .unwrap();
        prop_assert_eq!(found, expected);
    }
}
