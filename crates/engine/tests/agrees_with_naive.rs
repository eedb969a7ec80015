//! Random small histories: every strategy, with every reduction on and off, must agree with the naive checker.

mod toys;

use omnilink_engine::{
    Checker, Consistency, Model, Operation, Options, Partitioning, Reductions, Strategy, check, naive,
};
use toys::{Dice, Toy};

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
    let (mut valid, mut invalid) = (0, 0);
    for round in 0..rounds {
        let toy = T::new();
        let history = toys::history(&toy, &mut dice);
        // Threads of asynchronous clients are labels, as if every operation had a thread of its own.
        let async_threads = consistency == Consistency::Linearizable && dice.one_in(4);
        let mut labelled = history.clone();
        if async_threads {
            labelled.iter_mut().zip(0..).for_each(|(operation, thread)| operation.thread = thread);
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
                    outcome.verdict.is_valid(),
                    expected,
                    "round {round}: {options:?}\n{}",
                    show::<T>(&history)
                );
                // One operation after the other, when it is not known yet what a thread calls next.
                let mut checker = Checker::with_partitioning(&toy, options, Partitioning::Whole);
                for operation in &history {
                    checker.push(operation.clone()).expect("in order");
                }
                let streamed = checker.finish().expect("toys do not fail");
                assert_eq!(
                    streamed.verdict.is_valid(),
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
