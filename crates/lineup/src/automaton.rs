//! The serial histories as a model of the engine: a state is what has happened, a step is one lookup.

use std::fmt;

use omnilink_engine::{Model, Outcomes};

use crate::serial::{Fate, NodeId, SerialHistories, SerialStep};
use crate::slot::CallSlot;
use crate::words::Words;

/// A call of a concurrent history: what became of it, or that this was not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Observed {
    pub slot: CallSlot,
    /// `None` for a call that was open when the process died: it may have taken effect, whatever it would have returned.
    pub fate: Option<Fate>,
}

/// Explains histories by the serial ones.
///
/// Deterministic, so a step has one successor or none. No call is pure, since a call can be made only once, and none
/// commutes with another as far as the tree can tell: the engine's other reductions still apply.
pub(crate) struct Automaton<'a> {
    pub serial: &'a SerialHistories,
    pub words: Words<'a>,
}

impl fmt::Debug for Automaton<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Automaton").finish_non_exhaustive()
    }
}

impl Model for Automaton<'_> {
    type State = NodeId;
    type Op = Observed;

    fn initial(&self) -> Vec<NodeId> {
        vec![SerialHistories::ROOT]
    }

    fn step(&self, state: &NodeId, op: &Observed, outcomes: &mut Outcomes<NodeId>) {
        match self.serial.step_of(*state, op.slot) {
            Some((step, next)) if op.fate.is_none_or(|fate| fate == step.fate) => outcomes.accept(next),
            Some((step, _)) => {
                outcomes.refuse(|| format!("here a serial run has {}", self.words.step(&step)))
            }
            None => outcomes.refuse(|| "no serial run makes this call here".to_owned()),
        }
    }

    fn describe_state(&self, state: &NodeId) -> String {
        match self.serial.path(*state).as_slice() {
            [] => "at the beginning".to_owned(),
            path => format!("after {}", self.words.steps(path)),
        }
    }

    fn describe_op(&self, op: &Observed) -> String {
        match op.fate {
            Some(fate) => self.words.step(&SerialStep { slot: op.slot, fate }),
            None => self.words.call(op.slot).to_owned(),
        }
    }
}
