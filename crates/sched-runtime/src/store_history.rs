//! Weak memory: all stores to each location, of which a load may read several.
//!
//! The model is that of C++20, in the operational form of Kang et al. (POPL 2017, without promises): threads interleave, every
//! location keeps its stores in *modification order*, and each access chooses its place in that order.
//!
//! * A load may read any store that is not older than one that must be visible to its thread.
//! * A store may take any place after those, but not between a store and the read-modify-write that read it.
//! * A read-modify-write comes immediately after the store that it reads.
//!
//! A store must be visible to a thread (write-write, write-read, read-write and read-read coherence) if it was made, or read, by
//! an access that the thread knows of ([`Clock::visible`]). A sequentially consistent access must also see each store that was made
//! or read by an earlier sequentially consistent access, or that was visible at an earlier sequentially consistent fence; and so
//! must every access after a later such fence. The total order of sequentially consistent operations is therefore the order of
//! execution.
//!
//! What is left out: executions in which happens-before or the total order contradicts every order of execution. That is *load
//! buffering* (a load that reads a store which depends on the load, or follows it in its thread), which the model of C++ allows
//! and no order of execution shows; and executions in which a sequentially consistent access precedes another in the total order,
//! but follows it through relaxed accesses.

use crate::happens_before::{Clock, Epochs, HappensBefore, MemoryOrder, index};
use crate::layout::THREADS_CAP;

/// The most stores that an access chooses from: the newest of those that it may.
pub const CHOICES_CAP: usize = 16;
/// No step of the schedule.
pub const NO_STEP: u32 = u32::MAX;

/// A store in the modification order of its location.
#[derive(Clone, Copy)]
#[repr(C)]
struct Store {
    value: u64,
    /// What a load of it acquires.
    message: Clock,
    /// For each thread the epoch in which it read this store first, or 0.
    first_reads: Epochs,
    /// The epoch of the store; 0 if it is visible to all threads.
    epoch: u32,
    /// The number of the first sequentially consistent access that made or read it, or 0.
    seq_cst_access: u32,
    /// The store before it in modification order, as its number plus 1.
    previous: u32,
    /// The step in which it was made, or [`NO_STEP`].
    step: u32,
    thread: u8,
    /// It is the store of a read-modify-write that read the store before it.
    follows_read: bool,
}

impl Store {
    const NONE: Self = Self {
        value: 0,
        message: Clock::NOTHING,
        first_reads: [0; THREADS_CAP],
        epoch: 0,
        seq_cst_access: 0,
        previous: 0,
        step: 0,
        thread: 0,
        follows_read: false,
    };

    fn is_known(&self, epochs: &Epochs) -> bool {
        if self.epoch <= epochs[index(self.thread)] {
            return true;
        }
        let mut reads = self.first_reads.iter().zip(epochs);
        reads.any(|(first, known)| *first != 0 && first <= known)
    }

    /// Whether every access of a thread with this clock must see it.
    fn must_be_visible(&self, clock: &Clock) -> bool {
        self.is_known(&clock.visible)
            || (self.seq_cst_access != 0 && self.seq_cst_access <= clock.seq_cst_accesses)
    }

    /// Whether every sequentially consistent access must see it.
    fn must_be_visible_to_seq_cst(&self, fences: &Clock) -> bool {
        self.seq_cst_access != 0 || self.is_known(&fences.visible)
    }
}

/// The stores to one address.
#[derive(Clone, Copy)]
#[repr(C)]
struct Location {
    /// 0 for none.
    address: u64,
    /// The last store in modification order, as its number plus 1.
    newest: u32,
    /// 0 if nothing was accessed there since other memory was mapped.
    size: u8,
    /// Only the newest value is read: accesses of different sizes overlap here, or code that is not instrumented accesses it too.
    newest_only: bool,
}

/// An atomic access.
#[derive(Debug, Clone, Copy)]
pub enum AtomicAccess {
    /// A load.
    Load(MemoryOrder),
    /// A store.
    Store(MemoryOrder),
    /// A read-modify-write that always stores.
    ReadModifyWrite(MemoryOrder),
    /// A read-modify-write if it reads the expected value, and a load otherwise.
    CompareExchange {
        /// The expected value.
        expected: u64,
        /// The order if it stores.
        success: MemoryOrder,
        /// The order if it only loads.
        failure: MemoryOrder,
        /// It may fail although it reads the expected value.
        is_weak: bool,
    },
}

impl AtomicAccess {
    /// The order in which it is made, if it stores or if it does not.
    pub const fn order(self, stores: bool) -> MemoryOrder {
        match self {
            Self::Load(order) | Self::Store(order) | Self::ReadModifyWrite(order) => order,
            Self::CompareExchange { success, failure, .. } => match stores {
                true => success,
                false => failure,
            },
        }
    }

    /// Whether it may fail although it reads `value`.
    pub const fn may_fail_spuriously(self, value: u64) -> bool {
        match self {
            Self::CompareExchange {
                expected, is_weak, ..
            } => is_weak && value == expected,
            Self::Load(_) | Self::Store(_) | Self::ReadModifyWrite(_) => false,
        }
    }

