//! Search options and limits.

use std::time::{Duration, Instant};

pub use omnilink_evidence::Limit;
use omnilink_memory::guard::{self, Work, WorkLimits};
use omnilink_memory::{default_limit_bytes, resident_bytes};

use crate::progress::SearchProgress;

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Number of worker threads.
    pub workers: usize,
    /// Time and memory limits.
    pub limits: SearchLimits,
    /// Bytes of queued states that stay in memory; the rest goes to disk.
    pub queue_bytes_max: u64,
    /// Bytes of the seen set that stay in memory; the rest goes to disk.
    pub seen_bytes_max: u64,
    /// Stack of each thread, in bytes: evaluation recurses.
    pub stack_bytes: usize,
    /// The deepest level to explore; `None` for all.
    pub depth_max: Option<u32>,
}

/// Time and memory limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory of the process, in bytes.
    pub memory_bytes: u64,
}

impl Default for SearchLimits {
    /// No time limit, and the default memory limit of the process.
    fn default() -> Self {
        Self {
            time: None,
            memory_bytes: default_limit_bytes().unwrap_or(4 << 30),
        }
    }
}

impl SearchLimits {
    /// Begins work with these limits on this thread. They hold inside whatever it does, until the result is dropped.
    pub fn begin(&self) -> Work {
        guard::begin(WorkLimits {
            time: self.time,
            memory_bytes: Some(self.memory_bytes),
            interrupt: None,
        })
    }

    /// The limits for what follows, when this much time has passed.
    pub(crate) fn after(self, passed: Duration) -> Self {
        Self {
            time: self.time.map(|time| time.saturating_sub(passed)),
            ..self
        }
    }
}

/// The instant at which the time limit is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn new(limits: &SearchLimits) -> Self {
        Self(limits.time.and_then(|time| Instant::now().checked_add(time)))
    }

    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

/// Compares a running search with its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitWatch<'a> {
    pub(crate) progress: &'a SearchProgress,
    deadline: Deadline,
    memory_bytes: u64,
}

impl<'a> LimitWatch<'a> {
    pub(crate) fn new(limits: &SearchLimits, progress: &'a SearchProgress) -> Self {
        Self {
            progress,
            deadline: Deadline::new(limits),
            memory_bytes: limits.memory_bytes,
        }
    }

    /// An interrupt or a limit that holds within a step, if reached.
    pub(crate) fn time_limit(&self) -> Option<Limit> {
        if self.progress.is_interrupted() {
            return Some(Limit::Interrupt);
        }
        let is_late = || self.deadline.is_over().then_some(Limit::Time);
        guard::over().map(Limit::from).or_else(is_late)
    }

    /// The limit that cut an evaluation short.
    pub(crate) fn timeout(&self) -> Limit {
        self.time_limit().unwrap_or(Limit::Time)
    }

    /// Publishes the memory that states take, and compares the memory of the process with the limit.
    pub(crate) fn is_memory_full(&self, state_bytes: u64) -> bool {
        self.progress.set_memory_bytes(state_bytes);
        state_bytes.max(resident_bytes().unwrap_or(0)) > self.memory_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_has_only_the_time_that_is_left() {
        let limits = SearchLimits {
            time: Some(Duration::from_secs(10)),
            memory_bytes: 1,
        };
        let left = |seconds| limits.after(Duration::from_secs(seconds)).time;
        assert_eq!(left(3), Some(Duration::from_secs(7)));
        assert_eq!(left(30), Some(Duration::ZERO));
        let unlimited = SearchLimits { time: None, ..limits };
        assert_eq!(unlimited.after(Duration::from_secs(3)), unlimited);
    }
}
