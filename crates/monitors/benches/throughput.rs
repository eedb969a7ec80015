//! The processor time that a monitor takes per operation: each collection, distinct and equal values, valid and violating, 8 and 64 operations open, up to a million.
//!
//! `cargo bench -p omnilink-monitors`

use std::hint::black_box;
use std::time::Instant;

use fastrand::Rng;
use omnilink_monitors::{Action, Collection, Decision, TimedAction, check};

/// Collections, and how many values there are, if they are not distinct.
const WORKLOADS: [(Collection, Option<u32>); 8] = [
    (Collection::Register, None),
    (Collection::Queue, None),
    (Collection::Queue, Some(4)),
    (Collection::Queue, Some(100)),
    (Collection::Stack, None),
    (Collection::PriorityQueue, None),
    (Collection::Set, None),
    (Collection::Bag, None),
];

fn main() {
    println!(
        "{:<14} {:>8} {:>9} {:>5} {:>10} {:>9}",
        "collection", "values", "ops", "open", "verdict", "ns/op"
    );
    for (collection, values) in WORKLOADS {
        for open in [8, 64] {
            for is_valid in [true, false] {
                for size in [10_000, 100_000, 1_000_000] {
                    let mut rng = Rng::with_seed(size as u64);
                    let mut operations = history(collection, size, open, is_valid, &mut rng);
                    for op in &mut operations {
                        if let (Some(count), Some(value)) = (values, op.action.value()) {
                            op.action = op.action.on(value % count);
                        }
                    }
                    let (cpu, started) = (cpu_nanoseconds(), Instant::now());
                    // Small histories are decided more than once: the system counts processor time in milliseconds.
                    let rounds = 1_000_000 / size;
                    for _ in 0..rounds {
                        black_box(check(collection, black_box(&operations)));
                    }
                    let used = match (cpu, cpu_nanoseconds()) {
                        (Some(before), Some(after)) => after - before,
                        _ => started.elapsed().as_nanos() as u64,
                    };
                    let nanoseconds = used / (rounds * operations.len()) as u64;
                    let verdict = match check(collection, &operations) {
                        Decision::Linearizable(_) => "valid",
                        Decision::Violation(_) => "violation",
                        Decision::Undecided(_) => "undecided",
                    };
                    println!(
                        "{:<14} {:>8} {size:>9} {open:>5} {verdict:>10} {nanoseconds:>9}",
                        format!("{collection:?}"),
                        values.map_or("distinct".to_owned(), |count| count.to_string()),
                    );
                }
            }
        }
    }
}

/// The processor time of this thread, where the system tells it: other processes do not count.
fn cpu_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// A run with `open` operations at a time on average; for a violation, near its end two values change places.
fn history(
    collection: Collection,
    size: usize,
    open: usize,
    is_valid: bool,
    rng: &mut Rng,
) -> Vec<TimedAction> {
    let mut actions = run(collection, size, rng);
    if !is_valid {
        swap_removals(collection, &mut actions, open);
    }
    let mut ends: Vec<(usize, usize)> = Vec::with_capacity(2 * size);
    for at in 0..actions.len() {
        let middle = 1_000 * (at + open);
        ends.push((middle - 1 - rng.usize(..500 * open), at));
        ends.push((middle + 1 + rng.usize(..500 * open), at));
    }
    ends.sort_unstable();
    let mut operations: Vec<TimedAction> = actions
        .iter()
        .map(|action| TimedAction {
            action: *action,
            call: 0,
            ret: None,
        })
        .collect();
    for (rank, (_, at)) in (1..).zip(ends) {
        match operations[at].call {
            0 => operations[at].call = rank,
            _ => operations[at].ret = Some(rank),
        }
    }
    operations
}

/// A correct sequential run with distinct values.
fn run(collection: Collection, size: usize, rng: &mut Rng) -> Vec<Action> {
    let mut names: Vec<u32> = (0..size as u32).collect();
    rng.shuffle(&mut names);
    let mut inside: std::collections::VecDeque<u32> = std::collections::VecDeque::new();
    let mut sorted: std::collections::BTreeSet<u32> = std::collections::BTreeSet::new();
    let mut actions = Vec::with_capacity(size);
    while actions.len() < size {
        let next = match collection {
            Collection::Queue | Collection::Set | Collection::Bag => inside.front().copied(),
            Collection::PriorityQueue => sorted.last().copied(),
            Collection::Stack | Collection::Register => inside.back().copied(),
        };
        let (choice, is_register) = (rng.usize(..10), collection == Collection::Register);
        match next {
            None if choice == 0 && collection != Collection::Set => actions.push(Action::FindEmpty),
            Some(value) if choice == 1 || is_register && choice > 3 => actions.push(Action::Peek(value)),
            Some(value) if !is_register && (choice > 5 || inside.len() > 200) => {
                actions.push(Action::Remove(value));
                sorted.remove(&value);
                match collection {
                    Collection::Stack => inside.pop_back(),
                    Collection::PriorityQueue => {
                        inside.retain(|other| *other != value);
                        None
                    }
                    _ => inside.pop_front(),
                };
            }
            _ => {
                let Some(value) = names.pop() else { break };
                actions.push(Action::Add(value));
                inside.push_back(value);
                sorted.insert(value);
            }
        }
    }
    actions
}

/// Exchanges the values of two removals or reads that are far enough apart that they do not overlap. Where values leave in any
/// order, one is removed twice.
fn swap_removals(collection: Collection, actions: &mut [Action], open: usize) {
    let from = actions.len() * 9 / 10;
    let is_use = |action: &Action| match collection {
        Collection::Register => matches!(action, Action::Peek(_)),
        _ => matches!(action, Action::Remove(_)),
    };
    let uses: Vec<usize> = (from..actions.len()).filter(|at| is_use(&actions[*at])).collect();
    let one = uses[0];
    let other = uses.iter().copied().find(|at| *at > one + 4 * open);
    if let Some(other) = other
        && let (Some(first), Some(second)) = (actions[one].value(), actions[other].value())
    {
        if !matches!(collection, Collection::Set | Collection::Bag) {
            actions[one] = actions[one].on(second);
        }
        actions[other] = actions[other].on(first);
    }
}
