//! Keeps a search within its limits.

use std::time::Instant;

use omnilink_evidence::Limit;

use crate::memory::{default_memory_bytes, resident_bytes};
use crate::options::Limits;
use crate::watch::Interrupt;

/// Counts work and looks at clock and memory now and then.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    deadline: Option<Instant>,
    /// Configurations explored so far.
    pub configurations: u64,
    countdown: u32,
    exhausted: Option<Limit>,
    /// What the tables held when they were last measured: resident memory is not asked for each time, and not everywhere.
    table_bytes: u64,
    looks: u32,
}

impl Meter {
    /// A configuration takes well under 10 µs: the clock is read every few milliseconds at worst.
    const INTERVAL: u32 = 256;
    /// Asking for resident memory is a call to the system, as dear as ten configurations.
    const LOOKS_PER_MEMORY_LOOK: u32 = 4;
    /// To find out how much there is takes longer than a short check; so much there always is.
    const ALWAYS_THERE_BYTES: u64 = 32 << 20;

    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            deadline: limits.time.map(|time| Instant::now() + time),
            configurations: 0,
            countdown: limits.configurations.map_or(Self::INTERVAL, Self::interval),
            exhausted: None,
            table_bytes: 0,
            looks: 0,
        }
    }

    /// Stops at the limit itself, not up to one interval after it.
    fn interval(configurations_left: u64) -> u32 {
        configurations_left.clamp(1, u64::from(Self::INTERVAL)) as u32
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub fn interrupt(&self) -> Option<Interrupt> {
        self.limits.interrupt
    }

    /// Counts one configuration. `true` means: stop.
    #[inline]
    pub fn configuration(&mut self, table_bytes: impl FnOnce() -> usize) -> bool {
        self.configurations += 1;
        self.work(table_bytes)
    }

    /// Counts a bit of work that is no configuration. `true` means: stop.
    #[inline]
    pub fn work(&mut self, table_bytes: impl FnOnce() -> usize) -> bool {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.table_bytes = table_bytes() as u64;
            self.look();
        }
        self.exhausted.is_some()
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self) {
        self.countdown = Self::INTERVAL;
        self.looks = self.looks.wrapping_add(1);
        if self.exhausted.is_some() {
            return;
        }
        let configurations = self.limits.configurations;
        if self.limits.interrupt.is_some_and(Interrupt::is_raised) {
            self.exhausted = Some(Limit::Interrupt);
        } else if configurations.is_some_and(|limit| self.configurations >= limit) {
            self.exhausted = Some(Limit::Configurations);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.exhausted = Some(Limit::Time);
        } else if self.holds_too_much() {
            self.exhausted = Some(Limit::Memory);
        } else if let Some(limit) = configurations {
            self.countdown = Self::interval(limit - self.configurations);
        }
    }

    fn holds_too_much(&self) -> bool {
        let is_asked = self.looks % Self::LOOKS_PER_MEMORY_LOOK == 1;
        let resident = if is_asked { resident_bytes() } else { None };
        let held = resident.unwrap_or(0).max(self.table_bytes);
        if self.limits.memory_bytes.is_none() && held < Self::ALWAYS_THERE_BYTES {
            return false;
        }
        let limit = self.limits.memory_bytes.or_else(default_memory_bytes);
        limit.is_some_and(|limit| held >= limit)
    }

    /// Somebody else has seen that the time is over, or that someone wants it to end.
    pub fn end_of_time(&mut self) {
        let is_interrupted = self.limits.interrupt.is_some_and(Interrupt::is_raised);
        self.stop(if is_interrupted {
            Limit::Interrupt
        } else {
            Limit::Time
        });
    }

    /// Ends the search because of a limit that somebody else has seen.
    pub fn stop(&mut self, limit: Limit) {
        self.exhausted.get_or_insert(limit);
    }

    pub fn exhausted(&self) -> Option<Limit> {
        self.exhausted
    }
}
