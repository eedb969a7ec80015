//! Limits that are not the search's own: the clock, the memory of the process, and someone who wants it to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::memory::{default_memory_bytes, resident_bytes};
use crate::options::Limits;
use omnilink_evidence::Limit;

/// A flag that ends a check when it is raised, by a signal handler or by another thread.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt(&'static AtomicBool);

impl Interrupt {
    /// Looks at this flag.
    pub const fn new(flag: &'static AtomicBool) -> Self {
        Self(flag)
    }

    /// Whether it was raised.
    pub fn is_raised(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Two are the same if they look at the same flag.
impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Interrupt {}

/// Watches over the limits of work that explores no configurations: reading, decoding, building graphs.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    limits: Limits,
    deadline: Option<Instant>,
    next_memory_look: Option<Instant>,
}

impl Watch {
    /// Asking for resident memory is a call to the system, and memory does not fill up in less.
    const BETWEEN_MEMORY_LOOKS: Duration = Duration::from_millis(2);

    /// Time begins now.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            next_memory_look: None,
        }
    }

    /// The limit that is reached, if one is.
    pub fn reached(&mut self) -> Option<Limit> {
        if self.limits.interrupt.is_some_and(Interrupt::is_raised) {
            return Some(Limit::Interrupt);
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Limit::Time);
        }
        if self.next_memory_look.is_some_and(|next| now < next) {
            return None;
        }
        self.next_memory_look = now.checked_add(Self::BETWEEN_MEMORY_LOOKS);
        let limit = self.limits.memory_bytes.or_else(default_memory_bytes)?;
        (resident_bytes()? >= limit).then_some(Limit::Memory)
    }

    /// The limits less the time that is gone.
    pub fn limits_left(&self) -> Limits {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        Limits {
            time: self.deadline.map(left),
            ..self.limits
        }
    }
}
