//! The operations that are open at one point of the trace, and the relations between them that the reductions use.

mod absorption;
mod stubborn_set;

use crate::mask::Mask;
use crate::mutant::{Mutant, mutated};
use crate::op_table::{Followed, OpRecord, OpRef, OpTable};
use crate::state_ids::ClassId;
use crate::state_space::DynStateSpace;

/// One open operation, with sets of other slots that are related to it.
#[derive(Clone, Debug)]
pub(crate) struct Slot<K> {
    pub op: OpRef,
    pub class: ClassId,
    reads: u64,
    writes: u64,
    only_key: Option<u64>,
    blind: bool,
    record: OpRecord,
    /// The operations that do not commute with this one.
    conflicts: K,
    /// The operations that write a key that this one reads.
    enablers: K,
    /// The operations of the same class that return earlier and may take its place: see [`OpenOps::stubborn_set`].
    earlier_interchangeable: K,
    /// The open operations that precede it in its thread: they end where it starts.
    before: K,
    /// The open operations that follow it in its thread.
    after: K,
    /// The slots whose sets may contain this one.
    referenced_by: K,
}

/// The open operations. A slot belongs to an operation, never to a thread, and is reused after the return.
#[derive(Debug)]
pub(crate) struct OpenOps<K> {
    /// The sets of an occupied slot contain no vacant slot. Most pairs of operations are unrelated and cost nothing.
    slots: Vec<Slot<K>>,
    /// The occupied slots.
    pub open: K,
    /// The operations that never change any state.
    pub pure: K,
    /// The operations that may not have happened.
    pub optional: K,
    /// The optional operations that touch exactly one key.
    optional_single_key: K,
    /// The operations with an open predecessor or successor in their thread. Usually empty.
    tied: K,
    /// An operation turned out to be followed by another one of its thread after symmetry assumed that it is not. An
    /// explanation may have been missed.
    pub is_inconclusive: bool,
}

