//! Random small histories of collections: where monitors decide, they must agree with the naive checker. The clock is fine
//! or coarse, some operations are pending, some results are unknown, values are repeated.

use crate::common::{Shape, Visitor, Workload, each_workload, random_history};
use fastrand::Rng;
use omnilink_engine::{Conclusion, Consistency, Model, Options, TimedOp, check_as_collections, naive};

/// The naive checker tries every order, so histories have at most this many operations.
const OPERATIONS_MAX: usize = 9;

struct Comparison {
    tick: i64,
    collections: usize,
}

impl Visitor for Comparison {
    fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
        let model = workload.model();
        if model.collection_kind().is_none() {
            return;
        }
        self.collections += 1;
        let (mut valid, mut violations) = (0, 0);
        for round in 0..4_000 {
            let shape = Shape {
                ops_per_thread_max: 3,
                ..Shape::default()
            };
            let mut history = random_history(workload, &mut Rng::with_seed(round), shape);
            history.truncate(OPERATIONS_MAX);
            for TimedOp { timebox, .. } in &mut history {
                timebox.start = timebox.start.div_euclid(self.tick);
                timebox.end = timebox.end.map(|end| end.div_euclid(self.tick));
            }
            let Ok(outcome) = check_as_collections(&model, &history, &Options::default()) else {
                continue;
            };
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}, round {round}: {error}"));
            let expected = naive::explain(&model, &history, Consistency::Linearizable).is_some();
            assert_eq!(
                outcome.conclusion.is_valid(),
                expected,
                "{name}, round {round}: {history:?}"
            );
            match outcome.conclusion {
                Conclusion::Violation(counterexample) => {
                    violations += 1;
                    let broken = counterexample.broken.expect("a monitor names the rule");
                    assert!(!broken.operations.is_empty());
                }
                _ => valid += 1,
            }
        }
        println!("{name}: {valid} valid, {violations} violations");
        assert!(
            valid > 0 && violations > 0,
            "{name}: {valid} valid, {violations} violations"
        );
    }
}

#[test]
fn monitors_agree_with_the_naive_checker() {
    for tick in [1, 3] {
        let mut comparison = Comparison { tick, collections: 0 };
        each_workload(&mut comparison);
        assert!(comparison.collections >= 5);
    }
}
