//! How far every thread has come, for all to see: what tells happens-before without a clock.
//!
//! A thread publishes how many of its operations are over, in a cache line that only it writes. Before a call, a thread
//! notes what all of them say. If it notes `m` for a thread, that thread's first `m` operations were over before the
//! call: the count is stored with *release* after the operation, so who sees it, loading with *acquire*, sees every effect
//! of the operation as well. That holds on every machine and takes no fence: the store buffer is left alone, and what
//! lingers in it at worst hides that an operation was over. **Order is lost, never invented.**
//!
//! Nothing is read after a call. That a thread had not begun yet could be used the other way round only if *its* store
//! were known not to linger: without a fence both sides may read the past, and an order would be made up.
//!
//! The cost is the cache misses: a call fetches the line of every thread that has finished something since the last.

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
    /// The thread's label as MessagePack; never changes once others can see the slot.
    name: OnceLock<Box<[u8]>>,
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
            buffer.put(slot.name.get().map_or(&[0xc0], |name| name));
            buffer.put(&tagged(0xcf, count.to_be_bytes()));
        }
    }

    /// The call that was begun last is over, and so is its record.
    #[inline]
    pub(crate) fn end(&self, place: &Place) {
        self.slots[place.slot].over.store(place.begun, Ordering::Release);
    }
}
