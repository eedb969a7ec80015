//! How far every thread has come, for all to see: what tells happens-before without a clock.
//!
//! A thread publishes how many of its operations are *over* and how many have *begun*, in a cache line that only it
//! writes. Two readings of what all of them say tell what happened before what.
//!
//! **Before a call: what is over.** If a thread notes `m` for another, the other's first `m` operations were over before
//! the call: the count is stored with *release* after the operation, so who sees it, loading with *acquire*, sees every
//! effect of the operation as well. That holds on every machine and takes no fence: the store buffer is left alone, and
//! what lingers in it at worst hides that an operation was over. **Order is lost, never invented.**
//!
//! **After a call: what has begun.** If a thread notes `m` for another, the call was over before the other's operation
//! `m + 1` began. Here a store that lingers would invent order: an operation that has begun would not seem to. So there
//! is a *sequentially consistent fence* on either side: a thread stores that it begins, then the fence `b`, then its
//! operation; and after its operation the fence `e`, then it loads what others have begun. All such fences have one total
//! order. Let `A` be the operation after which the note is taken, `B` the other's operation `m + 1`. Were `b` of `B` before
//! `e` of `A`, `A` would have noted `m + 1` or more. So `e` of `A` is before `b` of `B`: what `A` wrote is what `B` reads, or
//! something newer; what `A` read was not written by `B`. ∎ The first reading misses such a pair when `A`
//! had not published yet that it was over, which takes it as long as its record does.
//!
//! Both readings say that `e` of one operation is before `b` of the other: a *release* that is *acquired* orders the
//! fences around it as well. So both are parts of one order, and together without a cycle.
//!
//! The fences drain the store buffer. Whoever wants it left alone ([`EndFence::LoadsOnly`](crate::EndFence::LoadsOnly))
//! gets the first reading only.
//!
//! The cost is the cache misses: a call fetches the line of every thread that has done something since the last.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::compiler_fence;
#[cfg(not(target_arch = "x86_64"))]
use std::sync::atomic::fence;
use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crate::{buffer::Buffer, value::tagged};

/// The counts of all threads.
#[derive(Debug)]
pub(crate) struct ProgressBoard {
    slots: Box<[Slot]>,
    /// How many slots are in use. A slot is never given back: what it counted stays true.
    joined: AtomicUsize,
    /// Held while a thread joins.
    turn: Mutex<()>,
}

/// Two lines of 64 bytes: processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Slot {
    /// How many operations are over.
    over: AtomicU64,
    /// How many operations have begun, if that is published.
    begun: AtomicU64,
    /// The thread's label as MessagePack; never changes once others can see the slot.
    name: OnceLock<Box<[u8]>>,
}

impl Slot {
    /// Writes the thread's name and a count of it.
    #[inline]
    fn write(&self, count: u64, buffer: &mut Buffer) {
        buffer.put(self.name.get().map_or(&[0xc0], |name| name));
        buffer.put(&tagged(0xcf, count.to_be_bytes()));
    }
}

/// A thread's place on the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    slot: usize,
    /// How many operations were begun there.
    begun: u64,
}

impl ProgressBoard {
    /// A board for this many threads.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            slots: (0..threads).map(|_| Slot::default()).collect(),
            joined: AtomicUsize::new(0),
            turn: Mutex::default(),
        }
    }

    /// For how many threads it is.
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// A place for a thread with this label; `None` if all are taken.
    pub(crate) fn join(&self, name: Vec<u8>) -> Option<Place> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = self.joined.load(Ordering::Relaxed);
        // A slot that nobody has joined has no name yet.
        self.slots.get(slot)?.name.set(name.into()).ok()?;
        self.joined.store(slot + 1, Ordering::Release);
        Some(Place { slot, begun: 0 })
    }

    /// Writes, as a MessagePack map, what was over before the call that begins now, and which call of its thread it is.
    ///
    /// The board is looked at twice, and the second look is written. What had been over at the first look had itself
    /// looked before; so the second look shows no less than it saw, in any of the counts. Comparing the maps entry by
    /// entry then tells that it came before, and all that came before it.
    #[inline]
    pub(crate) fn note(&self, place: &mut Place, buffer: &mut Buffer) {
        place.begun += 1;
        let slots = &self.slots[..self.joined.load(Ordering::Acquire)];
        for slot in slots {
            slot.over.load(Ordering::Acquire);
        }
        let [high, low] = (slots.len() as u16).to_be_bytes();
        buffer.put(&[0xde, high, low]);
        for (at, slot) in slots.iter().enumerate() {
            let count = match at == place.slot {
                true => place.begun,
                false => slot.over.load(Ordering::Acquire),
            };
            slot.write(count, buffer);
        }
    }

    /// Publishes that the call that was noted last begins. Its operation comes after this.
    #[inline]
    pub(crate) fn begin(&self, place: &Place) {
        let begun = &self.slots[place.slot].begun;
        // On x86-64 an exchange is a full fence, and far cheaper than the instruction that is nothing else.
        #[cfg(target_arch = "x86_64")]
        {
            begun.swap(place.begun, Ordering::SeqCst);
            compiler_fence(Ordering::SeqCst);
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            begun.store(place.begun, Ordering::Relaxed);
            fence(Ordering::SeqCst);
        }
    }

    /// Notes what every thread has begun, after a call and the fence that [`EndFence::DrainStores`](crate::EndFence) puts
    /// behind it.
    #[inline]
    pub(crate) fn look(&self, begun: &mut Vec<u64>) {
        let slots = &self.slots[..self.joined.load(Ordering::Acquire)];
        begun.clear();
        begun.extend(slots.iter().map(|slot| slot.begun.load(Ordering::Relaxed)));
    }

    /// Writes, as a MessagePack map, what was noted after a call.
    #[inline]
    pub(crate) fn write(&self, begun: &[u64], buffer: &mut Buffer) {
        let [high, low] = (begun.len() as u16).to_be_bytes();
        buffer.put(&[0xde, high, low]);
        for (slot, count) in self.slots.iter().zip(begun) {
            slot.write(*count, buffer);
        }
    }

    /// The call that was begun last is over, and so is its record.
    #[inline]
    pub(crate) fn end(&self, place: &Place) {
        self.slots[place.slot].over.store(place.begun, Ordering::Release);
    }
}
