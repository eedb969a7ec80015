//! Data races: two accesses to one location, at least one a write and at least one not atomic, without happens-before between
//! them.
//!
//! Happens-before is kept in vector clocks, after FastTrack (Flanagan and Freund, PLDI 2009). Atomic accesses release and acquire
//! as their memory orders say, fences included; locks, thread creation and joining always do.
//!
//! Code that is not instrumented and of which it is known what it orders only adds order: a futex call, or a function of Rust's prebuilt library, acquires
//! and releases everything it could. So every reported race is one, but a race behind such a call may be missed. After calls into other code a race is
//! suspected only ([`unknown_calls`]).

use crate::access_history::{AccessHistories, DataRaces, MemoryAccess, VOLATILE};
use crate::happens_before::{Clock, Epochs, HappensBefore, MemoryOrder};
use crate::layout::{PlaceRecord, RaceRecord, THREADS_CAP, memory_model, race};
use crate::release_clocks::ReleaseClocks;
use crate::rt::annotations;
use crate::rt::debugger;
use crate::rt::entry::{is_controlled, me};
use crate::rt::global::{Global, Lent};
use crate::rt::scheduler::shared;
use crate::rt::sys;
use crate::rt::threads::{ThreadState, describe, ids, thread};
use crate::rt::{unknown_calls, weak_memory};
use core::cell::Cell;

#[unsafe(link_section = "omnilink_state")]
static HAPPENS_BEFORE: Global<Lent<HappensBefore>> = Global::new(Lent::new(HappensBefore::NEW));
/// Whether something is to be detected.
#[unsafe(link_section = "omnilink_state")]
static IS_ON: Global<Cell<bool>> = Global::new(Cell::new(false));
#[unsafe(link_section = "omnilink_state")]
static TABLES: Global<Lent<Option<&'static mut Tables>>> = Global::new(Lent::new(None));
/// Where the tables are.
#[unsafe(link_section = "omnilink_state")]
static MAPPED: Global<Cell<u64>> = Global::new(Cell::new(0));
/// Whether a second thread was created. What the first one did before happens before everything else.
#[unsafe(link_section = "omnilink_state")]
static HAS_SEVERAL_THREADS: Global<Cell<bool>> = Global::new(Cell::new(false));

/// In memory of its own, most of which is never touched.
#[repr(C)]
struct Tables {
    histories: AccessHistories<{ 1 << 18 }, { 1 << 19 }>,
    released: ReleaseClocks<{ 1 << 14 }>,
}

/// Maps the tables, once in a process.
pub fn map() {
    if let Some(memory) = sys::map_memory(size_of::<Tables>()) {
        MAPPED.set(memory as u64);
        // SAFETY: the memory is new and stays, it has the size of the tables and is aligned to a page, and zeros are empty tables.
        TABLES.with(|tables| *tables = Some(unsafe { &mut *memory.cast() }));
    }
}

/// Uses the tables, if races are to be detected, or if weak memory needs happens-before.
pub fn prepare() {
    let shared = shared();
    if shared.detects_races.get() != 0 || shared.memory_model.get() != memory_model::SEQUENTIALLY_CONSISTENT {
        IS_ON.set(MAPPED.get() != 0);
    }
}

/// Makes the tables as they were when they were mapped.
pub fn reset() {
    if is_on() {
        with_tables(|tables| {
            tables.histories.clear();
            tables.released.clear();
        });
    }
}

/// The range of the tables, which is not part of the program's state.
pub fn memory() -> Option<(u64, u64)> {
    let begin = MAPPED.get();
    (begin != 0).then_some((begin, begin + size_of::<Tables>() as u64))
}

#[inline(always)]
pub fn is_on() -> bool {
    IS_ON.get()
}

#[inline(always)]
fn with_tables(work: impl FnOnce(&mut Tables)) {
    TABLES.with(|tables| {
        if let Some(tables) = tables {
            work(tables);
        }
    });
}

/// Looks at the clocks of all threads, or changes them.
#[inline(always)]
pub fn with_clocks<R>(work: impl FnOnce(&mut HappensBefore) -> R) -> R {
    HAPPENS_BEFORE.with(work)
}

/// The calling thread acquires what was released at an address.
pub fn acquire(address: u64) {
    if is_on() {
        with_tables(|tables| {
            if let Some(clock) = tables.released.get(address) {
                with_clocks(|hb| hb.acquire(me(), clock));
            }
        });
    }
}

