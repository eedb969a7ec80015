//! What is left of a run when only its calls and returns matter.
//!
//! Runs outnumber histories by far, so results are numbered and equal histories are kept once. Two histories that differ
//! only in the order of neighbouring calls, or of neighbouring returns, have the same overlaps: the canonical form sorts
//! these, and only canonical histories are checked.

use rustc_hash::FxHashMap;

use crate::execution::{MatrixRun, RunEnding, RunEvent, StuckKind};
use crate::slot::CallSlot;

/// The number of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultId(u32);

/// Results by number.
#[derive(Clone, Debug, Default)]
pub struct Results {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, ResultId>,
}

impl Results {
    /// The number of this result.
    pub fn id(&mut self, text: &str) -> ResultId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = ResultId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    /// The result of this number.
    pub fn text(&self, id: ResultId) -> &str {
        self.texts.get(id.0 as usize).map_or("?", |text| text)
    }
}

/// A call or a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// A call began.
    Call(CallSlot),
    /// A call came back.
    Return(CallSlot, ResultId),
}

impl Moment {
    fn is_call(&self) -> bool {
        matches!(self, Self::Call(_))
    }
}

/// How a history ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Close {
    /// Every call came back.
    Finished,
    /// The calls that did not come back never will.
    Stuck,
    /// The process died in this call, of this.
    Crashed(CallSlot, ResultId),
}

/// The calls and returns of a run, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallHistory {
    /// In the order in which they happened.
    pub moments: Vec<Moment>,
    /// How it ended.
    pub close: Close,
}

impl CallHistory {
    /// The history of a run. `None` if nothing follows from the run: it was cut short or did not follow its schedule.
    pub fn of(execution: &MatrixRun, results: &mut Results) -> Option<Self> {
        let close = match &execution.ending {
            RunEnding::Finished => Close::Finished,
            RunEnding::Stuck(StuckKind::Deadlock | StuckKind::Livelock) => Close::Stuck,
            RunEnding::Crashed { slot, reason } => {
                Close::Crashed(slot.unwrap_or(CallSlot::OUTSIDE), results.id(reason))
            }
            RunEnding::Cut(_) | RunEnding::Diverged => return None,
        };
        let moment = |event: &RunEvent| match event {
            RunEvent::Call(slot) => Moment::Call(*slot),
            RunEvent::Return(slot, text) => Moment::Return(*slot, results.id(text)),
        };
        let moments = execution.events.iter().map(moment).collect();
        Some(Self { moments, close })
    }

    /// Sorts neighbouring calls and neighbouring returns: which operations overlap stays as it is.
    pub fn canonical(&self) -> Self {
        let mut moments = self.moments.clone();
        for run in moments.chunk_by_mut(|a, b| a.is_call() == b.is_call()) {
            run.sort_unstable();
        }
        Self {
            moments,
            close: self.close,
        }
    }

    /// The calls that did not come back, in the order in which they were made.
    pub fn pending(&self) -> Vec<CallSlot> {
        let mut open = Vec::new();
        for moment in &self.moments {
            match moment {
                Moment::Call(slot) => open.push(*slot),
                Moment::Return(slot, _) => open.retain(|other| other != slot),
            }
        }
        open
    }

    /// What a call returned, if it did.
    pub fn result(&self, slot: CallSlot) -> Option<ResultId> {
        self.moments.iter().find_map(|moment| match moment {
            Moment::Return(other, result) if *other == slot => Some(*result),
            _ => None,
        })
    }
}
