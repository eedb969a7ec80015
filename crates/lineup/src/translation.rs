//! Translation between test matrices and the scheduler's programs and executions.

use omnilink_sched::{
    DataRace, Ending, Execution, HarnessEventKind, MemoryErrorKind, RacingAccess, SchedError, StuckReason,
    TestProgram, ThreadId, UnresponsiveReason,
};

use crate::execution::{
    Cut, Located, MatrixRun, RaceReport, RunEnding, RunEvent, StackFrame, StuckKind, Switch,
};
use crate::executor::ExecutorError;
use crate::matrix::Matrix;
use crate::slot::{CallSlot, Lane};

/// The reason of a run that ended with a leak.
pub(crate) const LEAK: &str = "memory leak";

pub(crate) fn failed(error: SchedError) -> ExecutorError {
    ExecutorError::Failed(error.to_string())
}

pub(crate) fn test_program(matrix: &Matrix) -> TestProgram {
    let numbers = |lane| matrix.lane(lane).iter().map(|call| u32::from(call.0)).collect();
    TestProgram {
        before: numbers(Lane::Initial),
        columns: (0..matrix.threads.len())
            .map(|thread| numbers(Lane::Thread(thread as u8)))
            .collect(),
        after: numbers(Lane::Final),
    }
}

/// The slot of a call: the scheduler's main thread makes the initial and the final calls.
fn slot_of(matrix: &Matrix, thread: ThreadId, position: u32) -> CallSlot {
    let position = position.min(u32::from(u8::MAX)) as u8;
    let initial = matrix.initial.len() as u8;
    match lane_of(matrix, thread) {
        Lane::Initial if position >= initial => CallSlot {
            lane: Lane::Final,
            index: position - initial,
        },
        lane => CallSlot {
            lane,
            index: position,
        },
    }
}

pub(crate) fn lane_of(matrix: &Matrix, thread: ThreadId) -> Lane {
    if usize::from(thread) == matrix.threads.len() {
        Lane::Initial
    } else {
        Lane::Thread(thread)
    }
}

/// The run of a matrix that an execution is, without source lines.
pub(crate) fn matrix_run(execution: &Execution, matrix: &Matrix) -> MatrixRun {
    let events: Vec<RunEvent> = execution
        .events
        .iter()
        .map(|event| {
            let slot = slot_of(matrix, event.thread, event.position);
            match &event.kind {
                HarnessEventKind::Call => RunEvent::Call(slot),
                HarnessEventKind::Return(result) => RunEvent::Return(slot, result.as_str().into()),
            }
        })
        .collect();
    let ending = ending_of(execution, &events, matrix);
    let switches = execution.switches().filter_map(|(at, step)| {
        let from = step.current?;
        let after_events = execution.events.partition_point(|event| event.step <= at as u64);
        Some(Switch {
            after_events,
            step: at,
            from: lane_of(matrix, from),
            to: lane_of(matrix, step.chosen),
            is_preemption: step.is_preemption(),
            code: step.current_code,
            source_line: None,
        })
    });
    MatrixRun {
        ending,
        schedule: execution.schedule(),
        preemptions: execution.preemptions(),
        stale_reads: execution.stale_reads(),
        switches: switches.collect(),
        accesses: Vec::new(),
        races: execution.races.iter().map(|race| race_of(race, matrix)).collect(),
        memory_error: memory_error_of(execution, matrix),
        racy_accesses: Vec::new(),
        output: execution.output.clone(),
        stack: execution
            .stack
            .iter()
            .map(|code| StackFrame {
                code: *code,
                source_line: None,
            })
            .collect(),
        events,
    }
}

fn located(what: String, code: u64) -> Located {
    Located {
        what,
        code,
        source_line: None,
    }
}

fn race_of(race: &DataRace, matrix: &Matrix) -> RaceReport {
    let described = |access: &RacingAccess| {
        let who = match usize::from(access.thread) {
            thread if thread < matrix.threads.len() => format!("thread {thread}"),
            thread if thread == matrix.threads.len() => "the main thread".to_owned(),
            _ => "a thread of the component".to_owned(),
        };
        let does = match (access.writes, access.atomic) {
            (true, true) => "writes (atomically)",
            (true, false) if access.frees => "frees",
            (true, false) => "writes",
            (false, true) => "reads (atomically)",
            (false, false) => "reads",
        };
        located(format!("{who} {does}"), access.code)
    };
    let [one, other] = &race.accesses;
    RaceReport {
        accesses: [described(one), described(other)],
        is_inconclusive: race.is_inconclusive || race.unknown_call.is_some(),
        frees: one.frees || other.frees,
        unknown_call: race.unknown_call.map(|call| call.to_string()),
    }
}

