//! Reads that cannot be explained whatever the order of commits: they are found one by one, without a graph.

use crate::level::{Isolation, IsolationFamily};

/// What is wrong with a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReadAnomalyKind {
    /// An element stands twice in a list.
    DuplicateElements,
    /// Nobody wrote the value.
    Garbage,
    /// The transaction itself wrote the value, later.
    Future,
    /// Two lists of one key, neither a prefix of the other.
    IncompatibleOrder,
    /// What one transaction appended does not stand together.
    TornAppend,
    /// The writer aborted.
    Aborted,
    /// A committed element stands after an aborted one.
    DirtyUpdate,
    /// The writer wrote over the value.
    Intermediate,
    /// It contradicts what the transaction itself wrote, or read before.
    Internal,
    /// An account without a balance.
    NilBalance,
    /// A range that shows a key beyond its bounds.
    OutsideRange,
    /// Accounts with another total than before, although transfers keep it.
    ChangedTotal,
}

impl ReadAnomalyKind {
    /// Whether nothing that comes later can explain it.
    pub fn is_firm(self) -> bool {
        !matches!(self, Self::Garbage | Self::NilBalance | Self::ChangedTotal)
    }

    /// Its name in the literature.
    pub fn name(self) -> &'static str {
        match self {
            Self::DuplicateElements => "duplicate-elements",
            Self::Garbage => "garbage-read",
            Self::Future => "future-read",
            Self::IncompatibleOrder => "incompatible-order",
            Self::TornAppend => "torn-append",
            Self::Aborted => "G1a",
            Self::DirtyUpdate => "dirty-update",
            Self::Intermediate => "G1b",
            Self::Internal => "internal",
            Self::NilBalance => "nil-balance",
            Self::OutsideRange => "outside-range",
            // A part of a transfer was seen.
            Self::ChangedTotal => "fractured-read",
        }
    }
}

/// A read that cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadAnomaly {
    pub kind: ReadAnomalyKind,
    /// The transactions that it is about, the reader first.
    pub named: Vec<usize>,
    /// What happened, in words.
    pub text: String,
}

impl ReadAnomaly {
    pub fn new(kind: ReadAnomalyKind, named: Vec<usize>, text: String) -> Self {
        Self { kind, named, text }
    }

    /// Whether there is no order of versions because of it.
    pub fn hides_versions(&self) -> bool {
        matches!(
            self.kind,
            ReadAnomalyKind::DuplicateElements
                | ReadAnomalyKind::IncompatibleOrder
                | ReadAnomalyKind::TornAppend
        )
    }

    /// Whether a level forbids it by itself. Reads of aborted and of intermediate values do not matter to dirty writes, and parts of transactions may be
    /// seen up to read atomic.
    pub fn breaks(&self, isolation: Isolation) -> bool {
        if self.kind == ReadAnomalyKind::ChangedTotal {
            return isolation.implies(Isolation::READ_ATOMIC);
        }
        let is_dirty = matches!(
            self.kind,
            ReadAnomalyKind::Aborted | ReadAnomalyKind::DirtyUpdate | ReadAnomalyKind::Intermediate
        );
        !is_dirty || isolation.family() > IsolationFamily::ReadUncommitted
    }
}
