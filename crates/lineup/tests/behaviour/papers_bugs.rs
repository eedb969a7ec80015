//! The bugs of the Line-Up paper, each classified as there.

use omnilink_lineup::{Blocking, CallSlot, CheckedMatrix, LineupOptions, MatrixVerdict, RunViolation, Why};

use crate::counts::checked;
use crate::machines::components::{
    Barrier, BlockingQueue, CrashingCell, HoldingCounter, ImpatientBag, ManualResetEvent, MoodyBag,
    RacyCounter, SpinCounter,
};

fn violation(checked: &CheckedMatrix) -> &RunViolation {
    match &checked.verdict {
        MatrixVerdict::Violation(violation) => violation,
        other => panic!("{other:?}"),
    }
}

fn options() -> LineupOptions {
    LineupOptions::default()
}

#[test]
fn a_counter_without_a_lock_loses_an_increment() {
    let checked = checked(
        |_| RacyCounter::default(),
        &["inc()", "get()"],
        "inc(), get() | inc()",
        options(),
    );
    let violation = violation(&checked);
    assert!(matches!(violation.why, Why::Results(_)));
    assert_eq!(violation.execution.preemptions, 1);
}

/// Blocking is part of what serial runs show, so there is nothing that contradicts them …
#[test]
fn a_get_that_keeps_the_lock_is_stuck_in_serial_runs_too() {
    let calls = &["inc()", "get()"];
    let found = checked(|_| HoldingCounter::default(), calls, "get() | inc()", options());
    assert!(matches!(found.verdict, MatrixVerdict::Passed));
    assert_eq!((found.serial.finished(), found.serial.stuck()), (1, 1));
    // … unless no call may ever block.
    let never = LineupOptions {
        blocking: Blocking::Never,
        ..options()
    };
    let found = checked(|_| HoldingCounter::default(), calls, "get() | inc()", never);
    assert!(matches!(&violation(&found).why, Why::Blocked(slots) if *slots == [CallSlot::of_thread(1, 0)]));
}

#[test]
fn a_try_take_that_times_out_reports_an_empty_bag_that_is_not() {
    let matrix = "add(1), add(2) | try_take()";
    let checked = checked(
        |_| ImpatientBag::default(),
        &["add(1)", "add(2)", "try_take()"],
        matrix,
        options(),
    );
    assert!(matches!(violation(&checked).why, Why::Results(_)));
}

#[test]
fn a_manual_reset_event_that_reads_twice_before_it_compares_gets_stuck() {
    let calls = &["set()", "reset()", "wait()", "is_set()"];
    let matrix = "wait() | set(), reset(), set()";
    let found = checked(|_| ManualResetEvent::default(), calls, matrix, options());
    let Why::Stuck(stuck) = &violation(&found).why else {
        panic!("{:?}", found.verdict)
    };
    assert_eq!(
        stuck.iter().map(|call| call.slot).collect::<Vec<_>>(),
        [CallSlot::of_thread(0, 0)]
    );
    let fixed = checked(|_| ManualResetEvent::fixed(), calls, matrix, options());
    assert!(
        matches!(fixed.verdict, MatrixVerdict::Passed),
        "{:?}",
        fixed.verdict
    );
}

#[test]
fn a_condition_variable_that_is_notified_too_rarely_loses_a_wakeup() {
    let calls = &["push(1)", "push(2)", "pop()"];
    let matrix = "pop() | pop() | push(1), push(2)";
    let found = checked(|_| BlockingQueue::losing_wakeups(), calls, matrix, options());
    assert!(matches!(violation(&found).why, Why::Stuck(_)));
    let correct = checked(|_| BlockingQueue::default(), calls, matrix, options());
    assert!(
        matches!(correct.verdict, MatrixVerdict::Passed),
        "{:?}",
        correct.verdict
    );
}

#[test]
fn a_bag_that_returns_what_it_likes_is_nondeterministic_and_shows_two_histories() {
    let matrix = "add(1), add(2), take()";
    let checked = checked(MoodyBag::new, &["add(1)", "add(2)", "take()"], matrix, options());
    let MatrixVerdict::Nondeterministic(two) = &checked.verdict else {
        panic!("{:?}", checked.verdict)
    };
    assert_eq!(two.differ_at, 2);
    assert_eq!(two.one[..2], two.other[..2]);
    assert_eq!(two.one[2].slot, two.other[2].slot);
    assert_ne!(two.one[2].outcome, two.other[2].outcome);
}

#[test]
fn a_barrier_is_stuck_alone_and_passed_together() {
    let checked = checked(
        |_| Barrier::default(),
        &["arrive()"],
        "arrive() | arrive()",
        options(),
    );
    assert_eq!((checked.serial.finished(), checked.serial.stuck()), (0, 2));
    assert!(matches!(violation(&checked).why, Why::Results(_)));
}

#[test]
fn spinning_is_waiting() {
    let checked = checked(
        |_| SpinCounter::default(),
        &["inc()"],
        "inc(), inc() | inc()",
        options(),
    );
    assert!(
        matches!(checked.verdict, MatrixVerdict::Passed),
        "{:?}",
        checked.verdict
    );
    assert_eq!(checked.phases.iter().map(|phase| phase.cut).sum::<u64>(), 0);
}

#[test]
fn a_crash_that_no_serial_run_has_is_a_violation() {
    let checked = checked(
        |_| CrashingCell::default(),
        &["take()"],
        "take() | take()",
        options(),
    );
    let violation = violation(&checked);
    assert!(matches!(violation.why, Why::Crash(..)));
    assert_eq!(checked.serial.crashed(), 0);
}
