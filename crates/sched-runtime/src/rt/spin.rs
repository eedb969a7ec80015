//! Recognising a thread that waits by reading.
//!
//! A load that gives the same value as before, at the same place in the code, while the thread has changed nothing, makes no
//! progress: at the second such load a switch to another thread costs no preemption, from the third on the thread yields. A
//! read-modify-write that would change nothing counts as a load. Spin loops therefore end for the search without a limit on
//! the number of steps. That the thread goes on all the same is a choice of the schedule: see the module `idle`.

const ENTRIES: usize = 64;
/// A load may give the same value this many times before the thread yields.
const REPEATS_MAX: u32 = 2;

#[derive(Clone, Copy)]
struct Load {
    code: u64,
    address: u64,
    value: u64,
    times: u32,
}

/// The loads of one thread since it changed something.
///
/// Entries are found by comparison, never by a hash of an address: where the system places a program differs from run to run,
/// and two runs with one seed must yield at the same loads. The table is short because every change empties it. In a loop with
/// more loads than it holds, a load whose entry was evicted is recognised later; the evicted entry is random, so that no order
/// of loads evicts all of them for ever.
#[derive(Clone, Copy)]
pub struct SpinTable {
    loads: [Load; ENTRIES],
    len: usize,
    /// The state of the generator that selects evicted entries.
    eviction: u32,
}

/// Whether a thread yields at its next step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Yield {
    /// It goes on.
    No,
    /// It goes on, but a switch to another thread is no preemption.
    Optional,
    /// Another thread runs, if one can, unless the schedule says that it goes on.
    Yes,
}

impl SpinTable {
    pub const EMPTY: Self = Self {
        loads: [Load {
            code: 0,
            address: 0,
            value: 0,
            times: 0,
        }; ENTRIES],
        len: 0,
        eviction: 1,
    };

    fn find(&mut self, code: u64, address: u64) -> Option<&mut Load> {
        let mut loads = self.loads.iter_mut().take(self.len);
        loads.find(|load| load.code == code && load.address == address)
    }

    /// Whether the thread yields before a load that would now give `value`.
    pub fn would_load(&mut self, code: u64, address: u64, value: u64) -> Yield {
        match self.find(code, address) {
            Some(load) if load.value != value => Yield::No,
            Some(load) if load.times < REPEATS_MAX => Yield::Optional,
            Some(_) => Yield::Yes,
            None => Yield::No,
        }
    }

    /// A load gave `value`.
    pub fn loaded(&mut self, code: u64, address: u64, value: u64) {
        if let Some(load) = self.find(code, address) {
            load.times = match load.value == value {
                true => load.times.saturating_add(1),
                false => 1,
            };
            load.value = value;
            return;
        }
        let index = match self.len < ENTRIES {
            true => self.len,
            false => self.evicted(),
        };
        self.len = (self.len + 1).min(ENTRIES);
        if let Some(load) = self.loads.get_mut(index) {
            *load = Load {
                code,
                address,
                value,
                times: 1,
            };
        }
    }

    fn evicted(&mut self) -> usize {
        self.eviction = self.eviction.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.eviction >> 26) as usize & (ENTRIES - 1)
    }

    /// The thread changed something, or a new call began: its next loads have another reason.
    pub fn clear(&mut self) {
        self.len = 0;
    }
}
