//! The accesses to each location that may race with one to come.
//!
//! Two accesses race if they concern the same bytes, at least one writes, at least one is not atomic, and neither happens before the
//! other. Each location (eight bytes) keeps every access that no later access subsumes: the last ones of each thread. FastTrack
//! (Flanagan and Freund, PLDI 2009) keeps fewer where accesses are ordered; here few threads make few accesses, and exactness
//! matters more.
//!
//! An access *b* subsumes an earlier access *a* if *a* happens before *b*, and *b* concerns all bytes of *a*, writes if *a* does, and
//! is atomic only if *a* is. Then whatever races with *a* and comes after *b* races with *b*: it does not happen after *b*, because
//! it would then happen after *a*; and it conflicts with *b*, because it conflicts with *a*. So for every access it is known exactly
//! whether it races with an earlier one.

use crate::happens_before::{Clock, index};
use crate::layout::race;

/// A bit of [`MemoryAccess::kind`] beside those of [`race`]: a race is expected, and proves nothing.
pub const VOLATILE: u8 = 1 << 7;

/// An access to eight aligned bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct MemoryAccess {
    /// Its code address.
    pub code: u64,
    /// The epoch of its thread.
    pub epoch: u32,
    /// The access before it at its location, as its number plus 1.
    next: u32,
    /// Its thread.
    pub thread: u8,
    /// Which of the eight bytes.
    pub bytes: u8,
    /// Bits of [`race`], and [`VOLATILE`].
    pub kind: u8,
}

impl MemoryAccess {
    /// An access of a thread in its current epoch.
    pub fn new(code: u64, thread: u8, clock: &Clock, bytes: u8, kind: u8) -> Self {
        Self {
            code,
            epoch: clock.happened[index(thread)],
            next: 0,
            thread,
            bytes,
            kind,
        }
    }

    /// Whether it happens before what a thread with this clock does now.
    fn happens_before(&self, id: u8, clock: &Clock) -> bool {
        self.thread == id || self.epoch <= clock.happened[index(self.thread)]
    }
}

/// Which accesses race, and which need not be kept. A trait, so that tests can leave out a rule and see that it is missed.
pub trait RaceRules {
    /// Whether two accesses of different threads race, if neither happens before the other.
    ///
    /// An atomic access and a free do not: the last owner of a counted object reads the count with an acquire fence that comes
    /// later.
    fn conflict(one: &MemoryAccess, other: &MemoryAccess) -> bool {
        let either = one.kind | other.kind;
        one.bytes & other.bytes != 0
            && either & race::WRITES != 0
            && one.kind & other.kind & race::ATOMIC == 0
            && !(either & race::FREES != 0 && either & race::ATOMIC != 0)
    }

    /// Whether `later` subsumes `earlier`, which happens before it if `is_before`.
    fn subsumes(later: &MemoryAccess, earlier: &MemoryAccess, is_before: bool) -> bool {
        is_before
            && earlier.bytes & !later.bytes == 0
            && later.kind & race::WRITES >= earlier.kind & race::WRITES
            && later.kind & race::ATOMIC <= earlier.kind & race::ATOMIC
            && later.kind & VOLATILE <= earlier.kind & VOLATILE
    }
}

/// The rules as they are.
#[derive(Debug, Clone, Copy)]
pub struct DataRaces;

impl RaceRules for DataRaces {}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Location {
    /// The address divided by 8, 0 for none.
    key: u64,
    /// The last access, as its number plus 1.
    last: u32,
}

/// The accesses of an execution that may still race, for up to `LOCATIONS` (a power of two) locations and `ACCESSES` accesses. A value
/// of which all bytes are 0 is empty.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct AccessHistories<const LOCATIONS: usize, const ACCESSES: usize> {
    /// A hash table by address; an address for which it has no room is not checked.
    locations: [Location; LOCATIONS],
    accesses: [MemoryAccess; ACCESSES],
    accesses_len: u32,
    /// The indices of the locations that are in use.
    used: [u32; LOCATIONS],
    used_len: u32,
}

