//! The serial histories as a model of the engine: a state is a node of their tree, a step is one lookup.

use std::fmt;

use omnilink_engine::{Model, Outcomes};

use crate::serial::{CallOutcome, NodeId, SerialHistories, SerialStep};
use crate::slot::CallSlot;
use crate::words::Words;

/// A call of a concurrent history with its outcome, if that was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Observed {
    pub slot: CallSlot,
    /// `None` for a call that was pending when the process crashed: it may have taken effect, with any result.
    pub outcome: Option<CallOutcome>,
}

/// Explains histories by the serial ones.
///
/// The model is deterministic: a step has at most one successor. No call is pure, since it can be made only once, and the tree does
/// not show which calls commute; the engine's other reductions still apply.
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
            Some((step, next)) if op.outcome.is_none_or(|outcome| outcome == step.outcome) => {
                outcomes.accept(next)
            }
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
        match op.outcome {
            Some(outcome) => self.words.step(&SerialStep {
                slot: op.slot,
                outcome,
            }),
            None => self.words.call(op.slot).to_owned(),
        }
    }
}
