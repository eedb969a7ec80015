//! Data races: two accesses to one location, at least one a write and at least one not atomic, without happens-before between
//! them.
//!
//! Happens-before is kept in vector clocks, after FastTrack (Flanagan and Freund, PLDI 2009). Atomic accesses release and acquire
//! as their memory orders say, fences included; locks, thread creation and joining always do.
//!
//! Code that is not instrumented only adds order: a futex call, or a function of Rust's prebuilt library, acquires and releases
//! everything it could. So every reported race is one, but a race behind such a call may be missed.

use crate::access_history::{AccessHistories, DataRaces, MemoryAccess, VOLATILE};
use crate::happens_before::{Clock, HappensBefore, MemoryOrder};
use crate::layout::{PlaceRecord, RACES_CAP, RaceRecord, THREADS_CAP, memory_model, race};
use crate::release_clocks::ReleaseClocks;
use crate::rt::debugger;
use crate::rt::entry::{is_controlled, me};
use crate::rt::scheduler::shared;
use crate::rt::sys;
use crate::rt::threads::{ThreadState, describe, ids, thread};
use crate::rt::weak_memory;

#[unsafe(link_section = "omnilink_state")]
static mut HAPPENS_BEFORE: HappensBefore = HappensBefore::NEW;
/// Null while nothing is to be detected.
#[unsafe(link_section = "omnilink_state")]
static mut TABLES: *mut Tables = core::ptr::null_mut();
#[unsafe(link_section = "omnilink_state")]
static mut MAPPED: *mut Tables = core::ptr::null_mut();
/// Whether a second thread was created. What the first one did before happens before everything else.
#[unsafe(link_section = "omnilink_state")]
static mut HAS_SEVERAL_THREADS: bool = false;

/// In memory of its own, most of which is never touched.
#[repr(C)]
struct Tables {
    histories: AccessHistories<{ 1 << 18 }, { 1 << 19 }>,
    released: ReleaseClocks<{ 1 << 14 }>,
}

/// Maps the tables.
pub unsafe fn map() {
    if let Some(tables) = sys::map_memory(size_of::<Tables>()) {
        MAPPED = tables.cast();
    }
}

/// Uses the tables, if races are to be detected, or if weak memory needs happens-before.
pub unsafe fn prepare() {
    if (*shared()).detects_races != 0 || (*shared()).memory_model != memory_model::SEQUENTIALLY_CONSISTENT {
        TABLES = MAPPED;
    }
}

/// Makes the tables as they were when they were mapped.
pub unsafe fn reset() {
    if is_on() {
        (*TABLES).histories.clear();
        (*TABLES).released.clear();
    }
}

/// The range of the tables, which is not part of the program's state.
pub unsafe fn memory() -> Option<(u64, u64)> {
    let begin = MAPPED as u64;
    (begin != 0).then_some((begin, begin + size_of::<Tables>() as u64))
}

#[inline(always)]
pub unsafe fn is_on() -> bool {
    !TABLES.is_null()
}

/// The clocks of all threads.
pub unsafe fn happens_before() -> &'static mut HappensBefore {
    &mut *(&raw mut HAPPENS_BEFORE)
}

/// What was released at each address.
unsafe fn released() -> &'static mut ReleaseClocks<{ 1 << 14 }> {
    &mut (*TABLES).released
}

/// The calling thread acquires what was released at an address.
pub unsafe fn acquire(address: u64) {
    if is_on()
        && let Some(clock) = released().get(address)
    {
        happens_before().acquire(me(), clock);
    }
}

/// The calling thread releases at an address, in addition to what other threads released there.
pub unsafe fn release(address: u64) {
    if is_on() {
        released().join(address, &happens_before().release(me()));
    }
}

/// What was last released at an address is now this.
pub unsafe fn set_released(address: u64, clock: &Clock) {
    released().set(address, clock);
}

/// The calling thread acquires everything that was released.
pub unsafe fn acquire_all() {
    if is_on() {
        happens_before().acquire_all(me());
    }
}

/// `parent` creates the thread `child`.
pub unsafe fn created(parent: u8, child: u8) {
    if usize::from(child) >= THREADS_CAP {
        // There are clocks for the first threads only. What is known of them is not enough any more.
        TABLES = core::ptr::null_mut();
        (*shared()).detects_races = 0;
    }
    if is_on() {
        HAS_SEVERAL_THREADS = true;
        let ended = ids().filter(|&id| (*thread(id)).state == ThreadState::Done);
        happens_before().create(parent, child, ended);
    }
}

/// The calling thread acquires what another one has done so far.
pub unsafe fn acquire_from(other: u8) {
    if is_on() {
        let done = happens_before().release(other);
        happens_before().acquire(me(), &done);
    }
}

/// The calling thread has joined another one.
pub unsafe fn joined(other: u8) {
    if is_on() {
        happens_before().join(me(), other);
    }
}

/// An atomic load, or a failed compare-and-swap, of the newest store.
pub unsafe fn loaded(address: u64, size: usize, order: MemoryOrder) {
    if is_on() {
        released().load(address, size, me(), order, happens_before());
    }
}

/// An atomic store.
pub unsafe fn stored(address: u64, size: usize, order: MemoryOrder) {
    if is_on() {
        released().store(address, size, me(), order, happens_before());
    }
}

/// The store of an atomic read-modify-write.
pub unsafe fn modified(address: u64, size: usize, order: MemoryOrder) {
    if is_on() {
        released().modify(address, size, me(), order, happens_before());
    }
}

