//! The operations that are open at one point of the trace, in slots, with what the reductions ask about pairs of them.

use crate::ledger::{Entry, Followed, Ledger, OpRef};
use crate::mask::Mask;
use crate::mutant::{Mutant, planted};
use crate::options::Reductions;
use crate::space::{AnySpace, ClassId, StateId};

/// One open operation.
#[derive(Clone, Debug)]
pub(crate) struct Slot<K> {
    pub op: OpRef,
    pub class: ClassId,
    reads: u64,
    writes: u64,
    only_key: Option<u64>,
    blind: bool,
    /// When it ran and who called it, as the ledger has it.
    entry: Entry,
    /// Those that do not commute with it.
    conflicts: K,
    /// Those that write what it reads.
    feeders: K,
    /// Those of the same class that may take its place; see [`OpenOps::relevant`].
    earlier_twins: K,
    /// Those of its thread that come first, although they are still open: they end where it starts.
    before: K,
    /// Those of its thread that come later, although they are open already.
    after: K,
    /// Those of whom one of the sets above may name it.
    named_by: K,
}

/// All open operations. A slot belongs to an operation, never to a thread, and is used again after the return.
#[derive(Debug)]
pub(crate) struct OpenOps<K> {
    /// Of the sets of an occupied slot, no vacant one is a member: most pairs have nothing to do with each other, and need not be
    /// written down.
    slots: Vec<Slot<K>>,
    /// The occupied slots.
    pub open: K,
    /// Those that never change any state.
    pub pure: K,
    /// Those that need not have happened.
    pub optional: K,
    /// Those of them that write one key and read no other.
    spare: K,
    /// Those that another open one of their thread comes before or after. Mostly none.
    tied: K,
    /// An operation has turned out to be followed by another one of its thread after it may have been taken for replaceable: an
    /// explanation may have been missed.
    pub is_doubtful: bool,
}

impl<K: Mask> OpenOps<K> {
    pub fn new() -> Self {
        Self {
            slots: Vec::new(),
            open: K::default(),
            pure: K::default(),
            optional: K::default(),
            spare: K::default(),
            tied: K::default(),
            is_doubtful: false,
        }
    }

    /// The slot that the next call will take.
    pub fn next_slot(&self) -> usize {
        self.open.first_absent()
    }

    #[inline]
    pub fn slot(&self, slot: usize) -> &Slot<K> {
        &self.slots[slot]
    }

    /// Puts `op` into `slot`, which must be vacant.
    pub fn occupy(&mut self, slot: usize, op: OpRef, ledger: &Ledger, space: &AnySpace<'_>) {
        debug_assert!(!self.open.contains(slot) && slot < K::CAPACITY);
        let entry = ledger.get(op);
        let facts = space.source.facts(entry.class);
        let mut new = Slot {
            op,
            class: entry.class,
            reads: facts.reads,
            writes: facts.writes,
            only_key: facts.only_key,
            blind: facts.blind || planted(Mutant::FeedsAlike),
            entry: *entry,
            conflicts: K::default(),
            feeders: K::default(),
            earlier_twins: K::default(),
            before: K::default(),
            after: K::default(),
            named_by: K::default(),
        };
        let mut followed = K::default();
        for other in self.open.slots() {
            let old = &mut self.slots[other];
            let feeds_old = new.writes & old.reads != 0;
            let feeds_new = old.writes & new.reads != 0;
            let conflict = feeds_old | feeds_new | (new.writes & old.writes != 0);
            let alike = (old.reads, old.writes) == (new.reads, new.writes);
            let twin = old.class == new.class || planted(Mutant::AnyTwin) && alike;
            let old_before = old.entry.is_tied_before(entry);
            let old_after = entry.is_tied_before(&old.entry);
            if !conflict && !twin && !old_before && !old_after {
                continue;
            }
            let old_first = (old.entry.deadline() <= entry.deadline()) != planted(Mutant::LatestTwin);
            let (first, second) = if old_first {
                (&old.entry, entry)
            } else {
                (entry, &old.entry)
            };
            let twin = twin && (is_replaceable(first, second) || planted(Mutant::TiedTwin));
            old.conflicts.set(slot, conflict);
            old.feeders.set(slot, feeds_old);
            old.earlier_twins.set(slot, twin && !old_first);
            new.conflicts.set(other, conflict);
            new.feeders.set(other, feeds_new);
            new.earlier_twins.set(other, twin && old_first);
            if (old_before || old_after) && !planted(Mutant::NoTies) {
                old.after.set(slot, old_before);
                new.before.set(other, old_before);
                old.before.set(slot, old_after);
                new.after.set(other, old_after);
                self.tied.insert(slot);
                self.tied.insert(other);
            }
            if old_before {
                followed.insert(other);
            }
            // Where a search takes events back, the one that comes first may be opened last.
            if old_after {
                followed.insert(slot);
            }
            old.named_by.insert(slot);
            new.named_by.insert(other);
        }
        while self.slots.len() <= slot {
            self.slots.push(new.clone());
        }
        self.slots[slot] = new;
        for slot in followed.slots() {
            self.follow(slot);
        }
        self.open.insert(slot);
        self.pure.set(slot, facts.pure);
        self.optional.set(slot, entry.optional);
        self.spare.set(slot, entry.optional && facts.only_key.is_some());
    }

