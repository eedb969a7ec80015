//! When to give up.

use std::time::{Duration, Instant};

/// How much a search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory of the process, in bytes.
    pub memory_bytes: u64,
}

impl Default for Limits {
    /// No limit of time, and four fifths of the memory that is free now.
    fn default() -> Self {
        Self {
            time: None,
            memory_bytes: available_bytes().map_or(4 << 30, |free| free / 5 * 4),
        }
    }
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The time is over.
    Time,
    /// The memory is full.
    Memory,
    /// Someone pressed Ctrl-C.
    Interrupt,
    /// A simulation ran as many behaviours as it was asked for.
    Behaviours,
    /// A depth was asked for beyond which nothing was explored.
    Depth,
}

impl Limit {
    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Interrupt => "interrupt",
            Self::Behaviours => "behaviours",
            Self::Depth => "depth",
        }
    }
}

/// The end of the time that a search has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self(limits.time.and_then(|time| Instant::now().checked_add(time)))
    }

    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

/// The memory that this process holds now, where the system tells.
pub(crate) fn resident_bytes() -> Option<u64> {
    const PAGE_BYTES: u64 = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE_BYTES)
}

/// The memory that nobody needs now, where the system tells.
fn available_bytes() -> Option<u64> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
