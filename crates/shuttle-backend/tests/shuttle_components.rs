//! Components that were ported to shuttle.

use omnilink_sched::harness::Component;
use omnilink_sched::{
    Ending, EventKind, Execution, Executor, ExploreOptions, Program, StopReason, Strategy, explore, replay,
};
use omnilink_shuttle::ShuttleExecutor;
use shuttle::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use shuttle::sync::{Condvar, Mutex};
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

struct Calls<T: 'static>(T, &'static [fn(&T) -> String]);

impl<T: Sync + 'static> Component for Calls<T> {
    fn call(&self, _thread: u32, op: u32) -> String {
        self.1[op as usize](&self.0)
    }
}

fn queue() -> ShuttleExecutor {
    ShuttleExecutor::new(2, || {
        Box::new(Calls(
            Mutex::new(VecDeque::new()),
            &[
                |q| {
                    q.lock().unwrap().push_back(1);
                    String::new()
                },
                |q| format!("{:?}", q.lock().unwrap().pop_front()),
            ],
        ))
    })
}

fn counter() -> ShuttleExecutor {
    ShuttleExecutor::new(2, || {
        Box::new(Calls(
            AtomicI64::new(0),
            &[
                |n| {
                    let seen = n.load(SeqCst);
                    n.store(seen + 1, SeqCst);
                    seen.to_string()
                },
                |n| {
                    if n.fetch_add(1, SeqCst) == 1 {
                        panic!("second")
                    } else {
                        String::new()
                    }
                },
            ],
        ))
    })
}

/// Takes an item, waiting for it; puts one in, telling those who wait or not.
fn blocking() -> ShuttleExecutor {
    ShuttleExecutor::new(3, || {
        Box::new(Calls(
            (Mutex::new(0), Condvar::new()),
            &[
                |(items, filled)| {
                    let mut items = items.lock().unwrap();
                    while *items == 0 {
                        items = filled.wait(items).unwrap();
                    }
                    *items -= 1;
                    String::new()
                },
                |(items, filled)| {
                    *items.lock().unwrap() += 1;
                    filled.notify_one();
                    String::new()
                },
                |(items, _)| {
                    *items.lock().unwrap() += 1;
                    String::new()
                },
            ],
        ))
    })
}

fn spin() -> ShuttleExecutor {
    ShuttleExecutor::new(1, || {
        Box::new(Calls(
            (AtomicBool::new(false), AtomicI64::new(0)),
            &[|(taken, n)| {
                while taken.swap(true, SeqCst) {
                    shuttle::hint::spin_loop();
                }
                let seen = n.load(SeqCst);
                n.store(seen + 1, SeqCst);
                taken.store(false, SeqCst);
                seen.to_string()
            }],
        ))
    })
}

fn program(columns: &str) -> Program {
    let ops = |column: &str| {
        column
            .chars()
            .map(|op| op.to_digit(10).expect("a digit"))
            .collect()
    };
    Program::new(columns.split(' ').map(ops).collect())
}

fn drawn(execution: &Execution) -> String {
    let events = execution.canonical_events();
    let words = events.iter().map(|event| match &event.kind {
        EventKind::Call => format!("+{}", event.thread),
        EventKind::Return(value) => format!("-{}:{value}", event.thread),
    });
    let end = (execution.ending != Ending::Finished).then(|| "!".to_owned());
    words.chain(end).collect::<Vec<_>>().join(" ")
}

fn explored(
    executor: ShuttleExecutor,
    columns: &str,
    strategy: Strategy,
) -> (u64, BTreeSet<String>, Vec<Execution>) {
    let mut executors: Vec<Box<dyn Executor>> = vec![Box::new(executor)];
    let (mut histories, mut executions) = (BTreeSet::new(), Vec::new());
    let mut visit = |execution: &Execution| {
        histories.insert(drawn(execution));
        executions.push(execution.clone());
        ControlFlow::Continue(())
    };
    let options = ExploreOptions::default();
    let exploration = explore(&mut executors, &program(columns), strategy, &options, &mut visit).unwrap();
    assert_eq!(
        (exploration.stopped, exploration.diverged),
        (StopReason::Exhausted, 0)
    );
    (exploration.executions, histories, executions)
}

fn bounded(preemptions_max: u32) -> Strategy {
    Strategy::Bounded {
        preemptions_max: Some(preemptions_max),
        reduction: false,
    }
}

#[test]
fn three_threads_with_three_calls_have_1680_serial_histories() {
    let (executions, histories, _) = explored(queue(), "010 101 011", Strategy::Serial);
    assert_eq!((executions, histories.len()), (1680, 1680));
}

#[test]
fn an_update_is_lost_with_one_preemption() {
    let lost = "+0 +1 -0:0 -1:0";
    assert!(!explored(counter(), "0 0", bounded(0)).1.contains(lost));
    assert!(explored(counter(), "0 0", bounded(1)).1.contains(lost));
    assert!(
        explored(
            counter(),
            "0 0",
            Strategy::Random {
                seed: 3,
                executions: 50
            }
        )
        .1
        .contains(lost)
    );
    let priorities = Strategy::Priorities {
        seed: 3,
        executions: 50,
        changes: 1,
    };
    assert!(explored(counter(), "0 0", priorities).1.contains(lost));
}

#[test]
fn executions_are_repeated_by_their_schedules() {
    let (_, _, executions) = explored(queue(), "01 01", bounded(2));
    for first in executions {
        let options = ExploreOptions::default();
        let again = replay(
            &mut queue(),
            &program("01 01"),
            &first.schedule(),
            &options,
            false,
        )
        .unwrap();
        assert_eq!(again.events, first.events);
    }
}

#[test]
fn a_wake_up_that_is_forgotten_leaves_the_waiter_stuck() {
    assert!(explored(blocking(), "0 2", bounded(0)).1.contains("+0 +1 -1: !"));
    assert!(
        explored(blocking(), "0 1", bounded(2))
            .1
            .iter()
            .all(|history| !history.contains('!'))
    );
    assert!(explored(blocking(), "0 1", Strategy::Serial).1.contains("+0 !"));
}

#[test]
fn spinning_is_fair() {
    let (executions, histories, _) = explored(spin(), "00 00", bounded(2));
    assert!(executions < 1_000, "{executions}");
    assert!(histories.iter().all(|history| !history.contains('!')));
}

#[test]
fn a_panic_is_the_result_of_its_call() {
    let histories = explored(counter(), "1 1", bounded(0)).1;
    assert!(
        histories.contains("+0 -0: +1 -1:panicked: second"),
        "{histories:?}"
    );
}