    /// Whether it stores if it reads `value`.
    const fn stores(self, value: u64) -> bool {
        match self {
            Self::Load(_) => false,
            Self::Store(_) | Self::ReadModifyWrite(_) => true,
            Self::CompareExchange { expected, .. } => value == expected,
        }
    }
}

/// A store that an access may choose: it reads it, or its own store follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    number: u32,
    /// The value of the store.
    pub value: u64,
    /// The step in which it was made, or [`NO_STEP`].
    pub step: u32,
}

/// The stores that an access may choose from, the newest first.
#[derive(Debug, Clone, Copy)]
pub struct Choices {
    stores: [Choice; CHOICES_CAP],
    len: usize,
}

impl Choices {
    /// The choices; never empty.
    pub fn as_slice(&self) -> &[Choice] {
        self.stores.get(..self.len).unwrap_or(&[])
    }

    fn push(&mut self, choice: Choice) {
        if let Some(free) = self.stores.get_mut(self.len) {
            *free = choice;
            self.len += 1;
        }
    }
}

/// The store of an access.
#[derive(Debug, Clone, Copy)]
pub struct PlacedStore {
    /// Whether it is the last one in modification order.
    pub is_newest: bool,
    /// What a load of it acquires.
    pub message: Clock,
}

/// A location that is known, with room for another store.
#[derive(Debug, Clone, Copy)]
pub struct LocationId(usize);

/// The stores to all locations. All zero is the empty one.
#[derive(Clone)]
#[repr(C)]
pub struct StoreHistories<const LOCATIONS: usize, const STORES: usize> {
    stores_len: u32,
    locations: [Location; LOCATIONS],
    stores: [Store; STORES],
}

impl<const LOCATIONS: usize, const STORES: usize> core::fmt::Debug for StoreHistories<LOCATIONS, STORES> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("StoreHistories")
            .field("stores", &self.stores_len)
            .finish_non_exhaustive()
    }
}

impl<const LOCATIONS: usize, const STORES: usize> StoreHistories<LOCATIONS, STORES> {
    /// No stores.
    pub const EMPTY: Self = Self {
        stores_len: 0,
        locations: [Self::NO_LOCATION; LOCATIONS],
        stores: [Store::NONE; STORES],
    };

    const NO_LOCATION: Location = Location {
        address: 0,
        newest: 0,
        size: 0,
        newest_only: false,
    };

    /// Forgets all stores. What is behind the last one is never read.
    pub fn clear(&mut self) {
        self.stores_len = 0;
        self.locations.fill(Self::NO_LOCATION);
    }

    /// The location of an atomic access. It holds `now`: if that is not the newest store, something changed it that is not
    /// instrumented or not atomic, and what was there before is forgotten. `None` if only the newest value can be read: there is no
    /// room, or accesses of different sizes overlap.
    pub fn location(
        &mut self,
        address: u64,
        size: usize,
        now: u64,
        hb: &HappensBefore,
    ) -> Option<LocationId> {
        let at = match self.find(address) {
            Ok(at) => at,
            Err(free) => self.add_location(free?, address, size as u8),
        };
        let location = self.locations.get_mut(at)?;
        if location.size == 0 {
            location.size = size as u8;
        }
        location.newest_only |= usize::from(location.size) != size;
        if location.newest_only {
            return None;
        }
        let newest = location.newest;
        let holds = newest.checked_sub(1).and_then(|at| self.stores.get(at as usize));
        if holds.is_none_or(|store| store.value != now) {
            let message = match newest {
                0 => Clock::NOTHING,
                _ => *hb.released(),
            };
            let number = self.add_store(Store {
                value: now,
                message,
                step: NO_STEP,
                ..Store::NONE
            })?;
            self.locations.get_mut(at)?.newest = number;
        }
        // The access itself needs room.
        ((self.stores_len as usize) < STORES).then_some(LocationId(at))
    }

    /// From now on only the newest value is read at an address. Without room for another location no stale value is read there
    /// anyway.
    pub fn read_newest_only(&mut self, address: u64, size: usize) {
        let at = match self.find(address) {
            Ok(at) => at,
            Err(Some(free)) => self.add_location(free, address, size as u8),
            Err(None) => return,
        };
        if let Some(location) = self.locations.get_mut(at) {
            location.newest_only = true;
        }
    }

    /// The memory in a range holds other objects from now on.
    pub fn forget_range(&mut self, from: u64, to: u64) {
        let is_inside = |location: &&mut Location| (from..to).contains(&location.address);
        for location in self.locations.iter_mut().filter(is_inside) {
            // The address stays: others were placed behind it.
            *location = Location {
                address: location.address,
                ..Self::NO_LOCATION
            };
        }
    }

    /// The index of a location, or a free one for it.
    fn find(&self, address: u64) -> Result<usize, Option<usize>> {
        const PROBES: usize = 64;
        let first = (address ^ (address >> 20)) as usize;
        for probe in first..first + PROBES {
            let at = probe & (LOCATIONS - 1);
            match self.locations.get(at) {
                Some(location) if location.address == address => return Ok(at),
                Some(location) if location.address == 0 => return Err(Some(at)),
                _ => {}
            }
        }
        Err(None)
    }