/// The calling thread releases at an address, in addition to what other threads released there.
pub fn release(address: u64) {
    if is_on() {
        let clock = with_clocks(|hb| hb.release(me()));
        with_tables(|tables| tables.released.join(address, &clock));
    }
}

/// What was last released at an address is now this.
pub fn set_released(address: u64, clock: &Clock) {
    with_tables(|tables| tables.released.set(address, clock));
}

/// The calling thread acquires everything that was released.
pub fn acquire_all() {
    if is_on() {
        with_clocks(|hb| hb.acquire_all(me()));
    }
}

/// Every thread begins a new epoch. Returns those that have ended.
pub fn end_epochs() -> Epochs {
    with_clocks(HappensBefore::end_epochs)
}

/// Whether a call of the thread `id`, at which these epochs had ended, comes after an access of `first`, or before what `second` does now.
pub fn is_between(first: u8, epoch: u32, id: u8, ended: &Epochs, second: u8) -> bool {
    with_clocks(|hb| {
        let knows = |id: u8, other: u8, epoch: u32| {
            hb.clock(id)
                .happened
                .get(usize::from(other))
                .is_some_and(|&known| known >= epoch)
        };
        let own = ended.get(usize::from(id)).copied().unwrap_or(u32::MAX);
        knows(id, first, epoch) || knows(second, id, own)
    })
}

/// `parent` creates the thread `child`.
pub fn created(parent: u8, child: u8) {
    if usize::from(child) >= THREADS_CAP {
        // There are clocks for the first threads only. What is known of them is not enough any more.
        IS_ON.set(false);
        shared().detects_races.set(0);
        weak_memory::turn_off();
    }
    if is_on() {
        HAS_SEVERAL_THREADS.set(true);
        let ended = ids().filter(|&id| thread(id).state.get() == ThreadState::Done);
        with_clocks(|hb| hb.create(parent, child, ended));
    }
}

/// The calling thread acquires what another one has done so far.
pub fn acquire_from(other: u8) {
    if is_on() {
        with_clocks(|hb| {
            let done = hb.release(other);
            hb.acquire(me(), &done);
        });
    }
}

/// The calling thread has joined another one.
pub fn joined(other: u8) {
    if is_on() {
        with_clocks(|hb| hb.join(me(), other));
    }
}

/// An atomic load, or a failed compare-and-swap, of the newest store.
pub fn loaded(address: u64, size: usize, order: MemoryOrder) {
    if is_on() {
        with_tables(|tables| with_clocks(|hb| tables.released.load(address, size, me(), order, hb)));
    }
}

/// An atomic store.
pub fn stored(address: u64, size: usize, order: MemoryOrder) {
    if is_on() {
        with_tables(|tables| with_clocks(|hb| tables.released.store(address, size, me(), order, hb)));
    }
}

/// The store of an atomic read-modify-write.
pub fn modified(address: u64, size: usize, order: MemoryOrder) {
    if is_on() {
        with_tables(|tables| with_clocks(|hb| tables.released.modify(address, size, me(), order, hb)));
    }
}

pub fn fence(order: MemoryOrder) {
    if is_on() {
        with_clocks(|hb| hb.fence(me(), order));
    }
}

/// Every thread makes a sequentially consistent fence where it stands, between two of the calling thread.
pub fn fence_everywhere() {
    if is_on() {
        fence(MemoryOrder::SEQ_CST);
        let others = ids().filter(|&id| id != me() && usize::from(id) < THREADS_CAP);
        with_clocks(|hb| others.for_each(|id| hb.fence(id, MemoryOrder::SEQ_CST)));
        fence(MemoryOrder::SEQ_CST);
    }
}

/// The calling thread begins a call of the harness.
pub fn call_begins() {
    if weak_memory::is_on() {
        with_clocks(|hb| hb.begin_call(me()));
    }
}

/// A call of the calling thread has returned.
pub fn call_ended() {
    if weak_memory::is_on() {
        with_clocks(|hb| hb.end_call(me()));
    }
}

/// An atomic access.
pub fn atomic(address: u64, size: usize, writes: bool, code: u64) {
    if is_on() {
        let kind = race::ATOMIC | if writes { race::WRITES } else { 0 };
        record(address, size, kind, code);
    }
}

/// A plain access. A race of a volatile one, as in a sequence lock, is expected: it is inconclusive, but still a useful
/// scheduling point.
pub fn plain(address: u64, size: usize, writes: bool, volatile: bool, code: u64) {
    if is_on() {
        let kind = if writes { race::WRITES } else { 0 } | if volatile { VOLATILE } else { 0 };
        record(address, size, kind, code);
        if writes && HAS_SEVERAL_THREADS.get() {
            with_tables(|tables| tables.released.overwrite(address, size as u64));
        }
    }
}

