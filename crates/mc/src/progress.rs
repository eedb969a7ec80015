//! Where a search is, for those who watch it: progress lines, and a spec that asks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::outcome::Figures;

/// Figures of a search that is under way. Writing one is a plain store, so it can be done for every state.
#[derive(Debug)]
pub struct Live {
    generated: AtomicU64,
    distinct: AtomicU64,
    waiting: AtomicU64,
    depth: AtomicU64,
    behaviours: AtomicU64,
    memory_bytes: AtomicU64,
    is_interrupted: AtomicBool,
    started: Instant,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            generated: AtomicU64::new(0),
            distinct: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            behaviours: AtomicU64::new(0),
            memory_bytes: AtomicU64::new(0),
            is_interrupted: AtomicBool::new(false),
            started: Instant::now(),
        }
    }
}

impl Live {
    /// States found so far, also those found before.
    pub fn generated(&self) -> u64 {
        self.generated.load(Ordering::Relaxed)
    }

    /// Distinct states found so far.
    pub fn distinct(&self) -> u64 {
        self.distinct.load(Ordering::Relaxed)
    }

    /// States that wait to be explored.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// States on the longest of the shortest paths so far.
    pub fn depth(&self) -> u64 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Behaviours that a simulation has finished.
    pub fn behaviours(&self) -> u64 {
        self.behaviours.load(Ordering::Relaxed)
    }

    /// Memory for the states seen and those waiting.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes.load(Ordering::Relaxed)
    }

    /// When the search began.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Asks the search to end.
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, generated: u64, distinct: u64, waiting: u64, depth: u64) {
        self.generated.store(generated, Ordering::Relaxed);
        self.distinct.store(distinct, Ordering::Relaxed);
        self.waiting.store(waiting, Ordering::Relaxed);
        self.depth.store(depth, Ordering::Relaxed);
    }

    /// Shows the figures of a search.
    pub(crate) fn show(&self, figures: &Figures) {
        self.set(
            figures.generated,
            figures.distinct,
            figures.waiting,
            u64::from(figures.depth),
        );
    }

    pub(crate) fn set_behaviours(&self, behaviours: u64) {
        self.behaviours.store(behaviours, Ordering::Relaxed);
    }

    pub(crate) fn set_memory_bytes(&self, bytes: u64) {
        self.memory_bytes.store(bytes, Ordering::Relaxed);
    }
}
