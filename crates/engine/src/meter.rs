//! Keeps a search within its limits.

use std::time::Instant;

use crate::options::Limits;

/// Why a search stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The limit on configurations was reached.
    Configurations,
}

/// Counts work and looks at clock and memory now and then.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    deadline: Option<Instant>,
    /// Configurations explored so far.
    pub configurations: u64,
    countdown: u32,
    exhausted: Option<Exhausted>,
    /// What the tables held when they were last measured, for systems that do not tell resident memory.
    table_bytes: u64,
}

impl Meter {
    /// A configuration takes well under 10 µs: the clock is read every few milliseconds at worst.
    const INTERVAL: u32 = 256;

    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            deadline: limits.time.map(|time| Instant::now() + time),
            configurations: 0,
            countdown: limits.configurations.map_or(Self::INTERVAL, Self::interval),
            exhausted: None,
            table_bytes: 0,
        }
    }

    /// Stops at the limit itself, not up to one interval after it.
    fn interval(configurations_left: u64) -> u32 {
        configurations_left.clamp(1, u64::from(Self::INTERVAL)) as u32
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
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
        if self.exhausted.is_some() {
            return;
        }
        let Limits {
            memory_bytes,
            configurations,
            ..
        } = self.limits;
        if configurations.is_some_and(|limit| self.configurations >= limit) {
            self.exhausted = Some(Exhausted::Configurations);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.exhausted = Some(Exhausted::Time);
        } else if memory_bytes
            .is_some_and(|limit| resident_bytes().unwrap_or(0).max(self.table_bytes) >= limit)
        {
            self.exhausted = Some(Exhausted::Memory);
        } else if let Some(limit) = configurations {
            self.countdown = Self::interval(limit - self.configurations);
        }
    }

    pub fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted
    }
}

/// How much memory this process holds, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
