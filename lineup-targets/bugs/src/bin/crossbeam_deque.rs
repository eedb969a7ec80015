//! crossbeam-deque 0.8.0 (RUSTSEC-2021-0093): a stealer may take a task twice, or tasks that were popped.

use std::process::ExitCode;

use crossbeam_deque::{Steal, Worker};
use omnilink_harness::{Component, RoleCell};

fn main() -> ExitCode {
    Component::new("crossbeam-deque 0.8.0 Worker lifo", || {
        let worker = Worker::<i64>::new_lifo();
        let (stealer, other) = (worker.stealer(), Worker::<i64>::new_lifo());
        (1..=4).for_each(|task| worker.push(task));
        (RoleCell::new(worker), stealer, RoleCell::new(other))
    })
    .op("push(5)", |(worker, _, _)| worker.with(|worker| worker.push(5)))
    .op("pop()", |(worker, _, _)| worker.with(|worker| worker.pop()))
    .op("steal()", |(_, stealer, other)| {
        other.with(|other| {
            let attempts = std::iter::from_fn(|| Some(stealer.steal_batch_and_pop(other)));
            let decided = attempts.take(100).find(|steal| !steal.is_retry());
            let taken = decided.and_then(Steal::success);
            (taken, std::iter::from_fn(|| other.pop()).collect::<Vec<_>>())
        })
    })
    .role("worker", ["push(5)", "pop()"])
    .role("stealer", ["steal()"])
    .main()
}