    fn add_location(&mut self, at: usize, address: u64, size: u8) -> usize {
        const SIZE_MAX: u64 = 8;
        let mut newest_only = false;
        for other in address.saturating_sub(SIZE_MAX - 1)..address + u64::from(size) {
            if let Ok(other) = self.find(other)
                && let Some(other) = self.locations.get_mut(other)
                && other.address + u64::from(other.size) > address
            {
                other.newest_only = true;
                newest_only = true;
            }
        }
        if let Some(location) = self.locations.get_mut(at) {
            *location = Location {
                address,
                newest: 0,
                size,
                newest_only,
            };
        }
        at
    }

    fn add_store(&mut self, store: Store) -> Option<u32> {
        *self.stores.get_mut(self.stores_len as usize)? = store;
        self.stores_len += 1;
        Some(self.stores_len)
    }

    fn store(&self, number: u32) -> Option<&Store> {
        self.stores.get(number.checked_sub(1)? as usize)
    }

    fn newest(&self, location: LocationId) -> u32 {
        self.locations
            .get(location.0)
            .map_or(0, |location| location.newest)
    }

    /// The stores that an access of a thread may choose from.
    pub fn choices(
        &self,
        location: LocationId,
        thread: u8,
        access: AtomicAccess,
        hb: &HappensBefore,
    ) -> Choices {
        let mut choices = Choices {
            stores: [Choice {
                number: 0,
                value: 0,
                step: NO_STEP,
            }; CHOICES_CAP],
            len: 0,
        };
        let clock = hb.clock(thread);
        let mut number = self.newest(location);
        // Whether the store after this one was made by a read-modify-write that read this one.
        let mut was_read_by_next = false;
        let mut is_hidden_from_seq_cst = false;
        while let Some(store) = self.store(number) {
            let writes = access.stores(store.value);
            let order = access.order(writes);
            let excluded = (writes && was_read_by_next) || (order.is_seq_cst() && is_hidden_from_seq_cst);
            if !excluded {
                choices.push(Choice {
                    number,
                    value: store.value,
                    step: store.step,
                });
            }
            if store.must_be_visible(clock) {
                break;
            }
            is_hidden_from_seq_cst |= store.must_be_visible_to_seq_cst(hb.seq_cst_fences());
            was_read_by_next = store.follows_read;
            number = store.previous;
        }
        choices
    }

    /// A thread reads a store.
    pub fn read(&mut self, choice: Choice, thread: u8, order: MemoryOrder, hb: &mut HappensBefore) {
        let at = choice.number.wrapping_sub(1) as usize;
        let Some(store) = self.stores.get_mut(at) else {
            return;
        };
        if let Some(first @ 0) = store.first_reads.get_mut(usize::from(thread)) {
            *first = hb.epoch(thread);
        }
        if order.is_seq_cst() {
            let number = hb.next_seq_cst_access();
            if store.seq_cst_access == 0 {
                store.seq_cst_access = number;
            }
        }
        hb.read(thread, order, &store.message);
    }

    /// A thread stores `value` immediately after `choice`, which it has also read if it is a read-modify-write.
    pub fn write(
        &mut self,
        location: LocationId,
        choice: Choice,
        write: NewStore,
        hb: &mut HappensBefore,
    ) -> Option<PlacedStore> {
        let NewStore {
            value,
            thread,
            order,
            has_read,
            step,
        } = write;
        let epoch = hb.epoch(thread);
        let mut message = hb.write(thread, order);
        if has_read {
            // It continues the release sequence.
            message.join(&self.store(choice.number)?.message);
        }
        let seq_cst_access = match order.is_seq_cst() {
            true => hb.next_seq_cst_access(),
            false => 0,
        };
        let number = self.add_store(Store {
            value,
            message,
            first_reads: [0; THREADS_CAP],
            epoch,
            seq_cst_access,
            previous: choice.number,
            step,
            thread,
            follows_read: has_read,
        })?;
        let newest = self.newest(location);
        if newest == choice.number {
            self.locations.get_mut(location.0)?.newest = number;
            return Some(PlacedStore {
                is_newest: true,
                message,
            });
        }
        let mut next = newest;
        while let Some(store) = self.stores.get_mut(next.checked_sub(1)? as usize) {
            if store.previous == choice.number {
                store.previous = number;
                break;
            }
            next = store.previous;
        }
        Some(PlacedStore {
            is_newest: false,
            message,
        })
    }
}

/// What a thread stores.
#[derive(Debug, Clone, Copy)]
pub struct NewStore {
    /// The value.
    pub value: u64,
    /// The thread.
    pub thread: u8,
    /// The memory order of the access.
    pub order: MemoryOrder,
    /// Whether the access is a read-modify-write.
    pub has_read: bool,
    /// The step, or [`NO_STEP`].
    pub step: u32,
}
