//! Exactly known sets of histories.

use crate::support::{explored, explored_with, pool, program};
use omnilink_sched::{ExplorationStrategy, SchedulingPoints};
use std::collections::BTreeSet;

fn bounded(preemptions_max: u32) -> ExplorationStrategy {
    ExplorationStrategy::Bounded {
        preemptions_max: Some(preemptions_max),
        reduction: false,
    }
}

#[test]
fn three_threads_with_three_calls_have_1680_serial_histories() {
    let serial = explored("queue", "021 202 022", ExplorationStrategy::Serial);
    assert_eq!(serial.histories.len(), 1680);
    assert_eq!(serial.exploration.executions, 1680);
}

/// A reference implementation: `counter` as a state machine, whose schedules are enumerated one by one. A call of kind 0 loads, then
/// stores; a call of kind 2 adds in one step.
#[derive(Clone, Default)]
struct Machine {
    counter: i64,
    seen: [Option<i64>; 3],
    done: [usize; 3],
    history: Vec<String>,
}

impl Machine {
    fn step(&mut self, thread: usize, op: char) {
        let returned = match (op, self.seen[thread].take()) {
            ('0', None) => {
                self.history.push(format!("+{thread}"));
                self.seen[thread] = Some(self.counter);
                return;
            }
            ('0', Some(seen)) => {
                self.counter = seen + 1;
                seen
            }
            _ => {
                self.history.push(format!("+{thread}"));
                self.counter += 1;
                self.counter - 1
            }
        };
        self.history.push(format!("-{thread}:{returned}"));
        self.done[thread] += 1;
    }

    /// Adjacent calls, and adjacent returns, in the order of threads.
    fn canonical(&self) -> String {
        let mut words = self.history.clone();
        for run in words.chunk_by_mut(|a, b| a.as_bytes()[0] == b.as_bytes()[0]) {
            run.sort();
        }
        words.join(" ")
    }
}

/// The number of schedules within a bound, and their histories.
fn enumerate(
    columns: &[&str],
    machine: Machine,
    last: Option<usize>,
    left: u32,
    found: &mut (u64, BTreeSet<String>),
) {
    let op = |thread: usize| columns[thread].chars().nth(machine.done[thread]);
    let mut finished = true;
    for thread in 0..columns.len() {
        let Some(next) = op(thread) else { continue };
        finished = false;
        let preempts = last.is_some_and(|last| last != thread && op(last).is_some());
        if let Some(left) = left.checked_sub(preempts.into()) {
            let mut after = machine.clone();
            after.step(thread, next);
            enumerate(columns, after, Some(thread), left, found);
        }
    }
    if finished {
        found.0 += 1;
        found.1.insert(machine.canonical());
    }
}

#[test]
fn executions_and_histories_within_each_bound_are_those_of_a_machine() {
    for columns in ["0 0", "00 00", "22 22", "02 20", "0 0 0", "2 0 02"] {
        for bound in 0..=3 {
            let mut found = (0, BTreeSet::new());
            enumerate(
                &columns.split(' ').collect::<Vec<_>>(),
                Machine::default(),
                None,
                bound,
                &mut found,
            );
            let explored = explored("counter", columns, bounded(bound));
            assert_eq!(
                explored.exploration.executions, found.0,
                "{columns} within {bound}"
            );
            assert_eq!(explored.histories, found.1, "{columns} within {bound}");
        }
    }
}

