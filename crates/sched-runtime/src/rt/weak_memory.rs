//! Atomic accesses under a weak memory model: each chooses the store that it reads, or that its own store follows.
//!
//! The memory itself holds the newest store of each location, for code that is not instrumented and for plain accesses.

use crate::happens_before::MemoryOrder;
use crate::layout::{flag, memory_model};
use crate::rt::entry::me;
use crate::rt::scheduler::{self, shared};
use crate::rt::threads::thread;
use crate::rt::{races, step_values, sys};
use crate::store_history::{AtomicAccess, Choice, LocationId, NO_STEP, NewStore, StoreHistories};

type Histories = StoreHistories<{ 1 << 13 }, { 1 << 16 }>;

/// Null while memory is sequentially consistent.
#[unsafe(link_section = "omnilink_state")]
static mut HISTORIES: *mut Histories = core::ptr::null_mut();
#[unsafe(link_section = "omnilink_state")]
static mut MAPPED: *mut Histories = core::ptr::null_mut();

/// Maps the histories.
pub unsafe fn map() {
    if let Some(histories) = sys::map_memory(size_of::<Histories>()) {
        MAPPED = histories.cast();
    }
}

/// Uses the histories, if the memory model is a weak one. Serial executions are sequentially consistent.
pub unsafe fn prepare() {
    if (*shared()).memory_model == memory_model::CPP20 && (*shared()).serial == 0 && races::is_on() {
        HISTORIES = MAPPED;
    }
}

/// Makes the histories as they were when they were mapped.
pub unsafe fn reset() {
    if is_on() {
        (*HISTORIES).clear();
    }
}

#[inline(always)]
pub unsafe fn is_on() -> bool {
    !HISTORIES.is_null()
}

/// The range of the histories, which is not part of the program's state.
pub unsafe fn memory() -> Option<(u64, u64)> {
    let begin = MAPPED as u64;
    (begin != 0).then_some((begin, begin + size_of::<Histories>() as u64))
}

/// Code that is not instrumented reads and changes the words at an address from now on: only their newest values are read, and what
/// a load acquires is what was released at the address.
pub unsafe fn leave_to_library(address: u64) {
    /// A lock of Rust's standard library has at most two words of four bytes.
    const WORDS: u64 = 2;
    if is_on() && address != 0 {
        for word in 0..WORDS {
            (*HISTORIES).read_newest_only(address + 4 * word, 4);
        }
    }
}

/// The memory in a range was mapped, or is mapped no more.
pub unsafe fn remapped(from: u64, to: u64) {
    if is_on() {
        (*HISTORIES).forget_range(from, to);
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
pub unsafe fn note_order(address: u64, order: MemoryOrder, writes: bool) {
    if !is_on() {
        return;
    }
    let load = &mut (*thread(me())).relaxed_load;
    if writes && !order.releases() && *load != 0 && *load != address {
        (*shared()).load_buffering = 1;
    }
    if order.acquires() {
        *load = 0;
    } else if !writes {
        *load = address;
    }
}

/// A fence orders the loads before it and the stores after it.
pub unsafe fn note_fence() {
    (*thread(me())).relaxed_load = 0;
}

/// Chooses a store for an access of the calling thread, if its location holds `now` and the model is a weak one.
pub unsafe fn choose(address: u64, size: usize, now: u64, access: AtomicAccess) -> Option<Chosen> {
    if !is_on() {
        return None;
    }
    let (histories, hb) = (&mut *HISTORIES, races::happens_before());
    let location = histories.location(address, size, now, hb)?;
    let choices = histories.choices(location, me(), access, hb);
    let choices = choices.as_slice();
    let newest = *choices.first()?;
    // The last choice is to fail, as a stale read would.
    let may_fail = access.may_fail_spuriously(newest.value);
    let chosen = step_values::choose_store(choices.len() + usize::from(may_fail));
    let fails = chosen == choices.len();
    let choice = if fails { newest } else { *choices.get(chosen)? };
    if let Some(step) = scheduler::step_of(me()) {
        step.read_step = choice.step;
        step.newest = newest.value;
        step.newest_step = newest.step;
        step.flags |= if fails { flag::FAILS } else { 0 };
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
    pub unsafe fn read(&self, order: MemoryOrder) {
        (*HISTORIES).read(self.choice, me(), order, races::happens_before());
    }

    /// The calling thread stores `value` after it. Returns whether that is the newest store: the memory has to hold it then.
    pub unsafe fn write(&self, address: u64, value: u64, order: MemoryOrder, has_read: bool) -> bool {
        let store = NewStore {
            value,
            thread: me(),
            order,
            has_read,
            step: step_values::number_of_step(me()).unwrap_or(NO_STEP),
        };
        let written = (*HISTORIES).write(self.location, self.choice, store, races::happens_before());
        let Some(written) = written else {
            return true;
        };
        if written.is_newest {
            races::set_released(address, &written.message);
        }
        written.is_newest
    }
}
