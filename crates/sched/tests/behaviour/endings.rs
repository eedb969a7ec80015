//! Executions that do not finish.

use crate::support::{components, explored, program, start};
use omnilink_sched::{
    Ending, Executor, ExplorationStrategy, HarnessEventKind, HarnessExecutor, HarnessOptions, RunOptions,
    Schedule, StuckReason, StuckThreads, UnresponsiveReason,
};

fn bounded(preemptions_max: u32) -> ExplorationStrategy {
    ExplorationStrategy::Bounded {
        preemptions_max: Some(preemptions_max),
        reduction: false,
    }
}

fn serial() -> RunOptions {
    RunOptions {
        serial: true,
        ..RunOptions::follow(Schedule::default())
    }
}

fn stuck(reason: StuckReason, threads: &[u8]) -> Ending {
    Ending::Stuck(StuckThreads {
        reason,
        threads: threads.to_vec(),
    })
}

#[test]
fn locks_taken_in_opposite_order_deadlock() {
    let endings: Vec<Ending> = explored("locks", "0 1", bounded(1))
        .executions
        .into_iter()
        .map(|e| e.ending)
        .collect();
    assert!(endings.contains(&stuck(StuckReason::Deadlock, &[0, 1])));
    assert!(endings.contains(&Ending::Finished));
    let without_preemption = explored("locks", "0 1", bounded(0));
    assert!(
        without_preemption
            .executions
            .iter()
            .all(|e| e.ending == Ending::Finished)
    );
}

#[test]
fn spinning_on_a_lock_that_is_never_released_is_a_livelock() {
    let execution = start("spin")
        .run(&program("2 0"), &RunOptions::follow(Schedule::default()))
        .unwrap();
    assert_eq!(execution.ending, stuck(StuckReason::Livelock, &[1]));
}

#[test]
fn spinning_on_a_lock_that_is_released_ends() {
    let explored = explored("spin", "00 00", bounded(2));
    assert!(explored.executions.iter().all(|e| e.ending == Ending::Finished));
    // Of these, 12 end where a thread goes on although the lock is still taken.
    assert_eq!(explored.exploration.executions, 42);
}

#[test]
fn a_lost_wakeup_leaves_the_waiter_stuck() {
    assert!(
        explored("blocking", "2 1", bounded(0))
            .histories
            .contains("+0 +1 -0: !")
    );
    assert!(
        explored("blocking", "0 1", bounded(2))
            .executions
            .iter()
            .all(|e| e.ending == Ending::Finished)
    );
}

#[test]
fn a_time_limit_may_end_a_wait_at_any_moment() {
    let histories = explored("blocking", "0 3", bounded(1)).histories;
    assert!(
        histories.iter().any(|h| h.contains("-1:(None, true)")),
        "{histories:#?}"
    );
    assert!(
        histories.iter().any(|h| h.contains("-1:(Some(1), false)")),
        "{histories:#?}"
    );
}

#[test]
fn a_serial_execution_in_which_a_call_blocks_is_stuck_in_that_call() {
    let execution = start("blocking").run(&program("10 0"), &serial()).unwrap();
    assert_eq!(execution.ending, stuck(StuckReason::Deadlock, &[0]));
    assert_eq!(execution.events.len(), 1);
    let execution = start("spin").run(&program("20 1"), &serial()).unwrap();
    assert_eq!(execution.ending, stuck(StuckReason::Livelock, &[0]));
}

#[test]
fn a_serial_execution_lets_a_call_wait_for_the_threads_it_created() {
    let explored = explored("threads", "0 0", ExplorationStrategy::Serial);
    let mut histories: Vec<String> = explored.histories.into_iter().collect();
    histories.dedup();
    assert_eq!(histories, ["+0 -0:11 +1 -1:11", "+1 -1:11 +0 -0:11"]);
}

