//! Calls, results and histories as people read them.

use crate::alphabet::Alphabet;
use crate::history::{CallHistory, Results};
use crate::matrix::Matrix;
use crate::serial::{Fate, SerialStep};
use crate::slot::{CallSlot, Lane};

/// What is needed to put a history of a matrix into words.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// What the calls are called.
    pub alphabet: &'a Alphabet,
    /// Which call stands where.
    pub matrix: &'a Matrix,
    /// What the results are.
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

    /// A call and what became of it: `push(1) = ok`.
    pub fn step(&self, step: &SerialStep) -> String {
        let call = self.call(step.slot);
        match step.fate {
            Fate::Returned(result) => returned(call, self.results.text(result)),
            Fate::Stuck => format!("{call} is stuck"),
            Fate::Crashed(reason) => format!("{call} crashes ({})", self.results.text(reason)),
        }
    }

    /// A serial history, with who called: `0: push(1) → 1: pop() = 1`.
    pub fn steps(&self, steps: &[SerialStep]) -> String {
        let told = |step: &SerialStep| match step.slot.lane {
            Lane::Thread(thread) => format!("{thread}: {}", self.step(step)),
            Lane::Initial | Lane::Final => self.step(step),
        };
        steps.iter().map(told).collect::<Vec<_>>().join(" → ")
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

/// A call with its result; that nothing came back need not be said.
fn returned(call: &str, result: &str) -> String {
    match result {
        "()" | "" => call.to_owned(),
        result => format!("{call} = {result}"),
    }
}
