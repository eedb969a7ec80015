//! Random small histories: every strategy, with every reduction on and off, must agree with the naive checker.

use crate::test_models::{self, HistoryProfile, TestModel, one_in};
use fastrand::Rng;
use omnilink_engine::{
    CheckError, CheckOutcome, Checker, Conclusion, Consistency, Model, Options, Partitioning, Reductions,
    Strategy, TimedOp, check, naive,
};
use omnilink_trace::Timebox;

/// All reductions, none, each alone, and all but each.
fn reduction_sets() -> Vec<Reductions> {
    let switches: [fn(&mut Reductions, bool); 6] = [
        |r, on| r.absorption = on,
        |r, on| r.minimal_frontier = on,
        |r, on| r.dominance = on,
        |r, on| r.symmetry = on,
        |r, on| r.footprints = on,
        |r, on| r.partitions = on,
    ];
    let mut sets = vec![Reductions::ALL, Reductions::NONE];
    for switch in switches {
        let (mut only, mut without) = (Reductions::NONE, Reductions::ALL);
        switch(&mut only, true);
        switch(&mut without, false);
        sets.extend([only, without]);
    }
    sets
}

fn show<M: Model>(history: &[TimedOp<M::Op>]) -> String {
    history
        .iter()
        .map(|o| {
            format!(
                "t{} {:?} {:?} optional={}\n",
                o.thread, o.op, o.timebox, o.optional
            )
        })
        .collect()
}

fn compare<T: TestModel>(seed: u64, rounds: u64, consistency: Consistency) {
    let sets = reduction_sets();
    let mut rng = Rng::with_seed(seed);
    let (mut valid, mut invalid, mut tied, mut committed) = (0, 0, 0u64, 0u64);
    for round in 0..rounds {
        let model = T::new();
        let history = test_models::random_history(&model, &mut rng);
        // Threads of asynchronous clients are labels, as if every operation had a thread of its own.
        let async_threads = consistency == Consistency::Linearizable && one_in(4, &mut rng);
        let mut labelled = history.clone();
        if async_threads {
            labelled
                .iter_mut()
                .zip(0..)
                .for_each(|(operation, thread)| operation.thread = thread);
        }
        let expected = naive::explain(&model, &labelled, consistency).is_some();
        if expected {
            valid += 1
        } else {
            invalid += 1
        }
        for strategy in [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst] {
            // Each round tries all sets with one strategy only, to save time.
            let sets = if round % 3 == strategy as u64 {
                &sets[..]
            } else {
                &sets[..2]
            };
            for reductions in sets {
                // With a small budget the searches alternate from the first operations on.
                let sweep_budget = [0, 1, 70, 4_096][rng.usize(..4)];
                let options = Options {
                    consistency,
                    strategy,
                    reductions: *reductions,
                    sweep_budget,
                    async_threads,
                    ..Options::default()
                };
                let outcome = check(&model, history.clone(), options)
                    .unwrap_or_else(|error| panic!("{error}\n{options:?}\n{}", show::<T>(&history)));
                assert_eq!(
                    outcome.conclusion.is_valid(),
                    expected,
                    "round {round}: {options:?}\n{}",
                    show::<T>(&history)
                );
                if !round.is_multiple_of(4) {
                    continue;
                }
                // One operation at a time, while the next call of its thread is unknown.
                let streamed = |commit_after: Option<usize>| {
                    let options = Options {
                        commit_after,
                        ..options
                    };
                    let mut checker = Checker::with_partitioning(&model, options, Partitioning::Whole);
                    for operation in &history {
                        checker.push(operation.clone()).expect("in order");
                    }
                    checker.finish()
                };
                let after = 1 + rng.usize(..5);
                let answer = match streamed(Some(after).filter(|after| *after < 5)) {
                    Err(CheckError::Committed) => {
                        committed += 1;
                        streamed(None)
                    }
                    answer => answer,
                };
                let streamed = match answer {
                    Err(CheckError::Tied) => {
                        tied += 1;
                        let mut checker = Checker::with_partitioning(&model, options, Partitioning::Whole);
                        for operation in &history {
                            checker.push_followed(operation.clone(), true).expect("in order");
                        }
                        checker.finish().expect("test models do not fail")
                    }
                    streamed => streamed.expect("test models do not fail"),
                };
                assert_eq!(
                    streamed.conclusion.is_valid(),
                    expected,
                    "round {round}: {options:?}\n{}",
                    show::<T>(&history)
                );
            }
        }
    }
    assert!(
        valid > rounds / 12 && invalid > rounds / 12,
        "{valid} valid, {invalid} not: the generator is lopsided"
    );
    assert!(tied < rounds, "{tied} checks had to start over");
    assert!(
        consistency == Consistency::Sequential || committed > 0,
        "no commitment was ever wrong"
    );
}

const ROUNDS: u64 = 12_000;

#[test]
fn register_histories() {
    compare::<test_models::Register>(1, ROUNDS, Consistency::Linearizable);
}

