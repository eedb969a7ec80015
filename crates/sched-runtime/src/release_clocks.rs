//! What was released at each address, such as a lock or an atomic variable, when memory is sequentially consistent: a load reads the
//! newest store.

use crate::happens_before::{Clock, HappensBefore, MemoryOrder};

#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Released {
    /// 0 for none.
    address: u64,
    /// The bytes of an atomic variable; 0 for what only locks have used.
    size: u64,
    clock: Clock,
}

/// The clocks of up to `ADDRESSES` (a power of two) addresses. A value of which all bytes are 0 is empty.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct ReleaseClocks<const ADDRESSES: usize> {
    entries: [Released; ADDRESSES],
    /// The indices of the entries that are in use.
    used: [u32; ADDRESSES],
    used_len: u32,
    /// What was released at all addresses for which there was no room. Who reads one of them acquires all of it: that may hide a race, but
    /// shows none that is not there.
    without_room: Clock,
}

/// Where an address is in the table.
enum Slot {
    At(usize),
    /// There is no entry, but room for one here.
    Free(usize),
    /// There is neither an entry nor room for one.
    NoRoom,
}

impl<const ADDRESSES: usize> ReleaseClocks<ADDRESSES> {
    /// Nothing was released.
    pub const EMPTY: Self = Self {
        entries: [Self::NOTHING; ADDRESSES],
        used: [0; ADDRESSES],
        used_len: 0,
        without_room: Clock::NOTHING,
    };

    const NOTHING: Released = Released {
        address: 0,
        size: 0,
        clock: Clock::NOTHING,
    };

    /// Places that are tried.
    const TRIES: usize = 64;

    /// Forgets everything.
    pub fn clear(&mut self) {
        for &index in self.used.iter().take(self.used_len as usize) {
            self.entries[index as usize & (ADDRESSES - 1)] = Self::NOTHING;
        }
        self.used_len = 0;
        self.without_room = Clock::NOTHING;
    }

    fn slot(&self, address: u64) -> Slot {
        let first = (address >> 2) as usize;
        for index in first..first + Self::TRIES {
            match self.entries[index & (ADDRESSES - 1)].address {
                0 => return Slot::Free(index & (ADDRESSES - 1)),
                known if known == address => return Slot::At(index & (ADDRESSES - 1)),
                _ => {}
            }
        }
        Slot::NoRoom
    }

    /// The entry of an address; none if there is none, or no room to make one.
    fn entry(&mut self, address: u64, make: bool) -> Option<&mut Released> {
        let index = match self.slot(address) {
            Slot::At(index) => index,
            Slot::Free(index) if make => {
                self.entries[index].address = address;
                // Each index is in use once, so there is room.
                self.used[self.used_len as usize & (ADDRESSES - 1)] = index as u32;
                self.used_len += 1;
                index
            }
            Slot::Free(_) | Slot::NoRoom => return None,
        };
        Some(&mut self.entries[index])
    }

    /// What was released at an address, if anything was.
    pub fn get(&mut self, address: u64) -> Option<&Clock> {
        match self.slot(address) {
            Slot::At(index) => Some(&self.entries[index].clock),
            Slot::Free(_) => None,
            Slot::NoRoom => Some(&self.without_room),
        }
    }

    /// What was last released at an address is now this.
    pub fn set(&mut self, address: u64, released: &Clock) {
        match self.entry(address, true) {
            Some(entry) => entry.clock = *released,
            None => self.without_room.join(released),
        }
    }

    /// This was released at an address, in addition to what was released there before.
    pub fn join(&mut self, address: u64, released: &Clock) {
        match self.entry(address, true) {
            Some(entry) => entry.clock.join(released),
            None => self.without_room.join(released),
        }
    }

    /// Nothing was released at an address: it belongs to another object now.
    pub fn forget(&mut self, address: u64) {
        if let Some(entry) = self.entry(address, false) {
            entry.clock = Clock::NOTHING;
        }
    }

    /// Nothing was released at the addresses of a range.
    pub fn forget_range(&mut self, from: u64, to: u64) {
        for &index in self.used.iter().take(self.used_len as usize) {
            let entry = &mut self.entries[index as usize & (ADDRESSES - 1)];
            if (from..to).contains(&entry.address) {
                entry.clock = Clock::NOTHING;
            }
        }
    }

    /// A plain write of some bytes. It ends the release sequence of each atomic variable that it overwrites: a load reads its value,
    /// and synchronises with nothing. A variable of which it overwrites a part keeps its sequence, because a load still reads the rest.
    ///
    /// Such a write is ordered with the accesses to the variable, or races with one of them. If it is ordered, it changes nothing,
    /// because a thread that reads the variable knows the writer, which knows what was released. So this decides which pairs of
    /// accesses race in an execution, and not whether there is one.
    pub fn overwrite(&mut self, address: u64, size: u64) {
        let end = address + size;
        for group in address >> 2..=(end.max(address + 1) - 1) >> 2 {
            let first = group as usize;
            for index in first..first + Self::TRIES {
                let released = &mut self.entries[index & (ADDRESSES - 1)];
                if released.address == 0 {
                    break;
                }
                let is_covered = released.address >= address && released.address + released.size <= end;
                if released.address >> 2 == group && released.size != 0 && is_covered {
                    released.clock = Clock::NOTHING;
                }
            }
        }
    }

    /// A thread loads `size` bytes atomically, or fails to compare and swap. It reads a part of its value from each variable that overlaps
    /// it: libstdc++ looks at the two counts of a `shared_ptr` with one load.
    pub fn load(&mut self, address: u64, size: usize, id: u8, order: MemoryOrder, hb: &mut HappensBefore) {
        if let Some(clock) = self.get(address) {
            hb.read(id, order, clock);
        }
        let end = address + size as u64;
        let overlaps =
            |released: &Released| released.address + released.size > address && released.address < end;
        // Larger variables that begin before it, and smaller ones inside of it.
        let before = [address & !3, address & !7, address & !15];
        let inside = ((address >> 2) + 1..end.div_ceil(4)).map(|group| group << 2);
        let mut last = address;
        for other in before.into_iter().chain(inside) {
            if other == last || other == address {
                continue;
            }
            last = other;
            if let Slot::At(index) = self.slot(other)
                && overlaps(&self.entries[index])
            {
                hb.read(id, order, &self.entries[index].clock);
            }
        }
    }

    /// A thread stores `size` bytes atomically. It ends the release sequence at this address: a load of it does not acquire what was released
    /// before.
    pub fn store(&mut self, address: u64, size: usize, id: u8, order: MemoryOrder, hb: &mut HappensBefore) {
        let released = hb.write(id, order);
        match self.entry(address, true) {
            Some(entry) => {
                entry.size = size as u64;
                entry.clock = released;
            }
            None => self.without_room.join(&released),
        }
    }

    /// The store of an atomic read-modify-write, after its load. It continues the release sequence: a load of it also acquires what was
    /// released before.
    pub fn modify(&mut self, address: u64, size: usize, id: u8, order: MemoryOrder, hb: &mut HappensBefore) {
        let released = hb.write(id, order);
        match self.entry(address, true) {
            Some(entry) => {
                entry.size = size as u64;
                entry.clock.join(&released);
            }
            None => self.without_room.join(&released),
        }
    }
}