/// The memory error that a run ended with, in words.
fn memory_error_of(execution: &Execution, matrix: &Matrix) -> Vec<Located> {
    let Ending::MemoryError { thread, error } = &execution.ending else {
        return Vec::new();
    };
    let who = if usize::from(*thread) < matrix.threads.len() {
        format!("thread {thread}")
    } else {
        "the main thread".to_owned()
    };
    let bytes = match error.size {
        1 => "1 byte".to_owned(),
        size => format!("{size} bytes"),
    };
    let what = match error.kind {
        MemoryErrorKind::UseAfterFree => {
            format!("{who} uses freed memory (byte {} of {bytes})", error.offset)
        }
        MemoryErrorKind::OutOfBounds => format!("{who} uses byte {} of a block of {bytes}", error.offset),
        MemoryErrorKind::DoubleFree => format!("{who} frees a block of {bytes} again, in a function called"),
        MemoryErrorKind::BadFree => format!("{who} frees what was never allocated, in a function called"),
        MemoryErrorKind::Leak => {
            let what = match error.offset {
                1 => format!("a block of {bytes} is never freed, and nothing points to it"),
                many => format!("{many} blocks are never freed, and nothing points to them; one has {bytes}"),
            };
            return vec![located(
                format!("{what}; it was allocated in a function called"),
                error.allocated,
            )];
        }
    };
    let mut lines = vec![located(what, error.code)];
    if error.allocated != 0 {
        lines.push(located(
            "it was allocated in a function called".to_owned(),
            error.allocated,
        ));
    }
    if error.freed != 0 {
        lines.push(located(
            "it was freed in a function called".to_owned(),
            error.freed,
        ));
    }
    lines
}

fn ending_of(execution: &Execution, events: &[RunEvent], matrix: &Matrix) -> RunEnding {
    match &execution.ending {
        Ending::Finished => RunEnding::Finished,
        Ending::Stuck(stuck) => RunEnding::Stuck(match stuck.reason {
            StuckReason::Deadlock => StuckKind::Deadlock,
            StuckReason::Livelock => StuckKind::Livelock,
        }),
        Ending::Crashed {
            thread,
            signal,
            exit_code,
        } => RunEnding::Crashed {
            slot: open_call(events, *thread, matrix),
            reason: match (signal, exit_code) {
                (Some(signal), _) => signal_name(*signal),
                (None, Some(code)) => format!("exit({code})"),
                (None, None) => "ended".to_owned(),
            }
            .into(),
        },
        Ending::MemoryError { thread, error } => RunEnding::Crashed {
            slot: open_call(events, *thread, matrix),
            reason: match error.kind {
                MemoryErrorKind::UseAfterFree => "use after free",
                MemoryErrorKind::OutOfBounds => "access out of bounds",
                MemoryErrorKind::DoubleFree => "double free",
                MemoryErrorKind::BadFree => "free of what was not allocated",
                MemoryErrorKind::Leak => LEAK,
            }
            .into(),
        },
        Ending::Diverged { .. } => RunEnding::Diverged,
        Ending::Unresponsive { thread, reason } => {
            let slot = open_call(events, *thread, matrix);
            RunEnding::Cut(match reason {
                UnresponsiveReason::Computes => Cut::Computes(slot),
                UnresponsiveReason::Waits => Cut::Waits(slot),
                UnresponsiveReason::Late => Cut::Late(slot),
            })
        }
        Ending::StepLimit => RunEnding::Cut(Cut::Steps(execution.steps_made)),
        Ending::TooManyThreads => RunEnding::Cut(Cut::TooManyThreads),
        Ending::EventsTooLarge => RunEnding::Cut(Cut::ResultsTooLarge),
        // The explorer leaves these out: only a schedule that a user wrote leads here.
        Ending::Idle => RunEnding::Diverged,
    }
}

/// The open call of a thread, if there is one.
fn open_call(events: &[RunEvent], thread: ThreadId, matrix: &Matrix) -> Option<CallSlot> {
    let is_theirs = |slot: &CallSlot| match (slot.lane, lane_of(matrix, thread)) {
        (Lane::Thread(one), Lane::Thread(other)) => one == other,
        (Lane::Initial | Lane::Final, Lane::Initial) => true,
        _ => false,
    };
    let theirs = |event: &&RunEvent| match event {
        RunEvent::Call(slot) | RunEvent::Return(slot, _) => is_theirs(slot),
    };
    match events.iter().rev().find(theirs) {
        Some(RunEvent::Call(slot)) => Some(*slot),
        _ => None,
    }
}

/// The name of a signal that kills a process.
fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL".to_owned(),
        5 => "SIGTRAP".to_owned(),
        6 => "SIGABRT".to_owned(),
        7 => "SIGBUS".to_owned(),
        8 => "SIGFPE".to_owned(),
        9 => "SIGKILL".to_owned(),
        11 => "SIGSEGV".to_owned(),
        other => format!("signal {other}"),
    }
}
