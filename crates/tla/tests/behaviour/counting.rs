//! Sums of parts that read one cell each, however an action compares them.

use omnilink_tla::config::Config;
use omnilink_tla::deep_stack;
use omnilink_tla::eval::{Evaluator, Layout, SilentSession};
use omnilink_tla::model::{BuildOptions, CompiledSpec, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_value::Value;

/// Actions that count, and some that look as if they did nothing else.
const SPEC: &str = r#"---- MODULE Counting ----
EXTENDS Integers, FiniteSets
VARIABLES f, g
Held(S) == {k \in S : f[k] # 0}
Range(lo, hi, n) == n = Cardinality({k \in lo..hi \cap 0..90 : f[k] # 0}) /\ UNCHANGED <<f, g>>
Swapped(lo, hi, n) == Cardinality({k \in lo..hi : f[k] > lo}) = n /\ UNCHANGED <<g, f>>
Two(lo, hi, n) ==
    /\ n = Cardinality({k \in lo..hi : f[k] = 1})
    /\ 1 = Cardinality({k \in {lo, hi, 3} : f[k] = n})
    /\ UNCHANGED <<f, g>>
Both(lo, hi, n) ==
    /\ n = Cardinality({k \in lo..hi : f[k] = 1})
    /\ n = Cardinality({k \in lo..hi : g[k] = 1})
    /\ UNCHANGED <<f, g>>
Called(lo, hi, n) == Range(lo + 1, hi, n)
Listed(lo, hi, n) == n = Cardinality({k \in {lo, hi, 7} : f[k].b = hi}) /\ UNCHANGED <<f, g>>
Cell(lo, hi, n) == (n = 1) = (f[lo] # 0) /\ UNCHANGED <<f, g>>
AlsoOne(lo, hi, n) == n = Cardinality({k \in lo..hi : f[k] = 1}) /\ f[lo] = 0 /\ UNCHANGED <<f, g>>
Guarded(lo, hi, n) == lo < hi /\ n = Cardinality({k \in lo..hi : f[k] = 1}) /\ UNCHANGED <<f, g>>
Writes(lo, hi, n) == n = Cardinality({k \in lo..hi : f[k] = 1}) /\ f' = [f EXCEPT ![lo] = 0] /\ UNCHANGED g
Elsewhere(lo, hi, n) == n = Cardinality({k \in lo..hi : f[k] = g[k]}) /\ UNCHANGED <<f, g>>
Moving(lo, hi, n) == n = Cardinality({k \in lo..f[hi] : f[k] = 0}) /\ UNCHANGED <<f, g>>
Defined(lo, hi, n) == n = Cardinality(Held(lo..hi)) /\ UNCHANGED <<f, g>>
====
"#;

const OPS: [&str; 13] = [
    "Range",
    "Swapped",
    "Two",
    "Both",
    "Called",
    "Listed",
    "Cell",
    "AlsoOne",
    "Guarded",
    "Writes",
    "Elsewhere",
    "Moving",
    "Defined",
];

fn model() -> CompiledSpec {
    let loaded = load_text("Counting.tla".as_ref(), SPEC.to_owned(), &SearchPath::default());
    let options = BuildOptions {
        operations: OPS.iter().map(|op| (*op).to_owned()).collect(),
        ..BuildOptions::default()
    };
    build(loaded.spec, &Config::default(), &options)
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
}

#[test]
fn a_sum_is_found_whatever_it_is_called() {
    deep_stack::run(|| {
        let model = model();
        let session = SilentSession::default();
        let mut evaluator = Evaluator::new(&model.program, &session);
        let mut found: Vec<&str> = Vec::new();
        for (name, operation) in OPS.iter().zip(&model.operations) {
            let operation = operation.unwrap_or_else(|| panic!("{name} is not there"));
            let arguments = [0, 4, 2].map(|int| Some(Value::int(int)));
            let effects = evaluator.effects(operation, &arguments, &Layout::default());
            assert!(effects.is_complete, "{name}");
            if effects.conditions.iter().any(|condition| condition.sum.is_some()) {
                found.push(name);
            }
        }
        assert_eq!(
            found,
            [
                "Range", "Swapped", "Two", "Both", "Called", "Listed", "AlsoOne", "Guarded", "Writes",
                "Defined"
            ]
        );
    });
}
