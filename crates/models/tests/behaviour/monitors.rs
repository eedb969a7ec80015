//! Random small histories of collections: where monitors decide, they must agree with the naive checker. The clock is fine
//! or coarse, some operations are pending, some results are unknown, values are repeated.

use crate::common::{Shape, Visitor, Workload, each_workload, random_history};
use fastrand::Rng;
use omnilink_engine::{
    CollectionStream, Conclusion, Consistency, Model, Options, TimedOp, Unmonitored, check_as_collections,
    naive,
};
use omnilink_models::{Queue, QueueOp, Stack, StackOp};
use omnilink_trace::Timebox;
use omnilink_value::Value;

/// The number of histories of each model: `OMNILINK_ROUNDS`, or a default.
fn rounds() -> u64 {
    let given = std::env::var("OMNILINK_ROUNDS").ok();
    given.and_then(|rounds| rounds.parse().ok()).unwrap_or(4_000)
}

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
        let (mut valid, mut violations, mut in_pieces) = (0, 0, 0);
        for round in 0..rounds() {
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
            if decided_in_pieces(&model, &history).is_ok() {
                in_pieces += 1;
                let explanation = naive::explain(&model, &history, Consistency::Linearizable);
                assert!(
                    explanation.is_some(),
                    "{name}, round {round}, in pieces: {history:?}"
                );
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
        println!("{name}: {valid} valid, {violations} violations, {in_pieces} in pieces");
        assert!(self.tick > 1 || in_pieces > 0, "{name}");
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

/// Decides a history in pieces that are as small as possible.
fn decided_in_pieces<M: Model>(model: &M, history: &[TimedOp<M::Op>]) -> Result<(), Unmonitored> {
    let mut history = history.to_vec();
    history.sort_by_key(|operation| operation.timebox.start);
    let mut stream = CollectionStream::new(model, Options::default())?.with_pieces_of(1);
    for operation in history {
        stream.push(operation)?;
    }
    let outcome = stream.finish()?;
    assert!(outcome.conclusion.is_valid());
    Ok(())
}

/// Takes a run of 200,000 operations, eight at a time, on a collection that now and then runs empty. Returns the largest number of
/// operations that waited, and whether it was decided.
fn longest_wait<M: Model>(
    model: &M,
    mut run: impl FnMut(&mut Rng, &mut Vec<Value>) -> M::Op,
) -> (usize, Result<bool, Unmonitored>) {
    let rng = &mut Rng::with_seed(7);
    let mut inside = Vec::new();
    let operations = (0..200_000).map(|at: i64| {
        let (start, end) = (100 * at - rng.i64(0..400), 100 * at + rng.i64(0..400));
        TimedOp::new(at as u32, run(rng, &mut inside), Timebox::new(start, end))
    });
    let mut operations: Vec<TimedOp<M::Op>> = operations.collect();
    operations.sort_by_key(|operation| operation.timebox.start);
    let mut longest = 0;
    let take_all = || {
        let mut stream = CollectionStream::new(model, Options::default())?;
        for operation in operations {
            stream.push(operation)?;
            longest = longest.max(stream.waiting());
        }
        Ok(stream.finish()?.conclusion.is_valid())
    };
    let decided = take_all();
    (longest, decided)
}

#[test]
fn a_long_history_is_decided_in_pieces_that_do_not_grow_with_it() {
    let mut next = 0;
    let mut fresh = move || {
        next += 1;
        Value::int(next)
    };
    let queue = Queue {
        capacity: None,
        empty: Value::null(),
    };
    let dequeue = |values: &[Value]| QueueOp::Dequeue {
        most: Some(1),
        values: Some(values.into()),
    };
    let (longest, decided) = longest_wait(&queue, |rng, inside: &mut Vec<Value>| {
        match inside.is_empty() || inside.len() < 20 && rng.bool() {
            true if rng.u8(..8) > 0 => {
                let value = fresh();
                inside.push(value.clone());
                QueueOp::Enqueue {
                    values: [value].as_slice().into(),
                    fitted: Some(true),
                }
            }
            _ if inside.is_empty() => dequeue(&[]),
            _ => dequeue(&[inside.remove(0)]),
        }
    });
    assert_eq!(decided, Ok(true));
    assert!(longest < 20_000, "{longest} operations waited");
    let stack = Stack { empty: Value::null() };
    let mut next = 0;
    let (longest, decided) = longest_wait(&stack, |rng, inside: &mut Vec<Value>| match inside.pop() {
        Some(value) if rng.u8(..16) > 6 => StackOp::Pop(Some(Some(value))),
        top => {
            inside.extend(top);
            next += 1;
            inside.push(Value::int(next));
            StackOp::Push(Value::int(next))
        }
    });
    assert_eq!(decided, Ok(true));
    assert!(longest < 20_000, "{longest} operations waited");
}

/// Two rounds of additions, each of many threads at once, with four values each; then one thread removes everything. `order` gives the
/// values in the order of removal from those of the two rounds.
fn two_rounds<O>(
    threads: i64,
    add: impl Fn(Value) -> O,
    remove: impl Fn(Value) -> O,
    order: impl Fn(Vec<i64>, Vec<i64>) -> Vec<i64>,
) -> Vec<TimedOp<O>> {
    let rng = &mut Rng::with_seed(19);
    let mut rounds = [Vec::new(), Vec::new()];
    let mut history = Vec::new();
    for (round, values) in (0..).zip(&mut rounds) {
        for thread in 0..threads {
            let value = 4 * round + thread % 4;
            values.push(value);
            let start = 2_000 * round + thread;
            let timebox = Timebox::new(start, start + 1_000);
            history.push(TimedOp::new(thread as u32, add(Value::int(value)), timebox));
        }
        rng.shuffle(values);
    }
    let [first, second] = rounds;
    for (at, value) in (0..).zip(order(first, second)) {
        let timebox = Timebox::new(9_000 + 10 * at, 9_005 + 10 * at);
        history.push(TimedOp::new(threads as u32, remove(Value::int(value)), timebox));
    }
    history
}

/// The general search would try every order of the additions.
#[test]
fn equal_values_that_many_threads_add_at_once_are_decided() {
    let queue = Queue {
        capacity: None,
        empty: Value::null(),
    };
    let enqueue = |value: Value| QueueOp::Enqueue {
        values: [value].as_slice().into(),
        fitted: Some(true),
    };
    let dequeue = |value: Value| QueueOp::Dequeue {
        most: Some(1),
        values: Some([value].as_slice().into()),
    };
    let stack = Stack { empty: Value::null() };
    let push = StackOp::Push;
    let pop = |value: Value| StackOp::Pop(Some(Some(value)));
    for threads in [4, 8, 32] {
        for is_swapped in [false, true] {
            let swapped = |mut order: Vec<i64>| {
                let middle = threads as usize;
                if is_swapped {
                    order.swap(middle - 1, middle);
                }
                order
            };
            let in_order = two_rounds(threads, enqueue, dequeue, |first, second| {
                swapped([first, second].concat())
            });
            let reversed = two_rounds(threads, push, pop, |first, second| {
                swapped([second, first].concat())
            });
            let outcomes = [
                check_as_collections(&queue, &in_order, &Options::default()),
                check_as_collections(&stack, &reversed, &Options::default()),
            ];
            for outcome in outcomes {
                let Ok(Ok(outcome)) = outcome else {
                    panic!("{threads} threads: {outcome:?}");
                };
                match outcome.conclusion {
                    Conclusion::Violation(found) if is_swapped => {
                        let broken = found.broken.expect("a monitor names the rule");
                        // Two values, with all their copies.
                        assert!(broken.operations.len() <= threads as usize, "{broken:?}");
                    }
                    conclusion => assert_eq!(conclusion.is_valid(), !is_swapped, "{threads} threads"),
                }
            }
        }
    }
}
