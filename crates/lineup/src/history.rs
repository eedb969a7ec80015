//! Histories: the calls and returns of runs.
//!
//! There are many more runs than histories, so results are interned and equal histories are kept once. Two histories that differ
//! only in the order of adjacent calls, or of adjacent returns, have the same overlaps: the canonical form sorts these, and only
//! canonical histories are checked.

use rustc_hash::FxHashMap;

use crate::execution::{MatrixRun, RunEnding, RunEvent, StuckKind};
use crate::slot::CallSlot;

/// An interned result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultId(u32);

/// Interned results.
#[derive(Clone, Debug, Default)]
pub struct Results {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, ResultId>,
}

impl Results {
    /// The id of a result.
    pub fn id(&mut self, text: &str) -> ResultId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = ResultId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    /// The text of a result.
    pub fn text(&self, id: ResultId) -> &str {
        self.texts.get(id.0 as usize).map_or("?", |text| text)
    }
}

/// A call or a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HistoryEvent {
    /// A call began.
    Call(CallSlot),
    /// A call returned.
    Return(CallSlot, ResultId),
}

impl HistoryEvent {
    fn is_call(&self) -> bool {
        matches!(self, Self::Call(_))
    }
}

/// How a history ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HistoryEnding {
    /// Every call returned.
    Finished,
    /// The pending calls can never return.
    Stuck,
    /// The process crashed in this call, for this reason.
    Crashed(CallSlot, ResultId),
}

/// The calls and returns of a run, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallHistory {
    /// Calls and returns in their order.
    pub events: Vec<HistoryEvent>,
    /// How it ended.
    pub ending: HistoryEnding,
}

impl CallHistory {
    /// The calls, in the order in which they were made.
    pub fn calls(&self) -> impl Iterator<Item = CallSlot> {
        self.events.iter().filter_map(|event| match event {
            HistoryEvent::Call(slot) => Some(*slot),
            HistoryEvent::Return(..) => None,
        })
    }

    /// The history of a run. `None` if the run was cut short or did not follow its schedule.
    pub fn of(execution: &MatrixRun, results: &mut Results) -> Option<Self> {
        let ending = match &execution.ending {
            RunEnding::Finished => HistoryEnding::Finished,
            RunEnding::Stuck(StuckKind::Deadlock | StuckKind::Livelock) => HistoryEnding::Stuck,
            RunEnding::Crashed { slot, reason } => {
                HistoryEnding::Crashed(slot.unwrap_or(CallSlot::OUTSIDE), results.id(reason))
            }
            RunEnding::Cut(_) | RunEnding::Diverged => return None,
        };
        let event = |event: &RunEvent| match event {
            RunEvent::Call(slot) => HistoryEvent::Call(*slot),
            RunEvent::Return(slot, text) => HistoryEvent::Return(*slot, results.id(text)),
        };
        let events = execution.events.iter().map(event).collect();
        Some(Self { events, ending })
    }

    /// Sorts adjacent calls and adjacent returns: the same operations overlap.
    pub fn canonical(&self) -> Self {
        let mut events = self.events.clone();
        for run in events.chunk_by_mut(|a, b| a.is_call() == b.is_call()) {
            run.sort_unstable();
        }
        Self {
            events,
            ending: self.ending,
        }
    }

    /// The calls that did not return, in their order.
    pub fn pending(&self) -> Vec<CallSlot> {
        let mut open = Vec::new();
        for event in &self.events {
            match event {
                HistoryEvent::Call(slot) => open.push(*slot),
                HistoryEvent::Return(slot, _) => open.retain(|other| other != slot),
            }
        }
        open
    }

    /// The result of a call, if it returned.
    pub fn result(&self, slot: CallSlot) -> Option<ResultId> {
        self.events.iter().find_map(|event| match event {
            HistoryEvent::Return(other, result) if *other == slot => Some(*result),
            _ => None,
        })
    }
}
