//! What was released at each address, such as a lock or an atomic variable, when memory is sequentially consistent: a load reads the
//! newest store.

use crate::happens_before::{Clock, HappensBefore, MemoryOrder};

#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Released {
    /// 0 for none.
    address: u64,
    clock: Clock,
}

/// The clocks of up to `ADDRESSES` (a power of two) addresses. A value of which all bytes are 0 is empty.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct ReleaseClocks<const ADDRESSES: usize>([Released; ADDRESSES]);

impl<const ADDRESSES: usize> ReleaseClocks<ADDRESSES> {
    /// Nothing was released.
    pub const EMPTY: Self = Self(
        [Released {
            address: 0,
            clock: Clock::NOTHING,
        }; ADDRESSES],
    );

    /// The clock of an address; none if there is none, or no room to make one.
    fn clock(&mut self, address: u64, make: bool) -> Option<&mut Clock> {
        /// Places that are tried.
        const TRIES: usize = 64;
        let first = (address >> 2) as usize;
        let is_free_or_its = |index: usize| {
            let known = self.0[index & (ADDRESSES - 1)].address;
            known == address || known == 0
        };
        let index = (first..first + TRIES).find(|&index| is_free_or_its(index))?;
        let released = &mut self.0[index & (ADDRESSES - 1)];
        if released.address == 0 {
            if !make {
                return None;
            }
            released.address = address;
        }
        Some(&mut released.clock)
    }

    /// What was released at an address, if anything was.
    pub fn get(&mut self, address: u64) -> Option<&Clock> {
        self.clock(address, false).map(|clock| &*clock)
    }

    /// What was last released at an address is now this.
    pub fn set(&mut self, address: u64, released: &Clock) {
        if let Some(clock) = self.clock(address, true) {
            *clock = *released;
        }
    }

    /// This was released at an address, in addition to what was released there before.
    pub fn join(&mut self, address: u64, released: &Clock) {
        if let Some(clock) = self.clock(address, true) {
            clock.join(released);
        }
    }

    /// Nothing was released at an address: it belongs to another object now.
    pub fn forget(&mut self, address: u64) {
        if let Some(clock) = self.clock(address, false) {
            *clock = Clock::NOTHING;
        }
    }

    /// A thread loads atomically, or fails to compare and swap.
    pub fn load(&mut self, address: u64, id: u8, order: MemoryOrder, hb: &mut HappensBefore) {
        if let Some(clock) = self.get(address) {
            hb.read(id, order, clock);
        }
    }

    /// A thread stores atomically. It ends the release sequence at this address: a load of it does not acquire what was released
    /// before.
    pub fn store(&mut self, address: u64, id: u8, order: MemoryOrder, hb: &mut HappensBefore) {
        self.set(address, &hb.write(id, order));
    }

    /// The store of an atomic read-modify-write, after its load. It continues the release sequence: a load of it also acquires what was
    /// released before.
    pub fn modify(&mut self, address: u64, id: u8, order: MemoryOrder, hb: &mut HappensBefore) {
        self.join(address, &hb.write(id, order));
    }
}
