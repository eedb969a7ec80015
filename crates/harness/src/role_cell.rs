//! A value that only one thread uses at a time, because only one thread has the role to use it.

use std::cell::UnsafeCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::serve::unobserved;

/// A value that may not be shared between threads: the producer of a single-producer queue, the receiving half of a channel. Its
/// calls have a role ([`Component::role`](crate::Component::role)), so no two threads use it at once; if they do, the call panics.
///
/// A mutex would do the same, but it would add steps to the schedule and order what the component itself leaves unordered.
pub struct RoleCell<T> {
    is_used: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through `with`, which lets in one caller at a time. A caller that comes later sees what earlier
// ones did, since it acquires the flag that they released. The value may move between threads, so it has to be `Send`.
unsafe impl<T: Send> Sync for RoleCell<T> {}

impl<T> RoleCell<T> {
    /// A cell with this value.
    pub fn new(value: T) -> Self {
        Self {
            is_used: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Uses the value.
    ///
    /// # Panics
    /// If another thread is using it.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        /// Gives the value back, also when the work panics.
        struct InUse<'a>(&'a AtomicBool);
        impl Drop for InUse<'_> {
            fn drop(&mut self) {
                unobserved(|| self.0.store(false, Ordering::Release));
            }
        }
        let was_used = unobserved(|| self.is_used.swap(true, Ordering::Acquire));
        assert!(
            !was_used,
            "two threads use the value of a RoleCell at once: give its calls a role"
        );
        let _in_use = InUse(&self.is_used);
        // SAFETY: the flag was free and is taken, so this is the only reference until it is given back.
        work(unsafe { &mut *self.value.get() })
    }
}

impl<T> fmt::Debug for RoleCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoleCell").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_at_a_time_and_a_panic_gives_the_value_back() {
        let cell = RoleCell::new(1);
        let inner =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cell.with(|_| cell.with(|_| ()))));
        assert!(inner.is_err());
        assert_eq!(cell.with(|value| std::mem::replace(value, 2)), 1);
        assert_eq!(cell.with(|value| *value), 2);
    }
}
