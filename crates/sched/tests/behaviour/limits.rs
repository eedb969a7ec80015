//! Limits and interrupts, which also end a run in progress.

use crate::support::{components, program};
use omnilink_sched::{
    Executor, ExplorationStrategy, ExploreOptions, HarnessExecutor, HarnessOptions, SchedError,
    StopConditions, StopReason, explore,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// A harness whose calls may compute for a minute.
fn patient_harness() -> HarnessExecutor {
    let options = HarnessOptions {
        arguments: vec!["crashes".into()],
        compute_seconds_max: 60,
        ..Default::default()
    };
    HarnessExecutor::start(components(), &options).unwrap()
}

/// Explores a program with a call that computes for ever.
fn explored_until(stop: StopConditions) -> StopReason {
    let mut executors: [Box<dyn Executor>; 1] = [Box::new(patient_harness())];
    let options = ExploreOptions {
        stop,
        ..Default::default()
    };
    let visit = &mut |_: &_| ControlFlow::Continue(());
    let exploration = explore(
        &mut executors,
        &program("3"),
        ExplorationStrategy::Serial,
        &options,
        visit,
    );
    exploration.unwrap().stopped
}

fn soon() -> StopConditions {
    StopConditions {
        deadline: Some(Instant::now() + Duration::from_millis(300)),
        ..Default::default()
    }
}

#[test]
fn a_deadline_ends_a_run_in_progress() {
    assert_eq!(explored_until(soon()), StopReason::TimeLimit);
}

#[test]
fn an_interrupt_ends_a_run_in_progress() {
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(300));
        INTERRUPT.store(true, SeqCst);
    });
    let stop = StopConditions {
        interrupt: Some(&INTERRUPT),
        ..Default::default()
    };
    assert_eq!(explored_until(stop), StopReason::Interrupted);
}

#[test]
fn a_memory_limit_ends_an_exploration() {
    let stop = StopConditions {
        memory_bytes_max: Some(1),
        ..Default::default()
    };
    assert_eq!(explored_until(stop), StopReason::MemoryLimit);
}

#[test]
fn a_deadline_ends_rounds_of_native_threads() {
    let stopped = patient_harness().sample_native(&program("3"), 10, &soon());
    assert!(
        matches!(stopped, Err(SchedError::Stopped(StopReason::TimeLimit))),
        "{stopped:?}"
    );
}

#[test]
fn a_harness_serves_the_next_run_after_one_that_was_stopped() {
    let mut harness = patient_harness();
    let stopped = harness.sample_native(&program("3"), 1, &soon());
    assert!(stopped.is_err(), "{stopped:?}");
    let rounds = harness.sample_native(&program("1"), 3, &StopConditions::default());
    assert_eq!(rounds.unwrap().len(), 3);
}
