//! Progress of a running search, for progress lines and for `TLCGet`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::statistics::SearchStatistics;

/// Shared counters of a running search. An update is a few relaxed stores, cheap enough for every state.
#[derive(Debug)]
pub struct SearchProgress {
    generated: AtomicU64,
    distinct: AtomicU64,
    queued: AtomicU64,
    depth: AtomicU64,
    behaviours: AtomicU64,
    memory_bytes: AtomicU64,
    is_interrupted: AtomicBool,
    started: Instant,
}

impl Default for SearchProgress {
    fn default() -> Self {
        Self {
            generated: AtomicU64::new(0),
            distinct: AtomicU64::new(0),
            queued: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            behaviours: AtomicU64::new(0),
            memory_bytes: AtomicU64::new(0),
            is_interrupted: AtomicBool::new(false),
            started: Instant::now(),
        }
    }
}

impl SearchProgress {
    /// Generated states, duplicates included.
    pub fn generated(&self) -> u64 {
        self.generated.load(Ordering::Relaxed)
    }

    /// Distinct states.
    pub fn distinct(&self) -> u64 {
        self.distinct.load(Ordering::Relaxed)
    }

    /// States that are queued for expansion.
    pub fn queued(&self) -> u64 {
        self.queued.load(Ordering::Relaxed)
    }

    /// The deepest level.
    pub fn depth(&self) -> u64 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Finished behaviours of a simulation.
    pub fn behaviours(&self) -> u64 {
        self.behaviours.load(Ordering::Relaxed)
    }

    /// Memory of the seen set and the queue, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes.load(Ordering::Relaxed)
    }

    /// When the search started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Requests the end of the search.
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, generated: u64, distinct: u64, queued: u64, depth: u64) {
        self.generated.store(generated, Ordering::Relaxed);
        self.distinct.store(distinct, Ordering::Relaxed);
        self.queued.store(queued, Ordering::Relaxed);
        self.depth.store(depth, Ordering::Relaxed);
    }

    pub(crate) fn publish(&self, statistics: &SearchStatistics) {
        self.set(
            statistics.generated,
            statistics.distinct,
            statistics.queued,
            u64::from(statistics.depth),
        );
    }

    /// Counts a behaviour of a simulation, the states generated for it, and the length of the longest so far.
    pub(crate) fn add_behaviour(&self, generated: u64, longest: u64) {
        self.behaviours.fetch_add(1, Ordering::Relaxed);
        self.generated.fetch_add(generated, Ordering::Relaxed);
        self.depth.fetch_max(longest, Ordering::Relaxed);
    }

    pub(crate) fn set_memory_bytes(&self, bytes: u64) {
        self.memory_bytes.store(bytes, Ordering::Relaxed);
    }
}