#[test]
fn a_crash_ends_one_execution_and_not_the_harness() {
    let mut harness = start("crashes");
    let plan = RunOptions::follow(Schedule::default());
    for _ in 0..2 {
        let aborted = harness.run(&program("0 0"), &plan).unwrap();
        assert_eq!(
            aborted.ending,
            Ending::Crashed {
                thread: 1,
                signal: Some(6),
                exit_code: None
            }
        );
        assert_eq!(aborted.events.len(), 3);
        let exited = harness.run(&program("2"), &plan).unwrap();
        assert_eq!(
            exited.ending,
            Ending::Crashed {
                thread: 0,
                signal: None,
                exit_code: Some(3)
            }
        );
    }
}

#[test]
fn a_panic_is_the_result_of_its_call() {
    let histories = explored("crashes", "1 1", bounded(0)).histories;
    assert!(
        histories.contains("+0 -0: +1 -1:panicked: second"),
        "{histories:#?}"
    );
}

#[test]
fn a_thread_that_reaches_no_scheduling_point_is_unresponsive() {
    let options = HarnessOptions {
        arguments: vec!["crashes".into()],
        compute_seconds_max: 1,
        ..Default::default()
    };
    let mut harness = HarnessExecutor::start(components(), &options).unwrap();
    let execution = harness
        .run(&program("1 3"), &RunOptions::follow(Schedule::default()))
        .unwrap();
    assert_eq!(
        execution.ending,
        Ending::Unresponsive {
            thread: 1,
            reason: UnresponsiveReason::Computes
        }
    );
    assert_eq!(execution.events.len(), 3);
}

#[test]
fn a_thread_that_waits_in_the_kernel_is_distinguished_from_one_that_computes() {
    let execution = start("crashes")
        .run(&program("1 4"), &RunOptions::follow(Schedule::default()))
        .unwrap();
    assert_eq!(
        execution.ending,
        Ending::Unresponsive {
            thread: 1,
            reason: UnresponsiveReason::Waits
        }
    );
}

/// A loop that counts its attempts is no livelock, whether the count is in a register or in memory.
#[test]
fn loops_that_give_up_end() {
    for (column, tries) in [("0", 1_000), ("1", 1_000), ("2", 1_000)] {
        let execution = start("patient")
            .run(&program(column), &RunOptions::follow(Schedule::default()))
            .unwrap();
        assert_eq!(execution.ending, Ending::Finished, "{column}");
        let last = execution.events.last().map(|event| event.kind.clone());
        assert_eq!(last, Some(HarnessEventKind::Return(tries.to_string())));
    }
    // More attempts than an execution has steps: the verdict is open.
    let execution = start("patient")
        .run(&program("3"), &RunOptions::follow(Schedule::default()))
        .unwrap();
    assert_eq!(execution.ending, Ending::StepLimit);
    // Two threads that wait for each other with a bounded backoff are a livelock.
    let execution = start("patient")
        .run(&program("4 4"), &RunOptions::follow(Schedule::default()))
        .unwrap();
    assert_eq!(execution.ending, stuck(StuckReason::Livelock, &[0, 1]));
}

#[test]
fn an_execution_longer_than_allowed_is_cut() {
    let plan = RunOptions {
        steps_max: 3,
        ..RunOptions::follow(Schedule::default())
    };
    let execution = start("counter").run(&program("00 00"), &plan).unwrap();
    assert_eq!(execution.ending, Ending::StepLimit);
    assert_eq!(execution.steps.len(), 3);
}

#[test]
fn a_component_may_create_any_number_of_threads_but_not_at_once() {
    let mut harness = start("threads");
    let plan = RunOptions::follow(Schedule::default());
    let one_by_one = harness.run(&program("1"), &plan).unwrap();
    assert_eq!(one_by_one.ending, Ending::Finished);
    let at_once = harness.run(&program("2"), &plan).unwrap();
    assert_eq!(at_once.ending, Ending::TooManyThreads);
}