impl<K: Mask> OpenOps<K> {
    pub fn new() -> Self {
        Self {
            slots: Vec::new(),
            open: K::default(),
            pure: K::default(),
            optional: K::default(),
            optional_single_key: K::default(),
            tied: K::default(),
            is_inconclusive: false,
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
    pub fn occupy(&mut self, slot: usize, op: OpRef, op_table: &OpTable, space: &DynStateSpace<'_>) {
        debug_assert!(!self.open.contains(slot) && slot < K::CAPACITY);
        let record = op_table.get(op);
        let facts = space.model.facts(record.class);
        let mut new = Slot {
            op,
            class: record.class,
            reads: facts.reads,
            writes: facts.writes,
            only_key: facts.only_key,
            blind: facts.blind || mutated(Mutant::SupplyEverywhere),
            record: *record,
            conflicts: K::default(),
            enablers: K::default(),
            earlier_interchangeable: K::default(),
            before: K::default(),
            after: K::default(),
            referenced_by: K::default(),
        };
        let mut followed = K::default();
        for other in self.open.slots() {
            let old = &mut self.slots[other];
            let enables_old = new.writes & old.reads != 0;
            let enables_new = old.writes & new.reads != 0;
            let conflict = enables_old | enables_new | (new.writes & old.writes != 0);
            let same_footprint = (old.reads, old.writes) == (new.reads, new.writes);
            let interchangeable =
                old.class == new.class || mutated(Mutant::InterchangeByFootprint) && same_footprint;
            let old_before = old.record.is_tied_before(record);
            let old_after = record.is_tied_before(&old.record);
            if !conflict && !interchangeable && !old_before && !old_after {
                continue;
            }
            let old_first =
                (old.record.deadline() <= record.deadline()) != mutated(Mutant::LatestInterchangeable);
            let (first, second) = if old_first {
                (&old.record, record)
            } else {
                (record, &old.record)
            };
            let interchangeable =
                interchangeable && (is_replaceable(first, second) || mutated(Mutant::InterchangeOverTies));
            old.conflicts.set(slot, conflict);
            old.enablers.set(slot, enables_old);
            old.earlier_interchangeable
                .set(slot, interchangeable && !old_first);
            new.conflicts.set(other, conflict);
            new.enablers.set(other, enables_new);
            new.earlier_interchangeable
                .set(other, interchangeable && old_first);
            if (old_before || old_after) && !mutated(Mutant::NoTies) {
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
            // A depth-first search that rewinds events may open the predecessor last.
            if old_after {
                followed.insert(slot);
            }
            old.referenced_by.insert(slot);
            new.referenced_by.insert(other);
        }
        while self.slots.len() <= slot {
            self.slots.push(new.clone());
        }
        self.slots[slot] = new;
        for slot in followed.slots() {
            self.mark_followed(slot);
        }
        self.open.insert(slot);
        self.pure.set(slot, facts.pure);
        self.optional.set(slot, record.optional);
        self.optional_single_key
            .set(slot, record.optional && facts.only_key.is_some());
    }

    /// Records that an operation starts where `slot` ends: an operation that ends at the same time cannot take its place.
    fn mark_followed(&mut self, slot: usize) {
        let end = self.slots[slot].record.end;
        for earlier in self.slots[slot].earlier_interchangeable.slots() {
            if self.slots[earlier].record.end == end && !mutated(Mutant::InterchangeOverTies) {
                self.slots[slot].earlier_interchangeable.remove(earlier);
                self.is_inconclusive = true;
            }
        }
    }

    /// Frees `slot`.
    pub fn vacate(&mut self, slot: usize) {
        let referenced_by = std::mem::take(&mut self.slots[slot].referenced_by);
        for other in referenced_by.slots() {
            let other = &mut self.slots[other];
            other.conflicts.remove(slot);
            other.enablers.remove(slot);
            other.earlier_interchangeable.remove(slot);
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
        self.optional_single_key.remove(slot);
    }

    /// Whether the order of its thread lets `slot` come next. All mandatory predecessors must be placed. An optional
    /// predecessor need not be: once a successor is placed, it did not happen.
    #[inline]
    pub fn may_come_next(&self, slot: usize, placed: &K) -> bool {
        let Slot { before, after, .. } = &self.slots[slot];
        before.minus(&self.optional).is_subset(placed) && after.and(placed).is_empty()
    }

    /// Whether all open operations that its thread called before `slot` are placed.
    #[inline]
    pub fn predecessors_placed(&self, slot: usize, placed: &K) -> bool {
        self.slots[slot].before.is_subset(placed)
    }

    /// The pure operations in which a dominating configuration may differ: see
    /// [`Dominance`](crate::dominance::Dominance).
    pub fn dominating(&self) -> K {
        let mut pure = self.pure.clone();
        if mutated(Mutant::DominateOverTies) {
            return pure;
        }
        for slot in self.tied.and(&pure).slots() {
            if !self.slots[slot].before.and(&self.optional).is_empty() {
                pure.remove(slot);
            }
        }
        pure
    }

    /// The same slots with another kind of mask, which must have room for them.
    pub fn widen<W: Mask>(&self) -> OpenOps<W> {
        let widen = |slot: &Slot<K>| Slot {
            op: slot.op,
            class: slot.class,
            reads: slot.reads,
            writes: slot.writes,
            only_key: slot.only_key,
            blind: slot.blind,
            record: slot.record,
            conflicts: slot.conflicts.convert(),
            enablers: slot.enablers.convert(),
            earlier_interchangeable: slot.earlier_interchangeable.convert(),
            before: slot.before.convert(),
            after: slot.after.convert(),
            referenced_by: slot.referenced_by.convert(),
        };
        OpenOps {
            slots: self.slots.iter().map(widen).collect(),
            open: self.open.convert(),
            pure: self.pure.convert(),
            optional: self.optional.convert(),
            optional_single_key: self.optional_single_key.convert(),
            tied: self.tied.convert(),
            is_inconclusive: self.is_inconclusive,
        }
    }

    /// Copies the renumbered classes from the operation table.
    pub fn refresh_classes(&mut self, op_table: &OpTable) {
        for slot in self.open.slots() {
            let op = self.slots[slot].op;
            self.slots[slot].class = op_table.get(op).class;
        }
    }
}

/// Whether the first of two open operations of one class can take the place of the second, which returns no earlier.
fn is_replaceable(first: &OpRecord, second: &OpRecord) -> bool {
    first.end < second.end || second.followed != Followed::Yes
}
