//! Collections of running programs: the live check on random events, and real queues that threads share.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, mpsc};

use fastrand::Rng;
use omnilink_engine::{
    CallEvent, CheckOutcome, Conclusion, Consistency, Decider, Limits, LiveCheck, Model, Options, Progress,
    TimedOp, check_as_collections, naive,
};
use omnilink_models::{Queue, QueueOp};
use omnilink_trace::Timebox;
use omnilink_value::Value;

use crate::common::{Shape, Visitor, Workload, each_workload, random_history};

/// Gives the calls and returns of a history to a live check, in order. The history gets the times of the events. Returns the outcome, and
/// whether there was one before the end.
fn checked_live<M: Model>(
    model: &M,
    history: &mut [TimedOp<M::Op>],
    options: Options,
) -> (CheckOutcome, bool) {
    let mut moments: Vec<(i64, bool, usize)> = Vec::new();
    for (position, operation) in history.iter().enumerate() {
        moments.push((operation.timebox.start, false, position));
        moments.extend(operation.timebox.end.map(|end| (end, true, position)));
    }
    moments.sort_unstable();
    let mut live = LiveCheck::new(model, options);
    let mut is_decided = false;
    for (now, (_, returns, position)) in (0i64..).zip(moments) {
        let TimedOp {
            thread, op, timebox, ..
        } = &mut history[position];
        let (call, thread, op) = (position as u64, *thread, op.clone());
        let event = if returns {
            timebox.end = Some(now);
            CallEvent::Return { call, op }
        } else {
            timebox.start = now;
            CallEvent::Call { call, thread, op }
        };
        is_decided |= live.feed(event).expect("fits") == Progress::Decided;
    }
    (live.finish().expect("no failure"), is_decided)
}

/// Random histories of each collection, event by event.
struct EventByEvent {
    early: u64,
}

impl Visitor for EventByEvent {
    fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
        let model = workload.model();
        if model.collection_kind().is_none() {
            return;
        }
        for round in 0..600 {
            let mut rng = Rng::with_seed(round);
            let shape = Shape {
                ops_per_thread_max: 3,
                ..Shape::default()
            };
            let mut history = random_history(workload, &mut rng, shape);
            history.truncate(9);
            // Without any fuel for the search, every history is hard.
            let options = Options {
                sweep_budget: rng.u64(..2),
                ..Options::default()
            };
            let (outcome, is_early) = checked_live(&model, &mut history, options);
            let expected = naive::explain(&model, &history, Consistency::Linearizable).is_some();
            assert_eq!(
                outcome.conclusion.is_valid(),
                expected,
                "{name}, round {round}: {history:?}"
            );
            self.early += u64::from(is_early);
        }
    }
}

#[test]
fn the_live_check_agrees_with_the_naive_checker() {
    let mut events = EventByEvent { early: 0 };
    each_workload(&mut events);
    assert!(events.early > 100);
}

fn queue() -> Queue {
    Queue {
        capacity: None,
        empty: Value::null(),
    }
}

fn enqueue(value: i64) -> QueueOp {
    QueueOp::Enqueue {
        values: [Value::int(value)].as_slice().into(),
        fitted: Some(true),
    }
}

fn dequeue(value: Option<i64>) -> QueueOp {
    let values: Vec<Value> = value.map(Value::int).into_iter().collect();
    QueueOp::Dequeue {
        most: Some(1),
        values: Some(values.as_slice().into()),
    }
}

/// Rounds in which 16 threads add at once, and then take everything out again, one after the other. The search alone would try every order of
/// the additions. In one round, if that is asked for, the queue is found empty while all of them are inside.
fn rounds_of_additions(rounds: i64, wrong: Option<i64>) -> Vec<TimedOp<QueueOp>> {
    let mut history = Vec::new();
    let mut rng = Rng::with_seed(3);
    for round in 0..rounds {
        let mut values: Vec<i64> = (16 * round..16 * round + 16).collect();
        let start = 1_000 * round;
        let add = |(thread, value): (u32, &i64)| {
            TimedOp::new(
                thread,
                enqueue(*value),
                Timebox::new(start + i64::from(thread), start + 50),
            )
        };
        history.extend((0..).zip(&values).map(add));
        rng.shuffle(&mut values);
        if wrong == Some(round) {
            history.push(TimedOp::new(
                20,
                dequeue(None),
                Timebox::new(start + 60, start + 61),
            ));
        }
        let take = |(at, value): (i64, &i64)| {
            let start = start + 100 + 2 * at;
            TimedOp::new(17, dequeue(Some(*value)), Timebox::new(start, start + 1))
        };
        history.extend((0..).zip(&values).map(take));
    }
    history
}

