//! Failures, and reasons why nothing is known, in a few words.

use omnilink_sched::{MemoryErrorKind, StopReason, UnresponsiveReason};

use crate::failure::FailureKind;
use crate::test_run::Obstacle;

/// What failed, in a few words.
pub fn headline(kind: &FailureKind) -> String {
    match kind {
        FailureKind::Panic { place, message } => match message.lines().next() {
            Some(first) => format!("panic at {place}: {first}"),
            None => format!("panic at {place}"),
        },
        FailureKind::Assertion { place } => format!("assertion at {place}"),
        FailureKind::ExitCode(code) => format!("exit code {code}"),
        FailureKind::Signal(signal) => format!("killed by {}", signal_name(*signal)),
        FailureKind::Deadlock(_) => "deadlock".to_owned(),
        FailureKind::Livelock(_) => "livelock".to_owned(),
        FailureKind::Race(_) => "data race".to_owned(),
        FailureKind::Memory(error) => memory_words(error.kind).to_owned(),
        FailureKind::Unresponsive(UnresponsiveReason::Computes) => {
            "it computes without an end in sight".to_owned()
        }
        FailureKind::Unresponsive(UnresponsiveReason::Waits) => {
            "it waits for something outside of the program".to_owned()
        }
        FailureKind::Unresponsive(UnresponsiveReason::Late) => "it takes too long".to_owned(),
        FailureKind::TooManyThreads => "more than 128 threads at a time".to_owned(),
    }
}

/// What ended a test before all of its schedules were run, in a few words.
pub(crate) fn stop_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Interrupted => "interrupted",
        _ => "time was up",
    }
}

/// Why a test cannot be run under the scheduler, in a few words.
pub(crate) fn obstacle_words(obstacle: Obstacle) -> String {
    let words = match obstacle {
        Obstacle::NotInstrumented => "its program is not linked with the scheduler",
        Obstacle::OtherMachine => {
            "it asks for another machine, and a test under the scheduler reaches this one only; leave it out with `-- --skip NAME`"
        }
        Obstacle::TooManyThreads => "more than 128 threads at a time",
        Obstacle::Unresponsive(UnresponsiveReason::Computes, _) => "it computes for long between two steps",
        Obstacle::Unresponsive(UnresponsiveReason::Waits, _) => {
            "it waits in a call of the system that is not controlled"
        }
        Obstacle::Unresponsive(UnresponsiveReason::Late, _) => "a run takes longer than --run-limit",
    };
    match obstacle {
        Obstacle::Unresponsive(_, Some(call)) => {
            format!("{words}; it has called `{call}`, which is not seen into")
        }
        _ => words.to_owned(),
    }
}

fn memory_words(kind: MemoryErrorKind) -> &'static str {
    match kind {
        MemoryErrorKind::UseAfterFree => "use of freed memory",
        MemoryErrorKind::OutOfBounds => "access outside of a block of memory",
        MemoryErrorKind::DoubleFree => "memory is freed twice",
        MemoryErrorKind::BadFree => "something is freed that was not allocated",
        MemoryErrorKind::Leak => "memory that nothing points to is left",
    }
}

fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL (illegal instruction)".to_owned(),
        6 => "SIGABRT (abort)".to_owned(),
        7 => "SIGBUS (bad memory access)".to_owned(),
        8 => "SIGFPE (arithmetic error)".to_owned(),
        11 => "SIGSEGV (bad memory access)".to_owned(),
        signal => format!("signal {signal}"),
    }
}
