//! The least deadline among those that hold from a rank on.

use crate::action::Rank;

/// A deadline: a moment by which something must have happened, the operation that sets it, and the value of that operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline {
    pub due: Rank,
    pub operation: usize,
    /// The number of the value in [`ValueHistories::histories`](crate::value_history::ValueHistories); `None` for an
    /// operation that found the collection empty.
    pub value: Option<usize>,
}

/// Deadlines by rank. Insertion and lookup take O(log n) (a Fenwick tree over the ranks in reverse).
#[derive(Debug)]
pub(crate) struct EarliestAfter {
    least: Vec<Option<Deadline>>,
}

impl EarliestAfter {
    /// For ranks up to `end`.
    pub fn new(end: Rank) -> Self {
        Self {
            least: vec![None; end as usize + 2],
        }
    }

    /// Adds a deadline for all ranks before `from`.
    pub fn insert(&mut self, from: Rank, deadline: Deadline) {
        let mut at = self.least.len() - 1 - from as usize;
        while let Some(least) = self.least.get_mut(at) {
            if least.is_none_or(|least| deadline < least) {
                *least = Some(deadline);
            }
            at += at & at.wrapping_neg();
        }
    }

    /// The least deadline that was inserted for a rank after this one.
    pub fn after(&self, rank: Rank) -> Option<Deadline> {
        let mut at = self.least.len() - 2 - rank as usize;
        let mut found = None;
        while at > 0 {
            found = [found, self.least[at]].into_iter().flatten().min();
            at -= at & at.wrapping_neg();
        }
        found
    }
}