impl<const LOCATIONS: usize, const ACCESSES: usize> AccessHistories<LOCATIONS, ACCESSES> {
    /// Nothing was accessed.
    pub const EMPTY: Self = Self {
        locations: [Location { key: 0, last: 0 }; LOCATIONS],
        accesses: [MemoryAccess {
            code: 0,
            epoch: 0,
            next: 0,
            thread: 0,
            bytes: 0,
            kind: 0,
        }; ACCESSES],
        accesses_len: 0,
        used: [0; LOCATIONS],
        used_len: 0,
    };

    /// Forgets all accesses. What is behind the last one is never read.
    pub fn clear(&mut self) {
        for &index in self.used.iter().take(self.used_len as usize) {
            self.locations[index as usize & (LOCATIONS - 1)] = Location { key: 0, last: 0 };
        }
        self.used_len = 0;
        self.accesses_len = 0;
    }

    /// The number of a location; none if there is none, or no room to make one.
    fn location(&mut self, key: u64, make: bool) -> Option<&mut Location> {
        /// Places that are tried.
        const TRIES: usize = 32;
        // Neighbouring addresses have neighbouring entries, so that few pages are touched.
        let first = (key ^ (key >> 20)) as usize;
        let is_free_or_its = |index: usize| {
            let known = self.locations[index & (LOCATIONS - 1)].key;
            known == key || known == 0
        };
        let index = (first..first + TRIES).find(|&index| is_free_or_its(index))?;
        let location = &mut self.locations[index & (LOCATIONS - 1)];
        if location.key == 0 {
            if !make {
                return None;
            }
            location.key = key;
            // Each index is in use once, so there is room.
            self.used[self.used_len as usize & (LOCATIONS - 1)] = (index & (LOCATIONS - 1)) as u32;
            self.used_len += 1;
        }
        Some(location)
    }

    /// Forgets the accesses to a location: they concerned another object.
    pub fn forget(&mut self, key: u64) {
        if let Some(location) = self.location(key, false) {
            location.last = 0;
        }
    }

    /// Forgets the accesses to all locations in a range of keys.
    pub fn forget_range(&mut self, from: u64, to: u64) {
        for &index in self.used.iter().take(self.used_len as usize) {
            let location = &mut self.locations[index as usize & (LOCATIONS - 1)];
            if (from..to).contains(&location.key) {
                location.last = 0;
            }
        }
    }

    /// Records an access to the location `key`, which a thread with this clock makes. Calls `report` with each earlier access that it
    /// races with.
    pub fn record<Rules: RaceRules>(
        &mut self,
        key: u64,
        access: MemoryAccess,
        clock: &Clock,
        mut report: impl FnMut(&MemoryAccess),
    ) {
        let Some(location) = self.location(key, true) else {
            return;
        };
        let last = location.last;
        // The accesses that are kept are linked again, in their order.
        let (mut kept_first, mut kept_last, mut free, mut at) = (0_u32, 0_u32, 0_u32, last);
        while let Some(known) = self.accesses.get(at.wrapping_sub(1) as usize).copied() {
            let is_before = known.happens_before(access.thread, clock);
            if !is_before && Rules::conflict(&known, &access) {
                report(&known);
            }
            if Rules::subsumes(&access, &known, is_before) {
                free = at;
            } else {
                match self.accesses.get_mut(kept_last.wrapping_sub(1) as usize) {
                    Some(before) => before.next = at,
                    None => kept_first = at,
                }
                kept_last = at;
            }
            at = known.next;
        }
        if let Some(before) = self.accesses.get_mut(kept_last.wrapping_sub(1) as usize) {
            before.next = 0;
        }
        let number = match free {
            0 if self.accesses_len as usize >= ACCESSES => kept_first,
            0 => {
                self.accesses_len += 1;
                self.accesses_len
            }
            free => free,
        };
        if number != kept_first
            && let Some(place) = self.accesses.get_mut(number.wrapping_sub(1) as usize)
        {
            *place = MemoryAccess {
                next: kept_first,
                ..access
            };
        }
        if let Some(location) = self.location(key, true) {
            location.last = number;
        }
    }
}
