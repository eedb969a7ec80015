//! The budget of a search: time, memory, configurations, interrupts.

use std::time::Instant;

use omnilink_evidence::Limit;
use omnilink_memory::{default_limit_bytes, guard, resident_bytes};

use crate::interrupt::Interrupt;
use crate::options::Limits;

/// Counts work, and checks the limits at intervals.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    deadline: Option<Instant>,
    /// Configurations explored so far.
    pub configurations: u64,
    countdown: u32,
    exhausted: Option<Limit>,
    /// The size of the tables at the last check. Resident memory is not read every time, and not on every system.
    table_bytes: u64,
    checks: u32,
}

impl Budget {
    /// A configuration takes well under 10 µs, so the clock is read at least every few milliseconds.
    const INTERVAL: u32 = 256;
    /// Reading resident memory is a system call and costs as much as ten configurations.
    const CHECKS_PER_MEMORY_CHECK: u32 = 4;
    /// Below this, the default memory limit is not computed: that takes longer than a short check.
    const ALWAYS_ALLOWED_BYTES: u64 = 32 << 20;

    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            deadline: limits.time.map(|time| Instant::now() + time),
            configurations: 0,
            countdown: limits.configurations.map_or(Self::INTERVAL, Self::interval),
            exhausted: None,
            table_bytes: 0,
            checks: 0,
        }
    }

    /// The search stops exactly at the limit, not up to one interval after it.
    fn interval(configurations_left: u64) -> u32 {
        configurations_left.clamp(1, u64::from(Self::INTERVAL)) as u32
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub fn interrupt(&self) -> Option<Interrupt> {
        self.limits.interrupt
    }

    /// Counts one configuration. Returns whether the search must stop.
    #[inline]
    pub fn configuration(&mut self, table_bytes: impl FnOnce() -> usize) -> bool {
        self.configurations += 1;
        self.work(table_bytes)
    }

    /// Counts work that is no configuration. Returns whether the search must stop.
    #[inline]
    pub fn work(&mut self, table_bytes: impl FnOnce() -> usize) -> bool {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.table_bytes = table_bytes() as u64;
            self.check_limits();
        }
        self.exhausted.is_some()
    }

    #[cold]
    #[inline(never)]
    fn check_limits(&mut self) {
        self.countdown = Self::INTERVAL;
        self.checks = self.checks.wrapping_add(1);
        if self.exhausted.is_some() {
            return;
        }
        let configurations = self.limits.configurations;
        if self.limits.interrupt.is_some_and(Interrupt::is_raised) {
            self.exhausted = Some(Limit::Interrupt);
        } else if let Some(over) = guard::over() {
            self.exhausted = Some(over.into());
        } else if configurations.is_some_and(|limit| self.configurations >= limit) {
            self.exhausted = Some(Limit::Configurations);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.exhausted = Some(Limit::Time);
        } else if self.exceeds_memory() {
            self.exhausted = Some(Limit::Memory);
        } else if let Some(limit) = configurations {
            self.countdown = Self::interval(limit - self.configurations);
        }
    }

    fn exceeds_memory(&self) -> bool {
        let reads_resident = self.checks % Self::CHECKS_PER_MEMORY_CHECK == 1;
        let resident = if reads_resident { resident_bytes() } else { None };
        let held = resident.unwrap_or(0).max(self.table_bytes);
        if self.limits.memory_bytes.is_none() && held < Self::ALWAYS_ALLOWED_BYTES {
            return false;
        }
        let limit = self.limits.memory_bytes.or_else(default_limit_bytes);
        limit.is_some_and(|limit| held >= limit)
    }

    /// Ends the search because of a limit that the caller found exceeded.
    pub fn stop(&mut self, limit: Limit) {
        self.exhausted.get_or_insert(limit);
    }

    pub fn exhausted(&self) -> Option<Limit> {
        self.exhausted
    }
}
