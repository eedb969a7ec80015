//! Recognising a thread that waits by reading.
//!
//! A load that gives the same value as before, at the same place in the code, while the thread has changed nothing, makes no
//! progress: at the second such load a switch to another thread costs no preemption, from the third on the thread yields. A
//! read-modify-write that would change nothing counts as a load. Spin loops therefore end for the search without a limit on
//! the number of steps. That the thread goes on all the same is a choice of the schedule: see the module `idle`.

use crate::checked::slot;
use core::cell::Cell;

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
pub struct SpinTable {
    loads: [Cell<Load>; ENTRIES],
    len: Cell<usize>,
    /// The state of the generator that selects evicted entries.
    eviction: Cell<u32>,
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
    pub const fn new() -> Self {
        const NONE: Load = Load {
            code: 0,
            address: 0,
            value: 0,
            times: 0,
        };
        Self {
            loads: [const { Cell::new(NONE) }; ENTRIES],
            len: Cell::new(0),
            eviction: Cell::new(1),
        }
    }

    /// Makes the table a new one. What is behind its end is never read.
    pub fn reset(&self) {
        self.len.set(0);
        self.eviction.set(1);
    }

    fn find(&self, code: u64, address: u64) -> Option<&Cell<Load>> {
        let mut loads = self.loads.iter().take(self.len.get());
        loads.find(|load| (load.get().code, load.get().address) == (code, address))
    }

    /// Whether the thread yields before a load that would now give `value`.
    pub fn would_load(&self, code: u64, address: u64, value: u64) -> Yield {
        match self.find(code, address).map(Cell::get) {
            Some(load) if load.value != value => Yield::No,
            Some(load) if load.times < REPEATS_MAX => Yield::Optional,
            Some(_) => Yield::Yes,
            None => Yield::No,
        }
    }

    /// A load gave `value`.
    pub fn loaded(&self, code: u64, address: u64, value: u64) {
        if let Some(known) = self.find(code, address) {
            let load = known.get();
            let times = if load.value == value {
                load.times.saturating_add(1)
            } else {
                1
            };
            known.set(Load { value, times, ..load });
            return;
        }
        let len = self.len.get();
        let index = if len < ENTRIES { len } else { self.evicted() };
        self.len.set((len + 1).min(ENTRIES));
        slot(&self.loads, index).set(Load {
            code,
            address,
            value,
            times: 1,
        });
    }

    fn evicted(&self) -> usize {
        let next = self
            .eviction
            .get()
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        self.eviction.set(next);
        // The upper bits, as many as an index has.
        (next >> (u32::BITS - ENTRIES.ilog2())) as usize
    }

    /// The thread changed something, or a new call began: its next loads have another reason.
    pub fn clear(&self) {
        self.len.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{ENTRIES, SpinTable, Yield};

    fn is(found: Yield, expected: Yield) -> bool {
        found == expected
    }

    #[test]
    fn a_thread_yields_at_the_third_load_of_one_value() {
        let table = SpinTable::new();
        assert!(is(table.would_load(1, 8, 5), Yield::No));
        table.loaded(1, 8, 5);
        assert!(is(table.would_load(1, 8, 5), Yield::Optional));
        table.loaded(1, 8, 5);
        assert!(is(table.would_load(1, 8, 5), Yield::Yes));
        // Another place in the code, another location, another value.
        assert!(is(table.would_load(2, 8, 5), Yield::No));
        assert!(is(table.would_load(1, 16, 5), Yield::No));
        assert!(is(table.would_load(1, 8, 6), Yield::No));
    }

    #[test]
    fn a_change_makes_all_loads_new() {
        let table = SpinTable::new();
        (0..3).for_each(|_| table.loaded(1, 8, 5));
        table.clear();
        assert!(is(table.would_load(1, 8, 5), Yield::No));
    }

    #[test]
    fn a_loop_with_more_loads_than_entries_is_recognised_later() {
        let table = SpinTable::new();
        let loads = ENTRIES as u64 + 8;
        let mut rounds = 0;
        while !(0..loads).any(|code| is(table.would_load(code, 8, 5), Yield::Yes)) {
            (0..loads).for_each(|code| table.loaded(code, 8, 5));
            rounds += 1;
            assert!(rounds < 100, "never recognised");
        }
    }
}
