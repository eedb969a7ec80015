//! The operations that the search still refers to: waiting, open, or placed on an unsettled path.
//!
//! A record is freed when the operation has returned and its place in the witness is settled, whichever comes last. So the table holds a window of
//! the trace.

use omnilink_trace::{Time, Timebox};

use crate::state_ids::{ClassId, Renumber};

/// The index of an operation in the table.
pub(crate) type OpRef = u32;

/// One operation as the search sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpRecord {
    /// The position in the input.
    pub id: u64,
    pub class: ClassId,
    pub thread: u32,
    pub start: Time,
    /// [`OpRecord::NEVER`] for pending operations.
    pub end: Time,
    /// Whether the operation may not have happened at all.
    pub optional: bool,
    /// Whether the operation keeps the order of its thread. Threads of asynchronous clients are labels.
    pub in_order: bool,
    /// Whether another operation of its thread is tied to it.
    pub followed: Followed,
}

/// Whether another operation of the same thread starts where one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    No,
    Yes,
    /// The next operation of the thread has not come in yet. The search assumes `No`.
    Unknown,
}

impl OpRecord {
    /// The end of an operation that never returns.
    pub const NEVER: Time = Time::MAX;

    pub fn timebox(&self) -> Timebox {
        Timebox {
            start: self.start,
            end: (self.end != Self::NEVER).then_some(self.end),
        }
    }

    pub fn is_pending(&self) -> bool {
        self.end == Self::NEVER
    }

    /// Whether `other` belongs to the same thread and starts where this operation ends: a *tie*.
    ///
    /// Timeboxes that touch overlap, because a clock does not tell which of two equal readings came first. The thread
    /// does: it calls one operation after the other. Precedence with ties is still transitive: of three tied operations
    /// the middle one takes no time, so the outer two are tied as well.
    #[inline]
    pub fn is_tied_before(&self, other: &Self) -> bool {
        self.end == other.start
            && self.thread == other.thread
            && self.id < other.id
            && self.in_order
            && other.in_order
            && !self.is_pending()
    }

    /// The key that sorts operations by their returns.
    pub fn deadline(&self) -> (Time, u64) {
        (self.end, self.id)
    }
}

/// A slab of operation records.
#[derive(Debug, Default)]
pub(crate) struct OpTable {
    records: Vec<OpRecord>,
    /// What still refers to each record. Renumbering skips those that nothing refers to.
    uses: Vec<u8>,
    free: Vec<OpRef>,
    frozen: bool,
}

/// The operation has not returned.
const OPEN: u8 = 1;
/// Its place in the witness is not settled.
const UNSETTLED: u8 = 2;

impl OpTable {
    /// Keeps every record from now on: two searches refer to them, and neither tracks the other's references.
    pub fn freeze(&mut self) {
        self.frozen = true;
    }

    pub fn add(&mut self, record: OpRecord) -> OpRef {
        match self.free.pop() {
            Some(op) => {
                self.records[op as usize] = record;
                self.uses[op as usize] = OPEN | UNSETTLED;
                op
            }
            None => {
                self.records.push(record);
                self.uses.push(OPEN | UNSETTLED);
                (self.records.len() - 1) as OpRef
            }
        }
    }

    /// Frees the record of an operation that nothing refers to any more.
    pub fn remove(&mut self, op: OpRef) {
        self.release(op, OPEN | UNSETTLED);
    }

    /// Notes that an operation has returned. Its record is kept until its place is settled.
    pub fn close(&mut self, op: OpRef) {
        self.release(op, OPEN);
    }

    /// Notes that the place of an operation is settled. Its record is kept until it has returned.
    pub fn settle(&mut self, op: OpRef) {
        self.release(op, UNSETTLED);
    }

    fn release(&mut self, op: OpRef, released: u8) {
        if self.frozen {
            return;
        }
        let uses = &mut self.uses[op as usize];
        debug_assert!(*uses & released != 0);
        *uses &= !released;
        if *uses == 0 {
            self.free.push(op);
        }
    }

    #[inline]
    pub fn get(&self, op: OpRef) -> &OpRecord {
        &self.records[op as usize]
    }

    pub fn renumber(&mut self, numbers: &mut dyn Renumber) {
        for (record, uses) in self.records.iter_mut().zip(&self.uses) {
            if *uses != 0 {
                numbers.class(&mut record.class);
            }
        }
    }
}
