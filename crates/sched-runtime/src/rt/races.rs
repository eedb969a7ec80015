//! Data races: two accesses to one location, at least one a write and at least one not atomic, without happens-before between
//! them.
//!
//! Happens-before is kept in vector clocks, after FastTrack (Flanagan and Freund, PLDI 2009). Atomic accesses release and acquire
//! as their memory orders say, fences included; locks, thread creation and joining always do.
//!
//! Code that is not instrumented only adds order: a futex call, or a function of Rust's prebuilt library, acquires and releases
//! everything it could. So every reported race is one, but a race behind such a call may be missed.
//!
//! Each location (eight bytes) keeps every access that no later access subsumes: the last ones of each thread. FastTrack keeps
//! fewer where accesses are ordered; here few threads make few accesses, and exactness matters more.

use crate::happens_before::{Clock, HappensBefore, MemoryOrder};
use crate::layout::{RACES_CAP, RaceRecord, THREADS_CAP, memory_model, race};
use crate::rt::entry::{is_controlled, me};
use crate::rt::scheduler::shared;
use crate::rt::sys;
use crate::rt::threads::{ThreadState, ids, thread};
use crate::rt::weak_memory;

#[unsafe(link_section = "omnilink_state")]
static mut HAPPENS_BEFORE: HappensBefore = HappensBefore::NEW;
#[unsafe(link_section = "omnilink_state")]
static mut TABLES: *mut Tables = core::ptr::null_mut();
/// Whether a second thread was created. What the first one did before happens before everything else.
#[unsafe(link_section = "omnilink_state")]
static mut HAS_SEVERAL_THREADS: bool = false;

const LOCATIONS: usize = 1 << 18;
const ACCESSES: usize = 1 << 19;
const OBJECTS: usize = 1 << 14;

/// In memory of its own, most of which is never touched.
#[repr(C)]
struct Tables {
    /// A hash table by address; an address for which it has no room is not checked.
    locations: [Location; LOCATIONS],
    accesses: [Access; ACCESSES],
    accesses_len: u32,
    objects: [Object; OBJECTS],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Location {
    /// The address divided by 8, 0 for none.
    key: u64,
    /// The last access, as its number plus 1.
    last: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Access {
    code: u64,
    /// The epoch, with `thread`.
    count: u32,
    /// The access before, as its number plus 1.
    next: u32,
    thread: u8,
    /// Which of the eight bytes.
    bytes: u8,
    kind: u8,
}

/// An address that was released, such as a lock or an atomic variable.
#[repr(C)]
struct Object {
    address: u64,
    clock: Clock,
}

/// A bit of an access's kind beside those of [`race`].
const VOLATILE: u8 = 1 << 7;

/// Maps the tables, if races are to be detected, or if weak memory needs happens-before.
pub unsafe fn prepare() {
    if (*shared()).detects_races == 0 && (*shared()).memory_model == memory_model::SEQUENTIALLY_CONSISTENT {
        return;
    }
    if let Some(tables) = sys::map_memory(size_of::<Tables>()) {
        TABLES = tables.cast();
    }
}

/// The range of the tables, which is not part of the program's state.
pub unsafe fn memory() -> Option<(u64, u64)> {
    let begin = TABLES as u64;
    (begin != 0).then_some((begin, begin + size_of::<Tables>() as u64))
}

#[inline(always)]
pub unsafe fn is_on() -> bool {
    !TABLES.is_null()
}

const fn index(id: u8) -> usize {
    id as usize & (THREADS_CAP - 1)
}

/// The clocks of all threads.
pub unsafe fn happens_before() -> &'static mut HappensBefore {
    &mut *(&raw mut HAPPENS_BEFORE)
}

/// The object at an address; none if there is none, or no room to make one.
unsafe fn object(address: u64, make: bool) -> Option<&'static mut Object> {
    let objects = (&raw mut (*TABLES).objects).cast::<Object>();
    let first = (address >> 2) as usize;
    for index in first..first + 64 {
        let object = &mut *objects.add(index & (OBJECTS - 1));
        if object.address == address {
            return Some(object);
        }
        if object.address == 0 {
            if !make {
                return None;
            }
            object.address = address;
            return Some(object);
        }
    }
    None
}

/// The calling thread acquires what was released at an address.
pub unsafe fn acquire(address: u64) {
    if is_on()
        && let Some(object) = object(address, false)
    {
        happens_before().acquire(me(), &object.clock);
    }
}

/// The calling thread releases at an address, in addition to what other threads released there.
pub unsafe fn release(address: u64) {
    if is_on() {
        let clock = happens_before().release(me());
        if let Some(object) = object(address, true) {
            object.clock.join(&clock);
        }
    }
}

/// What was last released at an address is now this.
pub unsafe fn set_released(address: u64, clock: &Clock) {
    if let Some(object) = object(address, true) {
        object.clock = *clock;
    }
}

/// The calling thread acquires everything that was released.
pub unsafe fn acquire_all() {
    if is_on() {
        happens_before().acquire_all(me());
    }
}

