//! Atomic accesses under a weak memory model: each chooses the store that it reads, or that its own store follows.
//!
//! The memory itself holds the newest store of each location, for code that is not instrumented and for plain accesses.

use crate::happens_before::{HappensBefore, MemoryOrder};
use crate::layout::{StepRecord, flag, influence, memory_model};
use crate::rt::entry::me;
use crate::rt::global::{Global, Lent};
use crate::rt::scheduler::{self, shared};
use crate::rt::threads::thread;
use crate::rt::{races, step_values, sys, whole_program};
use crate::store_history::{AtomicAccess, Choice, LocationId, NO_STEP, NewStore, StoreHistories};
use core::cell::Cell;

type Histories = StoreHistories<{ 1 << 13 }, { 1 << 16 }>;

/// False while memory is sequentially consistent.
#[unsafe(link_section = "omnilink_state")]
static IS_ON: Global<Cell<bool>> = Global::new(Cell::new(false));
#[unsafe(link_section = "omnilink_state")]
static HISTORIES: Global<Lent<Option<&'static mut Histories>>> = Global::new(Lent::new(None));
/// Where the histories are.
#[unsafe(link_section = "omnilink_state")]
static MAPPED: Global<Cell<u64>> = Global::new(Cell::new(0));

/// Maps the histories, once in a process.
pub fn map() {
    if let Some(memory) = sys::map_memory(size_of::<Histories>()) {
        MAPPED.set(memory as u64);
        // SAFETY: the memory is new and stays, it has the size of the histories and is aligned to a page, and zeros are empty histories.
        HISTORIES.with(|histories| *histories = Some(unsafe { &mut *memory.cast() }));
    }
}

/// Works with the histories and the clocks, if there are histories.
#[inline(always)]
fn with_histories<R>(work: impl FnOnce(&mut Histories, &mut HappensBefore) -> R) -> Option<R> {
    HISTORIES.with(|histories| {
        let histories = histories.as_deref_mut()?;
        Some(races::with_clocks(|hb| work(histories, hb)))
    })
}

/// Uses the histories, if the memory model is a weak one. Serial executions are sequentially consistent.
pub fn prepare() {
    if shared().memory_model.get() == memory_model::CPP20 && shared().serial.get() == 0 && races::is_on() {
        IS_ON.set(MAPPED.get() != 0);
    }
}

/// Makes the histories as they were when they were mapped.
pub fn reset() {
    if is_on() {
        with_histories(|histories, _| histories.clear());
    }
}

#[inline(always)]
pub fn is_on() -> bool {
    IS_ON.get()
}

/// The memory holds the newest stores: from now on they are read.
pub fn turn_off() {
    IS_ON.set(false);
}

/// The range of the histories, which is not part of the program's state.
pub fn memory() -> Option<(u64, u64)> {
    let begin = MAPPED.get();
    (begin != 0).then_some((begin, begin + size_of::<Histories>() as u64))
}

/// Code that is not instrumented reads and changes the words at an address from now on: only their newest values are read, and what
/// a load acquires is what was released at the address.
pub fn leave_to_library(address: u64) {
    /// A lock of Rust's standard library has at most two words of four bytes.
    const WORDS: u64 = 2;
    if is_on() && address != 0 {
        with_histories(|histories, _| {
            (0..WORDS).for_each(|word| histories.read_newest_only(address + 4 * word, 4));
        });
    }
}

/// The memory in a range was mapped, or is mapped no more.
pub fn remapped(from: u64, to: u64) {
    if is_on() {
        with_histories(|histories, _| histories.forget_range(from, to));
    }
}

/// What an access chose.
pub struct Chosen {
    location: LocationId,
    choice: Choice,
    /// A weak compare-and-swap fails although the value is the expected one.
    pub fails: bool,
    /// The value of the store.
    pub value: u64,
}

/// Notes where load buffering would be possible: a relaxed load, and then a relaxed store to another location.
pub fn note_order(address: u64, order: MemoryOrder, writes: bool) {
    if !is_on() {
        if !order.is_seq_cst() {
            whole_program::is_influenced(influence::WEAK_ORDERS);
        }
        return;
    }
    let load = &thread(me()).relaxed_load;
    if writes && !order.releases() && load.get() != 0 && load.get() != address {
        shared().load_buffering.set(1);
    }
    if order.acquires() {
        load.set(0);
    } else if !writes {
        load.set(address);
    }
}

/// A fence orders the loads before it and the stores after it.
pub fn note_fence() {
    thread(me()).relaxed_load.set(0);
}

/// Chooses a store for an access of the calling thread, if its location holds `now` and the model is a weak one.
pub fn choose(address: u64, size: usize, now: u64, access: AtomicAccess) -> Option<Chosen> {
    if !is_on() {
        return None;
    }
    let thread = me();
    let (location, choices) = with_histories(|histories, hb| {
        let location = histories.location(address, size, now, hb)?;
        Some((location, histories.choices(location, thread, access, hb)))
    })??;
    let choices = choices.as_slice();
    let newest = *choices.first()?;
    // The last choice is to fail, as a stale read would.
    let may_fail = access.may_fail_spuriously(newest.value);
    let chosen = step_values::choose_store(choices.len() + usize::from(may_fail));
    let fails = chosen == choices.len();
    let choice = if fails { newest } else { *choices.get(chosen)? };
    if let Some(step) = scheduler::step_of(thread) {
        let record = step.get();
        step.set(StepRecord {
            read_step: choice.step,
            newest: newest.value,
            newest_step: newest.step,
            flags: record.flags | if fails { flag::FAILS } else { 0 },
            ..record
        });
    }
    Some(Chosen {
        location,
        choice,
        fails,
        value: choice.value,
    })
}

impl Chosen {
    /// The calling thread reads it.
    pub fn read(&self, order: MemoryOrder) {
        with_histories(|histories, hb| histories.read(self.choice, me(), order, hb));
    }

    /// The calling thread stores `value` after it. Returns whether that is the newest store: the memory has to hold it then.
    pub fn write(&self, address: u64, value: u64, order: MemoryOrder, has_read: bool) -> bool {
        let store = NewStore {
            value,
            thread: me(),
            order,
            has_read,
            step: step_values::number_of_step(me()).unwrap_or(NO_STEP),
        };
        let written = with_histories(|histories, hb| histories.write(self.location, self.choice, store, hb));
        let Some(Some(written)) = written else {
            return true;
        };
        if written.is_newest {
            races::set_released(address, &written.message);
        }
        written.is_newest
    }
}