    /// Takes note that something starts where `slot` ends: nothing that ends there, too, can take its place.
    fn follow(&mut self, slot: usize) {
        let end = self.slots[slot].entry.end;
        for twin in self.slots[slot].earlier_twins.slots() {
            if self.slots[twin].entry.end == end && !planted(Mutant::TiedTwin) {
                self.slots[slot].earlier_twins.remove(twin);
                self.is_doubtful = true;
            }
        }
    }

    /// Frees `slot`.
    pub fn vacate(&mut self, slot: usize) {
        let named_by = std::mem::take(&mut self.slots[slot].named_by);
        for other in named_by.slots() {
            let other = &mut self.slots[other];
            other.conflicts.remove(slot);
            other.feeders.remove(slot);
            other.earlier_twins.remove(slot);
            other.before.remove(slot);
            other.after.remove(slot);
        }
        if self.tied.contains(slot) {
            self.tied.remove(slot);
            for other in self.tied.slots() {
                let is_tied = !self.slots[other].before.is_empty() || !self.slots[other].after.is_empty();
                self.tied.set(other, is_tied);
            }
        }
        self.open.remove(slot);
        self.pure.remove(slot);
        self.optional.remove(slot);
        self.spare.remove(slot);
    }

    /// Whether the order of its thread lets `slot` come next. What must happen and comes first has to be placed; what may have
    /// happened and comes first need not be, but once something after it is placed, it did not happen.
    #[inline]
    pub fn is_due(&self, slot: usize, placed: &K) -> bool {
        let Slot { before, after, .. } = &self.slots[slot];
        before.minus(&self.optional).is_subset(placed) && after.and(placed).is_empty()
    }

    /// Whether everything that the thread of `slot` called before is placed.
    #[inline]
    pub fn is_first(&self, slot: usize, placed: &K) -> bool {
        self.slots[slot].before.is_subset(placed)
    }