#[test]
fn map_histories() {
    compare::<test_models::Map>(2, ROUNDS, Consistency::Linearizable);
}

#[test]
fn queue_histories() {
    compare::<test_models::Queue>(3, ROUNDS, Consistency::Linearizable);
}

#[test]
fn nondeterministic_histories() {
    compare::<test_models::Lossy>(4, ROUNDS, Consistency::Linearizable);
}

#[test]
fn sequential_register_histories() {
    compare::<test_models::Register>(5, ROUNDS / 2, Consistency::Sequential);
}

#[test]
fn sequential_map_histories() {
    compare::<test_models::Map>(6, ROUNDS / 2, Consistency::Sequential);
}

#[test]
fn sequential_queue_histories() {
    compare::<test_models::Queue>(7, ROUNDS / 2, Consistency::Sequential);
}

/// One call in three never returns, and one operation in three is a compare-and-swap whose effect others may or may not see.
#[test]
fn register_histories_with_many_lost_calls() {
    let mut rng = Rng::with_seed(9);
    for _ in 0..10 * ROUNDS {
        let profile = HistoryProfile {
            coarse_clock: one_in(8, &mut rng),
            pending: 3,
            optional: 12,
        };
        let count = 3 + rng.u64(..3);
        let history = test_models::history_of(&test_models::Register, count, profile, &mut rng);
        let expected = naive::explain(&test_models::Register, &history, Consistency::Linearizable).is_some();
        let footprints = Reductions {
            footprints: true,
            ..Reductions::NONE
        };
        for reductions in [Reductions::ALL, footprints] {
            let options = Options {
                reductions,
                ..Options::default()
            };
            let outcome =
                check(&test_models::Register, history.clone(), options).expect("registers do not fail");
            let found = outcome.conclusion.is_valid();
            assert_eq!(
                found,
                expected,
                "{reductions:?}\n{}",
                show::<test_models::Register>(&history)
            );
        }
    }
}

/// The compare-and-swap writes 2 only after the write has happened, so a trial in the first state proves nothing.
#[test]
fn an_optional_operation_may_enable_a_read_through_a_write() {
    let history = vec![
        TimedOp::new(
            0,
            test_models::RegisterOp::Cas(0, 1, 2, None),
            Timebox::pending(0),
        ),
        TimedOp::new(1, test_models::RegisterOp::Write(0, 1), Timebox::new(1, 100)),
        TimedOp::new(2, test_models::RegisterOp::Read(0, Some(2)), Timebox::new(2, 50)),
    ];
    for reductions in reduction_sets() {
        let options = Options {
            reductions,
            ..Options::default()
        };
        let outcome = check(&test_models::Register, history.clone(), options).expect("registers do not fail");
        assert!(outcome.conclusion.is_valid(), "{reductions:?}");
    }
}

/// Threads switch between two registers: explanations of the single registers may contradict each other.
#[test]
fn histories_whose_threads_link_registers() {
    let mut rng = Rng::with_seed(8);
    let (mut valid, mut invalid) = (0, 0);
    for round in 0..ROUNDS {
        let history = test_models::linked_registers(&mut rng);
        let expected = naive::explain(&test_models::Register, &history, Consistency::Linearizable);
        if expected.is_some() {
            valid += 1
        } else {
            invalid += 1
        }
        for strategy in [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst] {
            let options = Options {
                strategy,
                witness: !round.is_multiple_of(5),
                ..Options::default()
            };
            let outcome =
                check(&test_models::Register, history.clone(), options).expect("registers do not fail");
            assert_eq!(
                outcome.conclusion.is_valid(),
                expected.is_some(),
                "{}",
                show::<test_models::Register>(&history)
            );
            // The order of the witness keeps the order of threads across parts as well.
            let mut checker = Checker::new(&test_models::Register, options).keep_order();
            for operation in &history {
                checker.push(operation.clone()).expect("in order");
            }
            if let Ok(CheckOutcome {
                conclusion: Conclusion::Valid(witness),
                ..
            }) = checker.finish()
            {
                let order: Vec<usize> = witness
                    .order
                    .expect("kept")
                    .iter()
                    .map(|p| p.op as usize)
                    .collect();
                let relabelled = order.iter().zip(0i64..).map(|(&op, at)| TimedOp {
                    timebox: Timebox::new(at, at),
                    ..history[op].clone()
                });
                let relabelled: Vec<_> = relabelled.collect();
                let explained =
                    naive::explain(&test_models::Register, &relabelled, Consistency::Linearizable);
                assert!(
                    explained.is_some(),
                    "{order:?}\n{}",
                    show::<test_models::Register>(&history)
                );
                for (at, &op) in order.iter().enumerate() {
                    let thread = history[op].thread;
                    let later = order[at + 1..]
                        .iter()
                        .filter(|&&other| history[other].thread == thread);
                    assert!(
                        later.clone().all(|&other| other > op),
                        "{order:?}\n{}",
                        show::<test_models::Register>(&history)
                    );
                }
            }
        }
    }
    assert!(valid > 500 && invalid > 500, "{valid} valid, {invalid} not");
}
