//! Calls, results and histories as text.

use crate::alphabet::Alphabet;
use crate::history::{CallHistory, Results};
use crate::matrix::Matrix;
use crate::serial::{CallOutcome, SerialStep};
use crate::slot::{CallSlot, Lane};

/// What is needed to show a history of a matrix as text.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The names of the calls.
    pub alphabet: &'a Alphabet,
    /// The calls of the slots.
    pub matrix: &'a Matrix,
    /// The texts of the results.
    pub results: &'a Results,
}

impl<'a> Words<'a> {
    /// The call in a slot: `push(1)`.
    pub fn call(&self, slot: CallSlot) -> &'a str {
        match self.matrix.call(slot) {
            Some(call) => self.alphabet.name(call),
            None => "(outside all calls)",
        }
    }

    /// A call and its outcome: `push(1) = ok`.
    pub fn step(&self, step: &SerialStep) -> String {
        let call = self.call(step.slot);
        match step.outcome {
            CallOutcome::Returned(result) => returned(call, self.results.text(result)),
            CallOutcome::Stuck => format!("{call} is stuck"),
            CallOutcome::Crashed(reason) => format!("{call} crashes ({})", self.results.text(reason)),
        }
    }

    /// A serial history with the threads of its calls: `0: push(1) → 1: pop() = 1`.
    pub fn steps(&self, steps: &[SerialStep]) -> String {
        let text = |step: &SerialStep| match step.slot.lane {
            Lane::Thread(thread) => format!("{thread}: {}", self.step(step)),
            Lane::Initial | Lane::Final => self.step(step),
        };
        steps.iter().map(text).collect::<Vec<_>>().join(" → ")
    }

    /// A call of a history with its result, or `…` if it has none.
    pub fn outcome(&self, slot: CallSlot, history: &CallHistory) -> String {
        let call = self.call(slot);
        match history.result(slot) {
            Some(result) => returned(call, self.results.text(result)),
            None => format!("{call} …"),
        }
    }
}

/// A call with its result, unless that is empty.
fn returned(call: &str, result: &str) -> String {
    match result {
        "()" | "" => call.to_owned(),
        result => format!("{call} = {result}"),
    }
}
