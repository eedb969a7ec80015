//! The variables of the runtime.

use crate::checked::trap;
use core::cell::{Cell, UnsafeCell};
use core::ops::Deref;

/// A variable of the runtime, which only the running thread touches.
///
/// What is inside is a [`Cell`], a [`Lent`], or a structure of those: a reference to it promises nothing about its content, and there is
/// never a second reference that would have to be the only one.
#[repr(transparent)]
pub struct Global<T>(T);

// SAFETY: at most one thread of the process touches the variables of the runtime at a time: the running thread. It becomes that by a futex
// or by a switch of fibers, which order everything that the thread before it did. Threads that the scheduler does not control leave each
// entry point before it comes to a variable that is no atomic, and before the first thread is controlled the process has one thread.
// `SOUNDNESS.md` goes through the entry points.
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    pub const fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Global<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A value that is lent to one function at a time.
///
/// A function that borrows it must return: no execution may end inside of it. Asking for it a second time is a trap.
pub struct Lent<T> {
    is_lent: Cell<bool>,
    value: UnsafeCell<T>,
}

impl<T> Lent<T> {
    pub const fn new(value: T) -> Self {
        Self {
            is_lent: Cell::new(false),
            value: UnsafeCell::new(value),
        }
    }

    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        if self.is_lent.replace(true) {
            trap();
        }
        // SAFETY: the flag was not set, so that no other reference to the value exists; it is set until this one is gone.
        let result = work(unsafe { &mut *self.value.get() });
        self.is_lent.set(false);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::Lent;

    #[test]
    fn a_value_is_lent_again_when_it_was_given_back() {
        let value = Lent::new(1);
        value.with(|value| *value += 1);
        assert_eq!(value.with(|value| *value), 2);
    }

    #[test]
    #[should_panic(expected = "in use already")]
    fn a_value_is_lent_once_at_a_time() {
        let value = Lent::new(1);
        value.with(|_| value.with(|_| ()));
    }
}
