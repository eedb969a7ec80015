//! Interrupts: how a user ends a check.

use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends a check when it is raised, by a signal handler or by another thread.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt(&'static AtomicBool);

impl Interrupt {
    /// An interrupt that is raised when `flag` is set.
    pub const fn new(flag: &'static AtomicBool) -> Self {
        Self(flag)
    }

    /// The flag.
    pub const fn flag(self) -> &'static AtomicBool {
        self.0
    }

    /// Whether the flag is set.
    pub fn is_raised(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Interrupts are equal if they use the same flag.
impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Interrupt {}