/// Such histories with the results of two removals exchanged: of one round, which changes nothing, or of two rounds.
#[test]
fn the_live_check_decides_histories_that_are_too_hard_for_the_search() {
    let options = Options {
        limits: Limits {
            configurations: Some(20_000),
            ..Limits::default()
        },
        ..Options::default()
    };
    let mut rng = Rng::with_seed(8);
    let (mut valid, mut violations, mut early) = (0, 0, 0);
    for wrong in [None, Some(5)].into_iter().chain([None; 20]) {
        let mut history = rounds_of_additions(30, wrong);
        let is_removal = |operation: &TimedOp<QueueOp>| matches!(operation.op, QueueOp::Dequeue { .. });
        let removals: Vec<usize> = (0..history.len())
            .filter(|at| is_removal(&history[*at]))
            .collect();
        let one = rng.usize(..removals.len() - 20);
        let (one, other) = (removals[one], removals[one + rng.usize(1..20)]);
        let op = history[one].op.clone();
        history[one].op = std::mem::replace(&mut history[other].op, op);
        let (outcome, is_early) = checked_live(&queue(), &mut history, options);
        assert_eq!(outcome.figures.decider, Some(Decider::Monitor));
        assert_eq!(
            outcome.conclusion.is_valid(),
            decided(&history).is_valid(),
            "{history:?}"
        );
        match &outcome.conclusion {
            Conclusion::Valid(_) => valid += 1,
            _ => violations += 1,
        }
        assert!(!is_early || outcome.conclusion.is_violation());
        early += u32::from(is_early);
    }
    assert!(
        valid > 3 && violations > 3 && early > 1,
        "{valid}, {violations}, {early}"
    );
}

const VALUES: i64 = 3_000;

/// The history of a queue that two threads fill and two empty, with the readings of a shared counter as clock.
fn recorded(add: impl Fn(i64) + Sync, take: impl Fn() -> Option<i64> + Sync) -> Vec<TimedOp<QueueOp>> {
    let clock = AtomicI64::new(0);
    let tick = || clock.fetch_add(1, Ordering::SeqCst);
    let fill = |thread: u32| -> Vec<TimedOp<QueueOp>> {
        let added = (0..VALUES).map(|number| {
            let (value, start) = (2 * number + i64::from(thread), tick());
            add(value);
            TimedOp::new(thread, enqueue(value), Timebox::new(start, tick()))
        });
        added.collect()
    };
    let empty = |thread: u32| -> Vec<TimedOp<QueueOp>> {
        let (mut history, mut taken, mut misses) = (Vec::new(), 0, 0);
        while taken < VALUES {
            let start = tick();
            let value = take();
            let timebox = Timebox::new(start, tick());
            match value {
                Some(_) => taken += 1,
                None => {
                    misses += 1;
                    std::thread::yield_now();
                }
            }
            // An operation that finds nothing changes nothing: not all of them have to be recorded.
            if value.is_some() || misses < VALUES {
                history.push(TimedOp::new(thread, dequeue(value), timebox));
            }
        }
        history
    };
    let mut history = Vec::new();
    std::thread::scope(|scope| {
        let (fill, empty) = (&fill, &empty);
        let threads = [
            scope.spawn(move || fill(0)),
            scope.spawn(move || fill(1)),
            scope.spawn(move || empty(2)),
            scope.spawn(move || empty(3)),
        ];
        for thread in threads {
            history.extend(thread.join().expect("no thread panicked"));
        }
    });
    history.sort_by_key(|operation| operation.timebox.start);
    history
}

fn decided(history: &[TimedOp<QueueOp>]) -> Conclusion {
    let outcome = check_as_collections(&queue(), history, &Options::default());
    let outcome = outcome.unwrap_or_else(|reason| panic!("{reason}"));
    outcome.unwrap_or_else(|error| panic!("{error}")).conclusion
}

/// The channel of the standard library (crossbeam's list of blocks) and a locked queue. With the first and the last removed value exchanged,
/// the history is none of a queue.
#[test]
fn real_queues_are_checked_live() {
    let (sender, receiver) = mpsc::channel();
    let receiver = Mutex::new(receiver);
    let channel = recorded(
        |value| sender.clone().send(value).expect("the receiver is there"),
        || receiver.lock().expect("no thread panicked").try_recv().ok(),
    );
    let shared = Mutex::new(VecDeque::new());
    let locked = recorded(
        |value| shared.lock().expect("no thread panicked").push_back(value),
        || shared.lock().expect("no thread panicked").pop_front(),
    );
    for mut history in [channel, locked] {
        assert!(decided(&history).is_valid());
        let is_removal = |operation: &TimedOp<QueueOp>| matches!(&operation.op, QueueOp::Dequeue { values: Some(values), .. } if !values.is_empty());
        let first = history.iter().position(is_removal).expect("values were removed");
        let last = history.iter().rposition(is_removal).expect("values were removed");
        let op = history[first].op.clone();
        history[first].op = std::mem::replace(&mut history[last].op, op);
        assert!(decided(&history).is_violation());
    }
}