/// A block is freed. An access that does not happen before that could also come after it: a useful scheduling point. The race
/// is inconclusive, because code that is not instrumented may order the two.
pub fn freed(address: u64, size: usize, code: u64) {
    /// The first bytes of a large block are enough.
    const SIZE_MAX: usize = 256;
    // Any thread may free.
    if is_controlled() && is_on() {
        record(
            address,
            size.min(SIZE_MAX),
            race::WRITES | race::FREES | VOLATILE,
            code,
        );
    }
}

/// A block is allocated: earlier accesses to this memory concerned another object.
pub fn allocated(address: u64, size: usize) {
    /// Of what is larger, everything that was accessed is looked through.
    const WORD_BY_WORD_MAX: usize = 1 << 14;
    if !is_on() {
        return;
    }
    if size > WORD_BY_WORD_MAX {
        return remapped(address, address + size as u64);
    }
    with_tables(|tables| {
        for key in address >> 3..(address + size as u64 + 7) >> 3 {
            tables.histories.forget(key);
        }
        // Its locks and atomic variables are new too. Only the beginning of a large block is searched for them.
        let mut at = address & !3;
        while at < address + (size as u64).min(512) {
            tables.released.forget(at);
            at += 4;
        }
    });
}

/// The memory in a range was mapped, or is mapped no more.
pub fn remapped(from: u64, to: u64) {
    if is_on() {
        with_tables(|tables| {
            tables.histories.forget_range(from >> 3, to >> 3);
            tables.released.forget_range(from, to);
        });
    }
}

fn record(address: u64, size: usize, kind: u8, code: u64) {
    if !HAS_SEVERAL_THREADS.get()
        || shared().detects_races.get() == 0
        || thread(me()).ignores_races.get() != 0
    {
        return;
    }
    unknown_calls::notice();
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
fn watch(code: u64) {
    let shared = shared();
    if shared.races_len.get() != 0 {
        return;
    }
    for watched in &shared.watched {
        let place = watched.get();
        if (place.thread, place.code) == (me().into(), code) {
            watched.set(PlaceRecord {
                code,
                ..describe(me(), place)
            });
        }
    }
}

fn record_in_word(key: u64, bytes: u8, kind: u8, code: u64) {
    if shared().is_watching.get() != 0 {
        watch(code);
    }
    let thread = me();
    // Of many races at one access, the first ones are enough.
    let raced = [const { Cell::new(None) }; 4];
    let made = Cell::new(None);
    with_tables(|tables| {
        with_clocks(|hb| {
            let clock = hb.clock(thread);
            let access = MemoryAccess::new(code, thread, clock, bytes, kind);
            let found = |known: &MemoryAccess| {
                if let Some(free) = raced.iter().find(|raced| raced.get().is_none()) {
                    free.set(Some(*known));
                }
            };
            tables.histories.record::<DataRaces>(key, access, clock, found);
            made.set(Some(access));
        });
    });
    if let Some(access) = made.get() {
        for known in raced.iter().filter_map(Cell::get) {
            report(&known, key << 3, &access);
        }
    }
}

/// Records a race, once for each pair of code addresses.
fn report(one: &MemoryAccess, address: u64, other: &MemoryAccess) {
    if annotations::is_benign(address) {
        return;
    }
    let shared = shared();
    let len = shared.races_len.get() as usize;
    let is_known = |known: &Cell<RaceRecord>| {
        let known = known.get();
        (known.first_code, known.second_code) == (one.code, other.code)
    };
    if shared.races.iter().take(len).any(is_known) {
        return;
    }
    let Some(free) = shared.races.get(len) else {
        return;
    };
    let is_inconclusive = (one.kind | other.kind) & VOLATILE != 0;
    let flags = |access: &MemoryAccess| {
        access.kind & !VOLATILE | if is_inconclusive { race::INCONCLUSIVE } else { 0 }
    };
    free.set(RaceRecord {
        address,
        first_code: one.code,
        second_code: other.code,
        first_thread: one.thread,
        second_thread: other.thread,
        first_kind: flags(one),
        second_kind: flags(other),
        unknown_call: unknown_calls::between(one.thread, one.epoch, other.thread),
    });
    shared.races_len.set(len as u32 + 1);
    if !is_inconclusive {
        debugger::stop_at_failure();
    }
}
