//! Progress counters of all threads: happens-before without a clock.
//!
//! A thread publishes how many of its operations have *ended* and how many have *begun*, in a cache line that only it
//! writes. Two snapshots of these counters determine happens-before.
//!
//! **Before a call: the ended operations.** If a thread reads `m` for another, the other's first `m` operations ended before
//! the call: the count is stored with *release* after the operation, so a thread that loads it with *acquire* also observes
//! every effect of the operation. That holds on every machine and needs no fence: a count that stays in the store buffer at
//! worst hides that an operation ended. **Order is lost, never invented.**
//!
//! **After a call: the begun operations.** If a thread reads `m` for another, the call ended before the other's operation
//! `m + 1` began. Here a count that stays in the store buffer would invent order: an operation that has begun would not
//! count as begun. So there is a *sequentially consistent fence* on either side: a thread stores that it begins, then
//! executes the fence `b`, then its operation; and after its operation it executes the fence `e`, then loads what others
//! have begun. All such fences have one total order. Let `A` be the operation before the snapshot and `B` the other's
//! operation `m + 1`. If `b` of `B` were before `e` of `A`, `A` would have read `m + 1` or more. So `e` of `A` is before `b`
//! of `B`: `B` reads what `A` wrote or something newer, and `A` read nothing that `B` wrote. ∎ The first snapshot misses such
//! a pair if `A` had not yet published its end, which it does after writing its record.
//!
//! Both snapshots imply that `e` of one operation is before `b` of the other: a *release* that is *acquired* also orders the
//! fences around it. So both are parts of one order, and their union has no cycle.
//!
//! The fences drain the store buffer. With [`EndFence::LoadsOnly`](crate::EndFence::LoadsOnly), which avoids that, there is
//! only the first snapshot.
//!
//! The cost is cache misses: a call fetches the line of every thread that was active since the last call.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::compiler_fence;
#[cfg(not(target_arch = "x86_64"))]
use std::sync::atomic::fence;
use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crate::{buffer::Buffer, value::tagged};

/// The counters of all threads.
#[derive(Debug)]
pub(crate) struct ProgressCounters {
    threads: Box<[ThreadCounters]>,
    /// The number of registered threads. A registration is permanent: the counts stay valid.
    registered: AtomicUsize,
    /// Held while a thread registers.
    registration: Mutex<()>,
}

/// The counters of one thread, in two cache lines: processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct ThreadCounters {
    /// The number of operations that have ended.
    ended: AtomicU64,
    /// The number of operations that have begun, if that is published.
    begun: AtomicU64,
    /// The thread's label as MessagePack; constant after the registration.
    name: OnceLock<Box<[u8]>>,
}

impl ThreadCounters {
    /// Writes the thread's name and one of its counts.
    #[inline]
    fn write(&self, count: u64, buffer: &mut Buffer) {
        buffer.put(self.name.get().map_or(&[0xc0], |name| name));
        buffer.put(&tagged(0xcf, count.to_be_bytes()));
    }
}

/// A thread's own counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CounterHandle {
    index: usize,
    /// The number of operations that have begun.
    begun: u64,
}

impl ProgressCounters {
    /// Counters for this many threads.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads: (0..threads).map(|_| ThreadCounters::default()).collect(),
            registered: AtomicUsize::new(0),
            registration: Mutex::default(),
        }
    }

    /// The maximal number of threads.
    pub(crate) fn capacity(&self) -> usize {
        self.threads.len()
    }

    /// Registers a thread with this label; `None` if there are too many.
    pub(crate) fn register(&self, name: Vec<u8>) -> Option<CounterHandle> {
        let _registration = self.registration.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.registered.load(Ordering::Relaxed);
        // Counters without a thread have no name yet.
        self.threads.get(index)?.name.set(name.into()).ok()?;
        self.registered.store(index + 1, Ordering::Release);
        Some(CounterHandle { index, begun: 0 })
    }

    fn registered(&self) -> &[ThreadCounters] {
        &self.threads[..self.registered.load(Ordering::Acquire)]
    }

    /// Writes, as a MessagePack map, how many operations of each thread had ended before the call that begins now, and the
    /// number of this call in its own thread.
    ///
    /// The counters are read twice, and the second snapshot is written. An operation that had ended at the first snapshot
    /// took its own snapshot before; so each count of the second snapshot is at least the count in that one. Comparing the
    /// maps entry by entry then shows that it came before, and so did all that came before it.
    #[inline]
    pub(crate) fn write_ended(&self, own: &mut CounterHandle, buffer: &mut Buffer) {
        own.begun += 1;
        let threads = self.registered();
        for thread in threads {
            thread.ended.load(Ordering::Acquire);
        }
        write_map_length(threads.len(), buffer);
        for (index, thread) in threads.iter().enumerate() {
            let count = if index == own.index {
                own.begun
            } else {
                thread.ended.load(Ordering::Acquire)
            };
            thread.write(count, buffer);
        }
    }

    /// Publishes that the last call of [`write_ended`](Self::write_ended) begins. Its operation comes after this.
    #[inline]
    pub(crate) fn begin(&self, own: &CounterHandle) {
        let begun = &self.threads[own.index].begun;
        // On x86-64 an exchange is a full fence, and far cheaper than `mfence`.
        #[cfg(target_arch = "x86_64")]
        {
            begun.swap(own.begun, Ordering::SeqCst);
            compiler_fence(Ordering::SeqCst);
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            begun.store(own.begun, Ordering::Relaxed);
            fence(Ordering::SeqCst);
        }
    }

    /// Reads how many operations each thread has begun, after a call and the fence of
    /// [`EndFence::DrainStores`](crate::EndFence).
    #[inline]
    pub(crate) fn read_begun(&self, begun: &mut Vec<u64>) {
        begun.clear();
        let threads = self.registered().iter();
        begun.extend(threads.map(|thread| thread.begun.load(Ordering::Relaxed)));
    }

    /// Writes, as a MessagePack map, the counts of [`read_begun`](Self::read_begun).
    #[inline]
    pub(crate) fn write_begun(&self, begun: &[u64], buffer: &mut Buffer) {
        write_map_length(begun.len(), buffer);
        for (thread, count) in self.threads.iter().zip(begun) {
            thread.write(*count, buffer);
        }
    }

    /// Publishes that the call that began last has ended and is recorded.
    #[inline]
    pub(crate) fn end(&self, own: &CounterHandle) {
        self.threads[own.index].ended.store(own.begun, Ordering::Release);
    }
}

#[inline]
fn write_map_length(length: usize, buffer: &mut Buffer) {
    let [high, low] = (length as u16).to_be_bytes();
    buffer.put(&[0xde, high, low]);
}
