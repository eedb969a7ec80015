//! crossbeam-deque 0.8.0 (RUSTSEC-2021-0093): a stealer that takes several tasks reads them all from the buffer that it found first.
//! When the worker has moved to another buffer in between, a task is taken twice, and another one is lost.

use std::process::ExitCode;

use crossbeam_deque::{Steal, Stealer, Worker};
use omnilink_harness::{Component, RoleCell};

type Tasks = (RoleCell<Worker<i64>>, Stealer<i64>, RoleCell<Worker<i64>>);

/// Three tasks in a buffer that was larger: the next `pop` moves them to a smaller one.
fn few_of_many((worker, stealer, _): &Tasks) {
    worker.with(|worker| (1..=65).for_each(|task| worker.push(task)));
    for _ in 1..=62 {
        let _ = stealer.steal();
    }
}

fn main() -> ExitCode {
    Component::new("crossbeam-deque 0.8.0 Worker lifo", || -> Tasks {
        let worker = Worker::new_lifo();
        let stealer = worker.stealer();
        (RoleCell::new(worker), stealer, RoleCell::new(Worker::new_lifo()))
    })
    .warm(few_of_many)
    .op("pop()", |(worker, _, _)| worker.with(|worker| worker.pop()))
    .op("push(99)", |(worker, _, _)| worker.with(|worker| worker.push(99)))
    .op("steal()", |(_, stealer, other)| {
        other.with(|other| {
            let attempts = std::iter::from_fn(|| Some(stealer.steal_batch_and_pop(other)));
            let decided = attempts.take(100).find(|steal| !steal.is_retry());
            let taken = decided.and_then(Steal::success);
            (taken, std::iter::from_fn(|| other.pop()).collect::<Vec<_>>())
        })
    })
    // A worker that is busy takes several tasks.
    .sequence(["pop()", "pop()"])
    .role("worker", ["pop()", "push(99)"])
    .role("stealer", ["steal()"])
    .main()
}
