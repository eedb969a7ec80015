//! Limits of work outside the search: the clock, the memory of the process, and interrupts.

use std::time::{Duration, Instant};

use omnilink_evidence::Limit;
use omnilink_memory::{default_limit_bytes, guard, resident_bytes};

use crate::interrupt::Interrupt;
use crate::options::Limits;

/// Checks the limits of work that explores no configurations, such as reading, decoding and building graphs.
#[derive(Clone, Copy, Debug)]
pub struct LimitWatch {
    limits: Limits,
    deadline: Option<Instant>,
    next_memory_check: Option<Instant>,
}

impl LimitWatch {
    /// Reading resident memory is a system call, and memory does not fill up in less time.
    const BETWEEN_MEMORY_CHECKS: Duration = Duration::from_millis(2);

    /// Starts the clock now.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            next_memory_check: None,
        }
    }

    /// The limit that has been reached, if any.
    pub fn reached(&mut self) -> Option<Limit> {
        if self.limits.interrupt.is_some_and(Interrupt::is_raised) {
            return Some(Limit::Interrupt);
        }
        // What builds values has given up.
        if let Some(over) = guard::over() {
            return Some(over.into());
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Limit::Time);
        }
        if self.next_memory_check.is_some_and(|next| now < next) {
            return None;
        }
        self.next_memory_check = now.checked_add(Self::BETWEEN_MEMORY_CHECKS);
        let limit = self.limits.memory_bytes.or_else(default_limit_bytes)?;
        (resident_bytes()? >= limit).then_some(Limit::Memory)
    }

    /// The limits, with the time that is left.
    pub fn limits_left(&self) -> Limits {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        Limits {
            time: self.deadline.map(left),
            ..self.limits
        }
    }
}
