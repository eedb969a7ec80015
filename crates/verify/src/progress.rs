//! A counter of operations, for the caller to show while a check runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many operations were read so far. Clones share the count, so a thread of the caller can show it.
#[derive(Clone, Debug, Default)]
pub struct ProgressCounter {
    operations: Arc<AtomicU64>,
}

impl ProgressCounter {
    /// Checks add to the count in batches of this size: one atomic addition per thousand operations costs nothing.
    pub const BATCH: u64 = 1 << 10;

    /// The operations counted so far.
    pub fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Counts one.
    pub fn add_one(&self) {
        self.operations.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_batch(&self) {
        self.operations.fetch_add(Self::BATCH, Ordering::Relaxed);
    }
}
