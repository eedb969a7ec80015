//! The operations that are still of interest: waiting, open, or placed on a path that is not settled yet.
//!
//! An entry is freed as soon as the operation's place in the witness is settled, so the ledger holds a window of the
//! trace and never all of it.

use omnilink_trace::{Time, Timebox};

use crate::space::{ClassId, Renumber};

/// Where an operation stands in the ledger.
pub(crate) type OpRef = u32;

/// What the search knows of one operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The position in the input.
    pub id: u64,
    pub class: ClassId,
    pub thread: u32,
    pub start: Time,
    /// `Time::MAX` for pending operations: their return never comes.
    pub end: Time,
    /// May not have happened at all.
    pub optional: bool,
    /// Keeps the order of its thread. Threads of asynchronous clients are labels.
    pub in_order: bool,
    /// Whether another operation of its thread is tied to it.
    pub followed: Followed,
}

/// Whether another operation of the same thread starts where one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    No,
    Yes,
    /// It has not come in yet. `No` is assumed.
    Unknown,
}

impl Entry {
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

    /// Whether `other` is the same thread's and starts where this one ends: a *tie*.
    ///
    /// Timeboxes that touch overlap, because a clock does not tell which of two equal readings came first. A thread does:
    /// it calls one operation after the other. With this, precedence is still transitive: of three tied operations the
    /// one in the middle takes no time, so the outer two are tied as well.
    #[inline]
    pub fn is_tied_before(&self, other: &Self) -> bool {
        self.end == other.start
            && self.thread == other.thread
            && self.id < other.id
            && self.in_order
            && other.in_order
            && !self.is_pending()
    }

    /// What to compare to see which of two operations returns first.
    pub fn deadline(&self) -> (Time, u64) {
        (self.end, self.id)
    }
}

/// A slab of entries.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Vec<Entry>,
    /// Set for entries in use: renumbering must not touch the others.
    used: Vec<bool>,
    free: Vec<OpRef>,
    frozen: bool,
}

impl Ledger {
    /// Keeps every entry from now on: two searches refer to them, and neither knows what the other still needs.
    pub fn freeze(&mut self) {
        self.frozen = true;
    }

    pub fn add(&mut self, entry: Entry) -> OpRef {
        match self.free.pop() {
            Some(op) => {
                self.entries[op as usize] = entry;
                self.used[op as usize] = true;
                op
            }
            None => {
                self.entries.push(entry);
                self.used.push(true);
                (self.entries.len() - 1) as OpRef
            }
        }
    }

    pub fn remove(&mut self, op: OpRef) {
        if self.frozen {
            return;
        }
        debug_assert!(self.used[op as usize]);
        self.used[op as usize] = false;
        self.free.push(op);
    }

    #[inline]
    pub fn get(&self, op: OpRef) -> &Entry {
        &self.entries[op as usize]
    }

    pub fn renumber(&mut self, numbers: &mut dyn Renumber) {
        for (entry, used) in self.entries.iter_mut().zip(&self.used) {
            if *used {
                numbers.class(&mut entry.class);
            }
        }
    }
}