/// Two counters, one that adds in one step and one that loads and then stores: executions and histories with up to 0, 1
/// and 2 preemptions, counted by hand where they are few and by a program of a few lines where not.
#[test]
fn two_counters_have_the_expected_numbers_of_executions_and_histories_within_each_bound() {
    let known = [
        ("22 22", [(2, 2), (4, 4), (6, 6)]),
        ("222 222", [(2, 2), (6, 6), (14, 14)]),
        ("22 22 22", [(6, 6), (24, 24), (60, 60)]),
        ("222 222 222", [(6, 6), (42, 42), (192, 192)]),
        ("00 00", [(2, 2), (8, 8), (26, 18)]),
        ("000 000", [(2, 2), (12, 12), (62, 52)]),
        ("00 00 00", [(6, 6), (60, 60), (402, 330)]),
        ("000 000 000", [(6, 6), (96, 96), (1056, 966)]),
    ];
    for (columns, counts) in known {
        for (bound, expected) in (0..).zip(counts) {
            let explored = explored("counter", columns, bounded(bound));
            let found = (explored.exploration.executions, explored.histories.len());
            assert_eq!(found, expected, "{columns} within {bound}");
        }
    }
}

#[test]
fn bounds_grow_without_making_an_execution_twice() {
    let two = explored("counter", "00 00", bounded(2));
    let made: Vec<u64> = two
        .exploration
        .bounds
        .iter()
        .map(|bound| bound.executions)
        .collect();
    assert_eq!(made, [2, 6, 18]);
    let schedules: BTreeSet<String> = two.executions.iter().map(|e| e.schedule().to_string()).collect();
    assert_eq!(schedules.len(), 26);
    let preemptions: Vec<u32> = two.executions.iter().map(|e| e.preemptions()).collect();
    assert!(preemptions.is_sorted());
}

#[test]
fn plain_accesses_are_scheduling_points_only_on_request() {
    let all = |accesses| explored_with(&mut pool("racy", 1), &program("0 0"), bounded(1), accesses).histories;
    let lost_update = "+0 +1 -0:0 -1:0";
    assert!(!all(SchedulingPoints::Atomic).contains(lost_update));
    assert!(all(SchedulingPoints::All).contains(lost_update));
}

#[test]
fn several_workers_find_the_same_executions_as_one() {
    let schedules = |workers| {
        let explored = explored_with(
            &mut pool("queue", workers),
            &program("02 12"),
            bounded(2),
            SchedulingPoints::Atomic,
        );
        explored
            .executions
            .iter()
            .map(|e| e.schedule().to_string())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(schedules(1), schedules(3));
}

#[test]
fn calls_before_and_after_are_made_alone_by_the_main_thread() {
    let mut both = program("2 2");
    both.before = vec![0];
    both.after = vec![1, 1];
    let explored = explored_with(
        &mut pool("counter", 1),
        &both,
        bounded(1),
        SchedulingPoints::Atomic,
    );
    let expected = [
        "+2 -2:0 +0 -0:1 +1 -1:2 +2 -2:3 +2 -2:3",
        "+2 -2:0 +1 -1:1 +0 -0:2 +2 -2:3 +2 -2:3",
    ];
    assert_eq!(explored.histories, expected.map(str::to_owned).into());
}

#[test]
fn threads_that_a_component_creates_are_scheduled_too() {
    let histories = explored("threads", "0", bounded(1)).histories;
    assert_eq!(
        histories,
        ["+0 -0:1", "+0 -0:10", "+0 -0:11"].map(str::to_owned).into()
    );
}

#[test]
fn random_strategies_reach_what_few_preemptions_reach() {
    let all = explored("counter", "0 0", bounded(2)).histories;
    let random = explored(
        "counter",
        "0 0",
        ExplorationStrategy::Random {
            seed: 1,
            executions: 60,
        },
    );
    assert_eq!(random.exploration.executions, 60);
    assert_eq!(random.histories, all);
    let priorities = explored(
        "counter",
        "0 0",
        ExplorationStrategy::Priorities {
            seed: 1,
            executions: 60,
            changes: 1,
        },
    );
    assert_eq!(priorities.histories, all);
    let orders = explored(
        "counter",
        "0 0",
        ExplorationStrategy::PartialOrders {
            seed: 1,
            executions: 60,
        },
    );
    assert_eq!(orders.histories, all);
}
