//! The queue of the demonstration: a ring with a lock at each end, and what becomes of it without one of them.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many elements fit.
pub(super) const CAPACITY: usize = 8;

/// A bounded first-in first-out queue.
///
/// With both locks it is correct: only the holder of a lock moves that end, an element is in its slot before `tail`
/// passes it, and out of it before `head` does.
#[derive(Debug)]
pub(super) struct Ring {
    slots: [AtomicI64; CAPACITY],
    /// Elements that were ever taken.
    head: AtomicUsize,
    /// Elements that were ever put in.
    tail: AtomicUsize,
    enqueuers: Mutex<()>,
    dequeuers: Mutex<()>,
    locks_dequeue: bool,
}

impl Ring {
    /// An empty queue, with the lock for dequeuers or without it.
    pub(super) fn new(locks_dequeue: bool) -> Self {
        Self {
            slots: Default::default(),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            enqueuers: Mutex::new(()),
            dequeuers: Mutex::new(()),
            locks_dequeue,
        }
    }

    /// Puts `value` at the back; false if the queue is full.
    pub(super) fn enqueue(&self, value: i64) -> bool {
        let _lock = self.enqueuers.lock().unwrap_or_else(PoisonError::into_inner);
        let tail = self.tail.load(Ordering::SeqCst);
        if tail - self.head.load(Ordering::SeqCst) >= CAPACITY {
            return false;
        }
        self.slots[tail % CAPACITY].store(value, Ordering::SeqCst);
        self.tail.store(tail + 1, Ordering::SeqCst);
        true
    }

    /// Takes the element at the front; `None` if the queue is empty.
    ///
    /// Without its lock this is the bug: two threads may both find the same head, and both take the element there.
    pub(super) fn dequeue(&self) -> Option<i64> {
        let _lock = self
            .locks_dequeue
            .then(|| self.dequeuers.lock().unwrap_or_else(PoisonError::into_inner));
        let head = self.head.load(Ordering::SeqCst);
        if head == self.tail.load(Ordering::SeqCst) {
            return None;
        }
        let value = self.slots[head % CAPACITY].load(Ordering::SeqCst);
        // What a scheduler does here once in a long while, often enough to be seen on one core, too.
        if value % 16 == 0 {
            std::thread::yield_now();
        }
        self.head.store(head + 1, Ordering::SeqCst);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_cannot_tell_the_two_apart() {
        for locks_dequeue in [true, false] {
            let ring = Ring::new(locks_dequeue);
            assert_eq!(ring.dequeue(), None);
            assert!((1..=CAPACITY as i64).all(|value| ring.enqueue(value)));
            assert!(!ring.enqueue(99));
            assert_eq!([ring.dequeue(), ring.dequeue()], [Some(1), Some(2)]);
            assert!(ring.enqueue(9));
            assert_eq!(
                std::iter::from_fn(|| ring.dequeue()).collect::<Vec<_>>(),
                [3, 4, 5, 6, 7, 8, 9]
            );
        }
    }
}
