//! Stubborn sets: the few open operations that need to be tried on the way to a return.

use smallvec::SmallVec;

use super::{OpenOps, Slot};
use crate::mask::Mask;
use crate::mutant::{Mutant, mutated};
use crate::options::Reductions;
use crate::state_ids::StateId;
use crate::state_space::DynStateSpace;

impl<K: Mask> OpenOps<K> {
    /// The unplaced operations that need to be tried from `state` on the way to placing `target`.
    ///
    /// **Stubborn set.** The result `T` contains `target`, and (1) for each refused operation in `T`, unplaced operations
    /// of which at least one must happen before it can be accepted; (2) for each accepted operation in `T`, the unplaced
    /// operations that do not commute with it, and those that precede it in its thread.
    ///
    /// *Claim*: if there is an explanation from here, there is one that starts with an accepted member of `T`. *Proof*:
    /// let `u·target·v` be the explanation. Everything in `u` is open now, because `target` returns before the next call.
    /// Let `a` be the first member of `T` in `u·target`; it exists because `target` is a member. `a` is accepted here, and
    /// the order of its thread allows it: otherwise (1) or (2) puts an operation into `T` that precedes `a` in `u`, but
    /// `a` is the first. By (2), everything before `a` commutes with `a`, so moving `a` to the front leaves every state
    /// after it as it was. The new order respects real time, because all of these operations are open, and the order of
    /// `a`'s thread, because `a` moves across none of its predecessors. ∎
    ///
    /// **Symmetry.** Among operations of one class in `T`, only the one that returns first is tried. In an explanation
    /// that places a later-returning one first, the two can be exchanged: the model cannot distinguish them, both are open
    /// now, and the one that moves back still meets the later of the two deadlines. The order of threads holds if all
    /// predecessors of the one that moves to the front are placed, and if no successor of the one that moves back comes
    /// before its new place. That place is before the return of the other one. So the other one must return strictly
    /// earlier, or nothing may start where the one that moves back ends (`is_replaceable`). Where that is unknown it is
    /// assumed. If a later operation refutes the assumption, a violation becomes inconclusive (`mark_followed`). ∎
    #[inline]
    pub fn stubborn_set(
        &self,
        space: &mut DynStateSpace<'_>,
        state: StateId,
        placed: &K,
        target: usize,
        reductions: &Reductions,
    ) -> K {
        let mut set;
        if !reductions.footprints {
            set = self.unplaced(placed);
        } else {
            let unplaced = self.without_postponable(space, state, placed, target);
            set = K::single(target);
            let mut todo = set.clone();
            while let Some(slot) = todo.first() {
                todo.remove(slot);
                let class = self.slots[slot].class;
                let more = if space.accepts(state, class) {
                    if mutated(Mutant::NoConflicts) {
                        continue;
                    }
                    let Slot {
                        conflicts, before, ..
                    } = &self.slots[slot];
                    if mutated(Mutant::NoTiedConflicts) {
                        conflicts.and(&unplaced).minus(&set)
                    } else {
                        conflicts.or(before).and(&unplaced).minus(&set)
                    }
                } else {
                    if mutated(Mutant::NoEnablers) {
                        continue;
                    }
                    let mut enablers = self.slots[slot].enablers.and(&unplaced).minus(&set);
                    for enabler in enablers.slots() {
                        if !space.model.may_enable(state, class, self.slots[enabler].class) {
                            enablers.remove(enabler);
                        }
                    }
                    enablers
                };
                set = set.or(&more);
                todo = todo.or(&more);
            }
        }
        for slot in self.tied.and(&set).slots() {
            if !self.may_come_next(slot, placed) {
                set.remove(slot);
            }
        }
        if reductions.symmetry {
            for slot in set.slots() {
                let mut earlier = self.slots[slot].earlier_interchangeable.and(&set).slots();
                if earlier.any(|other| {
                    self.predecessors_placed(other, placed) || mutated(Mutant::InterchangeOverTies)
                }) {
                    set.remove(slot);
                }
            }
        }
        set
    }

    /// The unplaced operations that can still be placed.
    fn unplaced(&self, placed: &K) -> K {
        let mut unplaced = self.open.minus(placed);
        for slot in self.tied.and(&unplaced).slots() {
            if !self.slots[slot].after.and(placed).is_empty() {
                unplaced.remove(slot);
            }
        }
        unplaced
    }

    /// The unplaced operations, without the optional ones that can wait until `target` has returned.
    ///
    /// **Postponable operations.** A candidate is an optional operation that touches one key and that no open operation
    /// follows in its thread. Let `N` contain the unplaced operations that are no candidates, `target`, and every candidate
    /// that *supplies* a member of `N`: it writes a key that the member reads, unless the member is certainly refused
    /// while the key holds what it wrote (see [`may_supply`](Self::may_supply)). The other candidates, `I`, are
    /// postponable. *Claim*: if there is an explanation `u·target·v`, there is one without members of `I` in `u`.
    /// *Proof*: no member of `N` in `u·target` reads a key while the key holds what a member of `I` wrote. So members of
    /// `N` do the same without `I`. Take the members of `I` in `u` that touch a key `k`. Those before the last member of
    /// `N` in `u·target` that changes `k` can be deleted: they are optional, and that write overwrites what they did. Those
    /// after it can be moved behind `target`, in their order: no other operation in between writes `k`, the only key they
    /// read, so they do the same there, and they are still open. The order of threads holds: no open operation follows
    /// them in their threads, so none in `u·target` does. ∎
    fn without_postponable(
        &self,
        space: &mut DynStateSpace<'_>,
        state: StateId,
        placed: &K,
        target: usize,
    ) -> K {
        let unplaced = self.unplaced(placed);
        let mut candidates = self.optional_single_key.and(&unplaced);
        candidates.remove(target);
        for slot in self.tied.and(&candidates).slots() {
            if !self.slots[slot].after.is_empty() && !mutated(Mutant::PostponeOverTies) {
                candidates.remove(slot);
            }
        }
        let mut needed = unplaced.minus(&candidates);
        if candidates.is_empty() || mutated(Mutant::AllPostponable) {
            return needed;
        }
        let mut todo = needed.clone();
        while let Some(slot) = todo.first() {
            todo.remove(slot);
            for writer in self.slots[slot].enablers.and(&candidates).minus(&needed).slots() {
                if self.may_supply(space, state, writer, slot) {
                    needed.insert(writer);
                    todo.insert(writer);
                }
            }
        }
        needed
    }

    /// Whether `reader` may be accepted while its key holds what `writer` wrote.
    ///
    /// If `writer` reads nothing, it writes the same value wherever it happens. If `reader` touches only that key, its
    /// outcome depends on nothing else. So one trial here, `writer` and then `reader`, decides for every state.
    fn may_supply(
        &self,
        space: &mut DynStateSpace<'_>,
        state: StateId,
        writer: usize,
        reader: usize,
    ) -> bool {
        let (writer, reader) = (&self.slots[writer], &self.slots[reader]);
        if !writer.blind || writer.only_key != reader.only_key {
            return true;
        }
        // A writer that cannot enable a refused reader leaves it refused. The model answers that without a step.
        if !space.accepts(state, reader.class) && !space.model.may_enable(state, reader.class, writer.class) {
            return false;
        }
        let successors = space.successors(state, writer.class);
        (0..)
            .map_while(|branch| space.successor(successors, branch))
            .collect::<SmallVec<[StateId; 2]>>()
            .into_iter()
            .any(|written| space.accepts(written, reader.class))
    }
}