    /// The pure operations that dominance may look past; see [`Lens`](crate::config::Lens).
    pub fn dominating(&self) -> K {
        let mut pure = self.pure.clone();
        if planted(Mutant::DominateOverTies) {
            return pure;
        }
        for slot in self.tied.and(&pure).slots() {
            if !self.slots[slot].before.and(&self.optional).is_empty() {
                pure.remove(slot);
            }
        }
        pure
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

    /// The unplaced operations, less optional ones that can wait until `target` has returned.
    ///
    /// **Idle operations.** A *spare* operation is optional, touches one key, and no open one comes after it in its thread. Let `N` be the unplaced operations that
    /// are not spare, `target`, and every spare one that *feeds* a member of `N`: writes what it reads, unless what it
    /// writes is certain to be refused there (see [`feeds`](Self::feeds)). The rest, `I`, is idle. *Claim*: an explanation
    /// `u·target·v` implies one without members of `I` in `u`. *Proof*: no member of `N` in `u·target` reads a key
    /// while it holds what a member of `I` wrote, so members of `N` do the same without `I`. Take the members of `I` in `u`
    /// that touch a key `k`. Those before the last member of `N` in `u·target` that really writes `k` can be deleted: that
    /// write hides what they did, and they are optional. Those after it can be moved, in their order, behind `target`:
    /// between there and here nobody else writes `k`, the only key they read, so they do the same there; and they are
    /// still open. Their threads' order holds: nothing that is open comes after them, so nothing in `u·target` does. ∎
    fn busy(&self, space: &mut AnySpace<'_>, state: StateId, placed: &K, target: usize) -> K {
        let unplaced = self.unplaced(placed);
        let mut spare = self.spare.and(&unplaced);
        spare.remove(target);
        for slot in self.tied.and(&spare).slots() {
            if !self.slots[slot].after.is_empty() && !planted(Mutant::TiedIdle) {
                spare.remove(slot);
            }
        }
        if spare.is_empty() || planted(Mutant::AllIdle) {
            return unplaced.minus(&spare);
        }
        let mut busy = unplaced.minus(&spare);
        let mut todo = busy.clone();
        while let Some(slot) = todo.first() {
            todo.remove(slot);
            for feeder in self.slots[slot].feeders.and(&spare).minus(&busy).slots() {
                if self.feeds(space, state, feeder, slot) {
                    busy.insert(feeder);
                    todo.insert(feeder);
                }
            }
        }
        busy
    }

    /// Whether `reader` may be accepted while its key holds what `feeder` wrote.
    ///
    /// If `feeder` reads nothing, it writes the same wherever it happens; and if `reader` touches that key only, what
    /// it makes of it does not depend on anything else. So trying both here, one after the other, tells for everywhere.
    fn feeds(&self, space: &mut AnySpace<'_>, state: StateId, feeder: usize, reader: usize) -> bool {
        let (feeder, reader) = (&self.slots[feeder], &self.slots[reader]);
        if !feeder.blind || feeder.only_key != reader.only_key {
            return true;
        }
        // What cannot turn a refusal into acceptance on its own leaves it a refusal; asking is cheaper than trying.
        if !space.accepts(state, reader.class) && !space.source.may_enable(state, reader.class, feeder.class)
        {
            return false;
        }
        let successors = space.successors(state, feeder.class);
        (0..)
            .map_while(|branch| space.successor(successors, branch))
            .collect::<smallvec::SmallVec<[StateId; 2]>>()
            .into_iter()
            .any(|written| space.accepts(written, reader.class))
    }

    /// Which unplaced operations need to be tried from `state` on the way to placing `target`.
    ///
    /// **A stubborn set.** The result `T` contains `target`, and (1) for each refused operation in `T`, the unplaced
    /// operations of which one must happen before it can be accepted; (2) for each accepted operation in `T`, the
    /// unplaced operations that do not commute with it, and those that come before it in its thread.
    ///
    /// *Claim*: if an explanation continues from here, one continues with an accepted member of `T`. *Proof*: let
    /// `u·target·v` be the explanation; everything in `u` is open now, because `target` returns before anything else
    /// is called. Let `a` be the first member of `T` in `u·target`, which exists because `target` is one. `a` is
    /// accepted here and due: otherwise, what it waits for would be in `T` by (1) or by (2) and would have to come before
    /// `a`, which is the first. By (2) everything before `a` commutes with `a`, so moving `a` to the front leaves
    /// every state after it as it was. It respects real time, because all of these operations are open, and the order of
    /// `a`'s thread, because nothing that it moves across comes before `a` there. ∎
    ///
    /// Of operations of one class in `T` only the one that returns first is tried: *symmetry*. In an explanation that
    /// places a later-returning twin first the two can be exchanged: the model cannot tell them apart, both are
    /// open now, and the one moved back still meets the later of the two deadlines. The order of their threads holds if
    /// nothing that its thread called before the one moved to the front is left to place, and if nothing comes after the one
    /// moved back before its new place. That place is before the return of the other one: so the other one returns earlier,
    /// not at the same time, or nothing starts where the one moved back ends (`is_replaceable`). Where that is not known, it is
    /// assumed, and an operation that shows it to be wrong makes a violation doubtful (`follow`).
    #[inline]
    pub fn relevant(
        &self,
        space: &mut AnySpace<'_>,
        state: StateId,
        placed: &K,
        target: usize,
        reductions: &Reductions,
    ) -> K {
        let mut set;
        if !reductions.footprints {
            set = self.unplaced(placed);
        } else {
            let unplaced = self.busy(space, state, placed, target);
            set = K::single(target);
            let mut todo = set.clone();
            while let Some(slot) = todo.first() {
                todo.remove(slot);
                let class = self.slots[slot].class;
                let more = if space.accepts(state, class) {
                    if planted(Mutant::NoConflicts) {
                        continue;
                    }
                    let Slot {
                        conflicts, before, ..
                    } = &self.slots[slot];
                    match planted(Mutant::NoTiedConflicts) {
                        true => conflicts.and(&unplaced).minus(&set),
                        false => conflicts.or(before).and(&unplaced).minus(&set),
                    }
                } else {
                    if planted(Mutant::NoFeeders) {
                        continue;
                    }
                    let mut feeders = self.slots[slot].feeders.and(&unplaced).minus(&set);
                    for feeder in feeders.slots() {
                        if !space.source.may_enable(state, class, self.slots[feeder].class) {
                            feeders.remove(feeder);
                        }
                    }
                    feeders
                };
                set = set.or(&more);
                todo = todo.or(&more);
            }
        }
        for slot in self.tied.and(&set).slots() {
            if !self.is_due(slot, placed) {
                set.remove(slot);
            }
        }
        if reductions.symmetry {
            for slot in set.slots() {
                let mut twins = self.slots[slot].earlier_twins.and(&set).slots();
                if twins.any(|twin| self.is_first(twin, placed) || planted(Mutant::TiedTwin)) {
                    set.remove(slot);
                }
            }
        }
        set
    }

    /// Places, in `state`, every unplaced pure operation that is accepted, and reports each to `placing`.
    ///
    /// **Read absorption.** Let `r` be open, accepted now, and pure, and let everything that its thread called before be placed.
    /// An explanation `a·r·b` from here becomes `r·a·b`: `r` changes nothing, so `a` starts from the same state and `b`
    /// sees the same state, `r` is open now, and nothing in `a` comes before it in its thread. So placing `r` at once loses
    /// nothing. It needs purity in *every* state: a write that changes nothing here may be what `b` needs later. And it needs
    /// *all* that the thread called before: what may have happened could not happen any more. ∎
    #[inline]
    pub fn absorb(
        &self,
        space: &mut AnySpace<'_>,
        state: StateId,
        placed: &mut K,
        reductions: &Reductions,
        mut placing: impl FnMut(usize),
    ) {
        if !reductions.absorption {
            return;
        }
        let mut candidates = self.pure.minus(placed);
        if planted(Mutant::AbsorbNoOps) {
            candidates = self.open.minus(placed);
            for slot in candidates.slots() {
                let successors = space.successors(state, self.slots[slot].class);
                if space.successor(successors, 0) != Some(state) {
                    candidates.remove(slot);
                }
            }
        }
        // One that is placed may be what another one of its thread waits for.
        loop {
            let before = placed.count();
            for slot in candidates.slots() {
                let is_first = self.is_first(slot, placed) || planted(Mutant::AbsorbOverTies);
                if is_first && space.accepts(state, self.slots[slot].class) {
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

    /// The same slots with wider masks.
    pub fn widen<W: Mask>(&self) -> OpenOps<W> {
        let widen = |slot: &Slot<K>| Slot {
            op: slot.op,
            class: slot.class,
            reads: slot.reads,
            writes: slot.writes,
            only_key: slot.only_key,
            blind: slot.blind,
            entry: slot.entry,
            conflicts: slot.conflicts.convert(),
            feeders: slot.feeders.convert(),
            earlier_twins: slot.earlier_twins.convert(),
            before: slot.before.convert(),
            after: slot.after.convert(),
            named_by: slot.named_by.convert(),
        };
        OpenOps {
            slots: self.slots.iter().map(widen).collect(),
            open: self.open.convert(),
            pure: self.pure.convert(),
            optional: self.optional.convert(),
            spare: self.spare.convert(),
            tied: self.tied.convert(),
            is_doubtful: self.is_doubtful,
        }
    }

    /// Takes the classes' new numbers over from the ledger.
    pub fn refresh_classes(&mut self, ledger: &Ledger) {
        for slot in self.open.slots() {
            let op = self.slots[slot].op;
            self.slots[slot].class = ledger.get(op).class;
        }
    }
}

/// Whether of two operations of one class that are open the first can take the place of the second, which returns no earlier.
fn is_replaceable(first: &Entry, second: &Entry) -> bool {
    first.end < second.end || second.followed != Followed::Yes
}
