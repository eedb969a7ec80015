//! Random small histories of every native model: the engine must agree with the naive checker for every strategy, with and
//! without reductions.

use crate::common::{Shape, Visitor, Workload, each_workload, random_history};
use fastrand::Rng;
use omnilink_engine::{Consistency, Model, Options, Reductions, Strategy, TimedOp, check, naive};
use omnilink_trace::Timebox;

/// The number of histories per model: `OMNILINK_ROUNDS`, or a default.
fn rounds() -> u64 {
    std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1_500)
}

/// The naive checker tries every order, so histories have at most this many operations.
const OPERATIONS_MAX: usize = 11;

struct Comparison {
    consistency: Consistency,
    /// The resolution of the clock. A coarse clock makes ties: threads call at the reading at which they returned.
    tick: i64,
}

impl Comparison {
    /// The history with times of this clock.
    fn by_clock<O>(&self, mut history: Vec<TimedOp<O>>) -> Vec<TimedOp<O>> {
        for operation in &mut history {
            let Timebox { start, end } = &mut operation.timebox;
            *start = start.div_euclid(self.tick);
            *end = end.map(|end| end.div_euclid(self.tick));
        }
        // With a coarse clock more operations overlap, which is harder for the naive checker.
        history.truncate(if self.tick > 1 { 8 } else { OPERATIONS_MAX });
        history
    }
}

impl Visitor for Comparison {
    fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
        let model = workload.model();
        let mut valid = 0;
        for round in 0..rounds() {
            let history = random_history(workload, &mut Rng::with_seed(round), Shape::default());
            let history = self.by_clock(history);
            let expected = naive::explain(&model, &history, self.consistency).is_some();
            valid += u64::from(expected);
            for strategy in [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst] {
                for reductions in [Reductions::ALL, Reductions::NONE] {
                    let consistency = self.consistency;
                    let options = Options {
                        consistency,
                        strategy,
                        reductions,
                        ..Options::default()
                    };
                    let outcome = check(&model, history.clone(), options);
                    let outcome = outcome.unwrap_or_else(|error| panic!("{name}, round {round}: {error}"));
                    assert_eq!(
                        outcome.conclusion.is_valid(),
                        expected,
                        "{name}, round {round}, {strategy:?}, {reductions:?}\n{}",
                        drawn(&model, &history)
                    );
                }
            }
        }
        // A useful generator makes both valid and invalid histories.
        let share = valid * 100 / rounds();
        assert!(
            (10..=99).contains(&share),
            "{name}: {share} % of the histories are valid"
        );
    }
}

fn drawn<M: Model>(model: &M, history: &[TimedOp<M::Op>]) -> String {
    let line = |operation: &TimedOp<M::Op>| {
        let end = operation
            .timebox
            .end
            .map_or_else(|| "...".to_owned(), |end| end.to_string());
        let op = model.describe_op(&operation.op);
        format!(
            "t{} [{}, {end}] {op}\n",
            operation.thread, operation.timebox.start
        )
    };
    history.iter().map(line).collect()
}

#[test]
fn the_engine_agrees_with_the_naive_checker_on_linearizability() {
    each_workload(&mut Comparison {
        consistency: Consistency::Linearizable,
        tick: 1,
    });
}

#[test]
fn the_engine_agrees_with_the_naive_checker_by_a_coarse_clock() {
    for tick in [2, 4] {
        each_workload(&mut Comparison {
            consistency: Consistency::Linearizable,
            tick,
        });
    }
}

#[test]
fn the_engine_agrees_with_the_naive_checker_on_sequential_consistency() {
    each_workload(&mut Comparison {
        consistency: Consistency::Sequential,
        tick: 1,
    });
}
