//! Random small histories: every strategy, with every reduction on and off, must agree with the naive checker.

mod toys;

use omnilink_engine::{
    CheckError, Checker, Conclusion, Consistency, Model, Operation, Options, Outcome, Partitioning,
    Reductions, Strategy, check, naive,
};
use omnilink_trace::Timebox;
use toys::{Dice, Toy, Weather};

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

fn show<M: Model>(history: &[Operation<M::Op>]) -> String {
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

fn compare<T: Toy>(seed: u64, rounds: u64, consistency: Consistency) {
    let sets = reduction_sets();
    let mut dice = Dice::new(seed);
    let (mut valid, mut invalid, mut tied) = (0, 0, 0u64);
    for round in 0..rounds {
        let toy = T::new();
        let history = toys::history(&toy, &mut dice);
        // Threads of asynchronous clients are labels, as if every operation had a thread of its own.
        let async_threads = consistency == Consistency::Linearizable && dice.one_in(4);
        let mut labelled = history.clone();
        if async_threads {
            labelled
                .iter_mut()
                .zip(0..)
                .for_each(|(operation, thread)| operation.thread = thread);
        }
        let expected = naive::explain(&toy, &labelled, consistency).is_some();
        if expected {
            valid += 1
        } else {
            invalid += 1
        }
        for strategy in [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst] {
            // All sets for one strategy a round: every pair is met often enough.
            let sets = if round % 3 == strategy as u64 {
                &sets[..]
            } else {
                &sets[..2]
            };
            for reductions in sets {
                // With little patience the searches take turns from the first operations on.
                let patience = [0, 1, 70, 4_096][dice.roll(4) as usize];
                let options = Options {
                    consistency,
                    strategy,
                    reductions: *reductions,
                    patience,
                    async_threads,
                    ..Options::default()
                };
                let outcome = check(&toy, history.clone(), options)
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
                // One operation after the other, when it is not known yet what a thread calls next.
                let mut checker = Checker::with_partitioning(&toy, options, Partitioning::Whole);
                for operation in &history {
                    checker.push(operation.clone()).expect("in order");
                }
                let streamed = match checker.finish() {
                    Err(CheckError::Tied) => {
                        tied += 1;
                        let mut checker = Checker::with_partitioning(&toy, options, Partitioning::Whole);
                        for operation in &history {
                            checker.push_followed(operation.clone(), true).expect("in order");
                        }
                        checker.finish().expect("toys do not fail")
                    }
                    streamed => streamed.expect("toys do not fail"),
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
}

const ROUNDS: u64 = 12_000;

#[test]
fn register_histories() {
    compare::<toys::Register>(1, ROUNDS, Consistency::Linearizable);
}

#[test]
fn map_histories() {
    compare::<toys::Map>(2, ROUNDS, Consistency::Linearizable);
}

#[test]
fn queue_histories() {
    compare::<toys::Queue>(3, ROUNDS, Consistency::Linearizable);
}

#[test]
fn nondeterministic_histories() {
    compare::<toys::Lossy>(4, ROUNDS, Consistency::Linearizable);
}

#[test]
fn sequential_register_histories() {
    compare::<toys::Register>(5, ROUNDS / 2, Consistency::Sequential);
}

#[test]
fn sequential_map_histories() {
    compare::<toys::Map>(6, ROUNDS / 2, Consistency::Sequential);
}

#[test]
fn sequential_queue_histories() {
    compare::<toys::Queue>(7, ROUNDS / 2, Consistency::Sequential);
}

/// One call in three never returns, and compare-and-swap is one in three: their writes have to be seen by others, or not.
#[test]
fn register_histories_with_many_lost_calls() {
    let mut dice = Dice::new(9);
    for _ in 0..10 * ROUNDS {
        let weather = Weather {
            coarse: dice.one_in(8),
            pending: 3,
            optional: 12,
        };
        let count = 3 + dice.roll(3);
        let history = toys::history_of(&toys::Register, count, weather, &mut dice);
        let expected = naive::explain(&toys::Register, &history, Consistency::Linearizable).is_some();
        let footprints = Reductions {
            footprints: true,
            ..Reductions::NONE
        };
        for reductions in [Reductions::ALL, footprints] {
            let options = Options {
                reductions,
                ..Options::default()
            };
            let outcome = check(&toys::Register, history.clone(), options).expect("registers do not fail");
            let found = outcome.conclusion.is_valid();
            assert_eq!(
                found,
                expected,
                "{reductions:?}\n{}",
                show::<toys::Register>(&history)
            );
        }
    }
}

/// The compare-and-swap writes 2 only where the write has happened, so trying it in the first state tells nothing.
#[test]
fn an_optional_operation_may_feed_a_read_through_a_write() {
    let history = vec![
        Operation::new(0, toys::RegisterOp::Cas(0, 1, 2, None), Timebox::pending(0)),
        Operation::new(1, toys::RegisterOp::Write(0, 1), Timebox::new(1, 100)),
        Operation::new(2, toys::RegisterOp::Read(0, Some(2)), Timebox::new(2, 50)),
    ];
    for reductions in reduction_sets() {
        let options = Options {
            reductions,
            ..Options::default()
        };
        let outcome = check(&toys::Register, history.clone(), options).expect("registers do not fail");
        assert!(outcome.conclusion.is_valid(), "{reductions:?}");
    }
}

/// Threads that go from one register to the other and back: explanations of the registers alone may not fit together.
#[test]
fn histories_whose_threads_link_registers() {
    let mut dice = Dice::new(8);
    let (mut valid, mut invalid) = (0, 0);
    for round in 0..ROUNDS {
        let history = toys::crossing(&mut dice);
        let expected = naive::explain(&toys::Register, &history, Consistency::Linearizable);
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
            let outcome = check(&toys::Register, history.clone(), options).expect("registers do not fail");
            assert_eq!(
                outcome.conclusion.is_valid(),
                expected.is_some(),
                "{}",
                show::<toys::Register>(&history)
            );
            // The order that is written down keeps the order of threads across parts, too.
            let mut checker = Checker::new(&toys::Register, options).keep_order();
            for operation in &history {
                checker.push(operation.clone()).expect("in order");
            }
            if let Ok(Outcome {
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
                let relabelled = order.iter().zip(0i64..).map(|(&op, at)| Operation {
                    timebox: Timebox::new(at, at),
                    ..history[op].clone()
                });
                let relabelled: Vec<_> = relabelled.collect();
                let explained = naive::explain(&toys::Register, &relabelled, Consistency::Linearizable);
                assert!(
                    explained.is_some(),
                    "{order:?}\n{}",
                    show::<toys::Register>(&history)
                );
                for (at, &op) in order.iter().enumerate() {
                    let thread = history[op].thread;
                    let later = order[at + 1..]
                        .iter()
                        .filter(|&&other| history[other].thread == thread);
                    assert!(
                        later.clone().all(|&other| other > op),
                        "{order:?}\n{}",
                        show::<toys::Register>(&history)
                    );
                }
            }
        }
    }
    assert!(valid > 500 && invalid > 500, "{valid} valid, {invalid} not");
}
