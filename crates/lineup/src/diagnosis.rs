//! Diagnoses: which kind of bug a violation is.

use crate::execution::{RunEnding, StuckKind};
use crate::history::{HistoryEnding, HistoryEvent};
use crate::serial::{CallOutcome, SerialHistories};
use crate::slot::{CallSlot, Lane};
use crate::verdict::{CheckedMatrix, MatrixVerdict, RunViolation, Why};

/// The kind of a bug, as it follows from the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// Results that no order explains.
    NotLinearizable,
    /// A call returned that never returns in a serial run: threads wait for each other on purpose.
    Rendezvous(CallSlot),
    /// One thread waits, all others have finished, and serial runs are not stuck there: no thread is left to wake it.
    LostWakeup(CallSlot),
    /// Several threads wait that would go on in serial runs: they wait for each other.
    Deadlock,
    /// Threads run, but the state of the program repeats.
    Livelock,
    /// The process died.
    Crash,
    /// Memory is never freed, and nothing points to it.
    Leak,
    /// Two accesses race.
    Race,
    /// Serial runs block where nothing may block.
    Blocks,
}

impl Diagnosis {
    /// The diagnosis of a matrix with a violation.
    pub fn of(checked: &CheckedMatrix) -> Option<Self> {
        match &checked.verdict {
            MatrixVerdict::Violation(violation) => Some(diagnose(violation, &checked.serial)),
            _ => None,
        }
    }

    /// In a few words.
    pub fn headline(&self) -> &'static str {
        match self {
            Self::NotLinearizable => "not linearizable",
            Self::Rendezvous(_) => "not linearizable (a rendezvous)",
            Self::LostWakeup(_) => "stuck: a lost wake-up",
            Self::Deadlock => "stuck: a deadlock",
            Self::Livelock => "stuck: a livelock",
            Self::Crash => "crashes",
            Self::Leak => "leaks memory",
            Self::Race => "a data race",
            Self::Blocks => "blocks",
        }
    }
}

fn diagnose(violation: &RunViolation, serial: &SerialHistories) -> Diagnosis {
    match &violation.why {
        Why::Race(_) => Diagnosis::Race,
        Why::Crash(..) | Why::CrashAlone(..) if violation.is_leak() => Diagnosis::Leak,
        Why::Crash(..) | Why::CrashAlone(..) => Diagnosis::Crash,
        Why::Results(_) | Why::Specification(_) => match rendezvous(violation, serial) {
            Some(slot) => Diagnosis::Rendezvous(slot),
            None => Diagnosis::NotLinearizable,
        },
        Why::Blocked(_) if violation.is_serial => Diagnosis::Blocks,
        Why::Stuck(_) | Why::Blocked(_) => {
            let pending = violation.history.pending();
            match (&violation.execution.ending, pending.as_slice()) {
                (RunEnding::Stuck(StuckKind::Livelock), _) => Diagnosis::Livelock,
                (_, [slot]) => Diagnosis::LostWakeup(*slot),
                _ => Diagnosis::Deadlock,
            }
        }
    }
}

/// A call that returned, but is stuck in every serial run that makes it.
fn rendezvous(violation: &RunViolation, serial: &SerialHistories) -> Option<CallSlot> {
    if violation.history.ending != HistoryEnding::Finished || serial.stuck() == 0 {
        return None;
    }
    let histories = serial.histories();
    let always_stuck = |slot: CallSlot| {
        let mut outcomes = histories
            .iter()
            .flatten()
            .filter(|step| step.slot == slot)
            .peekable();
        outcomes.peek().is_some() && outcomes.all(|step| step.outcome == CallOutcome::Stuck)
    };
    let returned = violation.history.events.iter().filter_map(|event| match event {
        HistoryEvent::Return(slot, _) if matches!(slot.lane, Lane::Thread(_)) => Some(*slot),
        _ => None,
    });
    returned.into_iter().find(|slot| always_stuck(*slot))
}