/// `parent` creates the thread `child`.
pub unsafe fn created(parent: u8, child: u8) {
    if is_on() {
        HAS_SEVERAL_THREADS = true;
        let ended = ids().filter(|&id| (*thread(id)).state == ThreadState::Done);
        happens_before().create(parent, child, ended);
    }
}

/// The calling thread has joined another one.
pub unsafe fn joined(other: u8) {
    if is_on() {
        happens_before().join(me(), other);
    }
}

/// An atomic load, or a failed compare-and-swap, of the newest store.
pub unsafe fn loaded(address: u64, order: MemoryOrder) {
    if is_on()
        && let Some(object) = object(address, false)
    {
        happens_before().read(me(), order, &object.clock);
    }
}

/// An atomic store. It ends the release sequence at this address: a load of it does not acquire what was released before.
pub unsafe fn stored(address: u64, order: MemoryOrder) {
    if is_on() {
        let message = happens_before().write(me(), order);
        set_released(address, &message);
    }
}

/// An atomic read-modify-write. It continues the release sequence: a load of it also acquires what was released before.
pub unsafe fn changed(address: u64, order: MemoryOrder) {
    if !is_on() {
        return;
    }
    loaded(address, order);
    let message = happens_before().write(me(), order);
    if let Some(object) = object(address, true) {
        object.clock.join(&message);
    }
}

pub unsafe fn fence(order: MemoryOrder) {
    if is_on() {
        happens_before().fence(me(), order);
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
    if !is_on() {
        return;
    }
    for key in address >> 3..(address + size as u64 + 7) >> 3 {
        if let Some(location) = location(key, false) {
            location.last = 0;
        }
    }
    // Its locks and atomic variables are new too. Only the beginning of a large block is searched for them.
    let mut at = address & !3;
    while at < address + (size as u64).min(512) {
        if let Some(object) = object(at, false) {
            object.clock = Clock::NOTHING;
        }
        at += 4;
    }
}

unsafe fn location(key: u64, make: bool) -> Option<&'static mut Location> {
    let locations = (&raw mut (*TABLES).locations).cast::<Location>();
    // Neighbouring addresses have neighbouring entries, so that few pages are touched.
    let first = (key ^ (key >> 20)) as usize;
    for index in first..first + 32 {
        let location = &mut *locations.add(index & (LOCATIONS - 1));
        if location.key == key {
            return Some(location);
        }
        if location.key == 0 {
            if !make {
                return None;
            }
            location.key = key;
            return Some(location);
        }
    }
    None
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

unsafe fn record_in_word(key: u64, bytes: u8, kind: u8, code: u64) {
    let id = me();
    let clock = happens_before().clock(id);
    let count = clock.happened[index(id)];
    let Some(location) = location(key, true) else {
        return;
    };
    let accesses = (&raw mut (*TABLES).accesses).cast::<Access>();
    let mut link: *mut u32 = &raw mut location.last;
    let mut free = 0;
    while *link != 0 {
        let number = *link;
        let other = &mut *accesses.add(number as usize - 1);
        let is_mine = other.thread == id;
        let is_before = is_mine || other.count <= clock.happened[index(other.thread)];
        let conflicts = other.bytes & bytes != 0
            && (other.kind | kind) & race::WRITES != 0
            && other.kind & kind & race::ATOMIC == 0
            && !((other.kind | kind) & race::FREES != 0 && (other.kind | kind) & race::ATOMIC != 0);
        if !is_before && conflicts {
            report(
                other,
                key << 3,
                Access {
                    code,
                    count,
                    next: 0,
                    thread: id,
                    bytes,
                    kind,
                },
            );
        }
        // This access subsumes an earlier one if it happens after it, covers its bytes and is at least as strong: every race
        // with the earlier one is then a race with this one too.
        let is_stronger = kind & race::WRITES >= other.kind & race::WRITES
            && kind & race::ATOMIC <= other.kind & race::ATOMIC
            && kind & VOLATILE <= other.kind & VOLATILE;
        if is_before && other.bytes & !bytes == 0 && is_stronger {
            *link = other.next;
            free = number;
            continue;
        }
        link = &raw mut other.next;
    }
    let number = match free {
        0 if (*TABLES).accesses_len as usize >= ACCESSES => return,
        0 => {
            (*TABLES).accesses_len += 1;
            (*TABLES).accesses_len
        }
        free => free,
    };
    *accesses.add(number as usize - 1) = Access {
        code,
        count,
        next: location.last,
        thread: id,
        bytes,
        kind,
    };
    location.last = number;
}

/// Records a race, once for each pair of code addresses.
unsafe fn report(one: &Access, address: u64, other: Access) {
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
    let flags =
        |access: &Access| access.kind & !VOLATILE | if is_inconclusive { race::INCONCLUSIVE } else { 0 };
    *records.add(shared.races_len as usize) = RaceRecord {
        address,
        first_code: one.code,
        second_code: other.code,
        first_thread: one.thread,
        second_thread: other.thread,
        first_kind: flags(one),
        second_kind: flags(&other),
        reserved: 0,
    };
    shared.races_len += 1;
}
