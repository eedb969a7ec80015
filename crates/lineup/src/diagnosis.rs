//! What a violation looks like to someone who has seen many.

use crate::execution::{RunEnding, StuckKind};
use crate::history::{Close, Moment};
use crate::serial::{Fate, SerialHistories};
use crate::slot::{CallSlot, Lane};
use crate::verdict::{Checked, Verdict, Violation, Why};

/// What sort of mistake it looks like. Each follows from the run, not from a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// Results that no order explains.
    NotLinearizable,
    /// A call came back that never does in a serial run: threads wait for each other on purpose.
    Rendezvous(CallSlot),
    /// One thread sleeps, every other has come to its end, and serial runs are not stuck there: nobody is left to wake it.
    LostWakeup(CallSlot),
    /// Several threads wait, although each of them could go on in a serial run: they wait for each other.
    Deadlock,
    /// Threads run in circles.
    Livelock,
    /// The process died.
    Crash,
    /// Two accesses race.
    Race,
    /// Serial runs block where nothing may block.
    Blocks,
}

impl Diagnosis {
    /// What a checked matrix suffers from, if it has a violation.
    pub fn of(checked: &Checked) -> Option<Self> {
        match &checked.verdict {
            Verdict::Violation(violation) => Some(diagnose(violation, &checked.serial)),
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
            Self::Race => "a data race",
            Self::Blocks => "blocks",
        }
    }
}

fn diagnose(violation: &Violation, serial: &SerialHistories) -> Diagnosis {
    match &violation.why {
        Why::Race(_) => Diagnosis::Race,
        Why::Crash(..) | Why::CrashAlone(..) => Diagnosis::Crash,
        Why::Results(_) | Why::Specification(_) => match meets(violation, serial) {
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

/// A call that came back here and that every serial run which makes it is stuck in.
fn meets(violation: &Violation, serial: &SerialHistories) -> Option<CallSlot> {
    if violation.history.close != Close::Finished || serial.stuck() == 0 {
        return None;
    }
    let histories = serial.histories();
    let always_stuck = |slot: CallSlot| {
        let mut fates = histories
            .iter()
            .flatten()
            .filter(|step| step.slot == slot)
            .peekable();
        fates.peek().is_some() && fates.all(|step| step.fate == Fate::Stuck)
    };
    let returned = violation
        .history
        .moments
        .iter()
        .filter_map(|moment| match moment {
            Moment::Return(slot, _) if matches!(slot.lane, Lane::Thread(_)) => Some(*slot),
            _ => None,
        });
    returned.into_iter().find(|slot| always_stuck(*slot))
}
