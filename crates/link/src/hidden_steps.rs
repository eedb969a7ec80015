//! Hidden steps: actions that may happen before any operation, without being recorded.
//!
//! Up to a bound of them may happen before each operation, so how many may happen depends on the operations around them: even one
//! that has nothing to do with them makes room for more. An operation *meets* the hidden steps if one of the two may write what the
//! other reads or writes. One that does not is unaffected by them, and may change places with others like it:
//!
//! *Claim.* Let `g1 b1 … gn bn g a` be operations with the hidden steps before each, let no operation among them meet the hidden steps, and let
//! `a` commute with each `bi`. Then `g1 a g2 b1 … g bn` is possible from the same state and leads to the same one. *Proof.* `bi` moves to
//! the right across the hidden steps after it, and `a` to the left across everything; all of them commute. Each operation has as many
//! hidden steps before it as one of the others had. ∎
//!
//! So an operation that meets them conflicts with every other one, and all others conflict as their own footprints say. Three things make
//! this right in the engine. An operation never counts as pure, because placing it early wastes the room that it makes. One that
//! meets the hidden steps may wait for any other operation, because that makes room: so every operation writes a key. And every one reads one
//! key more, so that the history is not taken apart by keys and no operation that may not have happened is left out.

use std::rc::Rc;

use omnilink_tla::eval::{Cell, Effects};
use rustc_hash::FxHashMap;

use crate::state::SpecState;

/// The largest number of states that hidden steps between two operations may lead to.
pub(crate) const HIDDEN_MAX: usize = 10_000;
/// What is known of the hidden steps.
#[derive(Debug, Default)]
pub(crate) struct HiddenSteps {
    /// The effects of each action.
    pub(crate) effects: Vec<Effects>,
    /// The states that they lead to.
    pub(crate) known: FxHashMap<SpecState, Rc<[SpecState]>>,
}

impl HiddenSteps {
    /// Whether an operation with these effects meets the hidden steps.
    pub(crate) fn are_met_by(&self, effects: &Effects) -> bool {
        let is_met = |hidden: &Effects| {
            let written =
                |effects: &Effects, cell: &Cell| effects.writes.iter().any(|write| write.cell.overlaps(cell));
            !hidden.is_complete
                || !effects.is_complete
                || hidden
                    .reads
                    .iter()
                    .chain(hidden.writes.iter().map(|write| &write.cell))
                    .any(|cell| written(effects, cell))
                || effects.reads.iter().any(|cell| written(hidden, cell))
        };
        self.effects.iter().any(is_met)
    }
}
