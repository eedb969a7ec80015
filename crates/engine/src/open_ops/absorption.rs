//! Read absorption: places pure operations as soon as the model accepts them.

use super::OpenOps;
use crate::mask::Mask;
use crate::mutant::{Mutant, mutated};
use crate::options::Reductions;
use crate::state_ids::StateId;
use crate::state_space::DynStateSpace;

impl<K: Mask> OpenOps<K> {
    /// Places every unplaced pure operation that `state` accepts, and reports each to `placing`.
    ///
    /// **Read absorption.** Let `r` be open, pure and accepted now, and let all operations that its thread called before
    /// it be placed. An explanation `a·r·b` from here becomes `r·a·b`: `r` changes nothing, so `a` starts from the same
    /// state and `b` from the same state; `r` is open now; and nothing in `a` precedes `r` in its thread. So placing `r`
    /// at once loses no explanation. The proof needs purity in *every* state: a write that changes nothing here may be
    /// what `b` needs later. It also needs *all* predecessors in the thread, optional ones included: after `r` they could
    /// no longer happen. ∎
    #[inline]
    pub fn absorb(
        &self,
        space: &mut DynStateSpace<'_>,
        state: StateId,
        placed: &mut K,
        reductions: &Reductions,
        mut placing: impl FnMut(usize),
    ) {
        if !reductions.absorption {
            return;
        }
        let mut candidates = self.pure.minus(placed);
        if mutated(Mutant::AbsorbNoOps) {
            candidates = self.open.minus(placed);
            for slot in candidates.slots() {
                let successors = space.successors(state, self.slots[slot].class);
                if space.successor(successors, 0) != Some(state) {
                    candidates.remove(slot);
                }
            }
        }
        // Placing one operation may allow the next one of its thread.
        loop {
            let before = placed.count();
            for slot in candidates.slots() {
                let is_allowed = self.predecessors_placed(slot, placed) || mutated(Mutant::AbsorbOverTies);
                if is_allowed && space.accepts(state, self.slots[slot].class) {
                    placed.insert(slot);
                    placing(slot);
                }
            }
            if self.tied.is_empty() || placed.count() == before {
                return;
            }
            candidates = candidates.minus(placed);
        }
    }
}