pub unsafe fn fence(order: MemoryOrder) {
    if is_on() {
        happens_before().fence(me(), order);
    }
}

/// Every thread makes a sequentially consistent fence where it stands, between two of the calling thread.
pub unsafe fn fence_everywhere() {
    if is_on() {
        fence(MemoryOrder::SEQ_CST);
        let others = ids().filter(|&id| id != me() && usize::from(id) < THREADS_CAP);
        others.for_each(|id| happens_before().fence(id, MemoryOrder::SEQ_CST));
        fence(MemoryOrder::SEQ_CST);
    }
}

/// The calling thread begins a call of the harness.
pub unsafe fn call_begins() {
    if weak_memory::is_on() {
        happens_before().begin_call(me());
    }
}

/// A call of the calling thread has returned.
pub unsafe fn call_ended() {
    if weak_memory::is_on() {
        happens_before().end_call(me());
    }
}

/// An atomic access.
pub unsafe fn atomic(address: u64, size: usize, writes: bool, code: u64) {
    if is_on() {
        let kind = race::ATOMIC | if writes { race::WRITES } else { 0 };
        record(address, size, kind, code);
    }
}

/// A plain access. A race of a volatile one, as in a sequence lock, is expected: it is inconclusive, but still a useful
/// scheduling point.
pub unsafe fn plain(address: u64, size: usize, writes: bool, volatile: bool, code: u64) {
    if is_on() {
        let kind = if writes { race::WRITES } else { 0 } | if volatile { VOLATILE } else { 0 };
        record(address, size, kind, code);
        if writes && HAS_SEVERAL_THREADS {
            released().overwrite(address, size as u64);
        }
    }
}

/// A block is freed. An access that does not happen before that could also come after it: a useful scheduling point. The race
/// is inconclusive, because code that is not instrumented may order the two.
pub unsafe fn freed(address: u64, size: usize, code: u64) {
    /// The first bytes of a large block are enough.
    const SIZE_MAX: usize = 256;
    if is_on() && is_controlled() {
        record(
            address,
            size.min(SIZE_MAX),
            race::WRITES | race::FREES | VOLATILE,
            code,
        );
    }
}

/// A block is allocated: earlier accesses to this memory concerned another object.
pub unsafe fn allocated(address: u64, size: usize) {
    /// Of what is larger, everything that was accessed is looked through.
    const WORD_BY_WORD_MAX: usize = 1 << 14;
    if !is_on() {
        return;
    }
    if size > WORD_BY_WORD_MAX {
        return remapped(address, address + size as u64);
    }
    for key in address >> 3..(address + size as u64 + 7) >> 3 {
        (*TABLES).histories.forget(key);
    }
    // Its locks and atomic variables are new too. Only the beginning of a large block is searched for them.
    let mut at = address & !3;
    while at < address + (size as u64).min(512) {
        released().forget(at);
        at += 4;
    }
}

/// The memory in a range was mapped, or is mapped no more.
pub unsafe fn remapped(from: u64, to: u64) {
    if is_on() {
        (*TABLES).histories.forget_range(from >> 3, to >> 3);
        released().forget_range(from, to);
    }
}

unsafe fn record(address: u64, size: usize, kind: u8, code: u64) {
    if !HAS_SEVERAL_THREADS || (*shared()).detects_races == 0 {
        return;
    }
    let end = address + size as u64;
    let mut at = address;
    while at < end {
        let key = at >> 3;
        let first = (at & 7) as u32;
        let last = (end - (key << 3)).min(8) as u32;
        let bytes = ((1_u32 << last) - (1 << first)) as u8;
        record_in_word(key, bytes, kind, code);
        at = (key + 1) << 3;
    }
}

/// Records the call stack of an access that is watched, until there is a race.
unsafe fn watch(code: u64) {
    let shared = &mut *shared();
    let is_it = |watched: &&mut PlaceRecord| (watched.thread, watched.code) == (me().into(), code);
    if shared.races_len == 0 {
        for watched in shared.watched.iter_mut().filter(is_it) {
            describe(me(), watched);
            watched.code = code;
        }
    }
}

unsafe fn record_in_word(key: u64, bytes: u8, kind: u8, code: u64) {
    if (*shared()).is_watching != 0 {
        watch(code);
    }
    let clock = happens_before().clock(me());
    let access = MemoryAccess::new(code, me(), clock, bytes, kind);
    let found = |known: &MemoryAccess| report(known, key << 3, &access);
    (*TABLES).histories.record::<DataRaces>(key, access, clock, found);
}

/// Records a race, once for each pair of code addresses.
unsafe fn report(one: &MemoryAccess, address: u64, other: &MemoryAccess) {
    let shared = &mut *shared();
    let records = (&raw mut shared.races).cast::<RaceRecord>();
    for index in 0..shared.races_len as usize {
        let known = &*records.add(index);
        if (known.first_code, known.second_code) == (one.code, other.code) {
            return;
        }
    }
    if shared.races_len as usize >= RACES_CAP {
        return;
    }
    let is_inconclusive = (one.kind | other.kind) & VOLATILE != 0;
    let flags = |access: &MemoryAccess| {
        access.kind & !VOLATILE | if is_inconclusive { race::INCONCLUSIVE } else { 0 }
    };
    *records.add(shared.races_len as usize) = RaceRecord {
        address,
        first_code: one.code,
        second_code: other.code,
        first_thread: one.thread,
        second_thread: other.thread,
        first_kind: flags(one),
        second_kind: flags(other),
        reserved: 0,
    };
    shared.races_len += 1;
    if !is_inconclusive {
        debugger::stop_at_failure();
    }
}
