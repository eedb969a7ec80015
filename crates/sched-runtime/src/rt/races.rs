//! Data races: two accesses to one location, one of them a write and one of them not atomic, that nothing orders.
//!
//! What orders accesses is kept as vector clocks, after FastTrack (Flanagan and Freund, PLDI 2009): a thread's clock counts
//! what it has released, and says how much of every other thread's it has acquired. An access is ordered before another one
//! if the thread of the other one has acquired the count that the first one was made at. Atomic accesses release and acquire
//! as their memory orders say, fences included; locks, thread creation and joining always do.
//!
//! What is not seen may only order more: a futex call and a function of Rust's prebuilt library acquire and release all that
//! they could. So a race that is told is one; a race that hides behind such a call is not told.
//!
//! Each location (eight bytes) keeps every access that no later one makes superfluous: the last ones of each thread. FastTrack
//! keeps fewer where accesses are ordered; here few threads make few accesses, and exactness matters more.

use crate::baton::shared;
use crate::layout::{RACES_CAP, RaceRecord, THREADS_CAP, race};
use crate::sys;
use crate::threads::{State, ids, me, thread};
use core::ffi::{c_int, c_void};

type Clock = [u32; THREADS_CAP];

#[unsafe(link_section = "omnilink_state")]
static mut CLOCKS: [Clock; THREADS_CAP] = [[0; THREADS_CAP]; THREADS_CAP];
/// What relaxed loads have found, for the next acquire fence.
#[unsafe(link_section = "omnilink_state")]
static mut FOUND: [Clock; THREADS_CAP] = [[0; THREADS_CAP]; THREADS_CAP];
/// What the last release fence has released, by the relaxed stores that follow.
#[unsafe(link_section = "omnilink_state")]
static mut FENCED: [Clock; THREADS_CAP] = [[0; THREADS_CAP]; THREADS_CAP];
/// All that anybody has released.
#[unsafe(link_section = "omnilink_state")]
static mut RELEASED: Clock = [0; THREADS_CAP];
#[unsafe(link_section = "omnilink_state")]
static mut TABLES: *mut Tables = core::ptr::null_mut();
/// Whether there are several threads. What the first one does before it creates another comes before all that others do.
#[unsafe(link_section = "omnilink_state")]
static mut SEVERAL: bool = false;

const LOCATIONS: usize = 1 << 18;
const ACCESSES: usize = 1 << 19;
const OBJECTS: usize = 1 << 14;

/// In memory of their own, most of which is never touched.
#[repr(C)]
struct Tables {
    /// By address, as far as there is room.
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
    count: u32,
    /// The access before, as its number plus 1.
    next: u32,
    thread: u8,
    /// Which of the eight bytes.
    bytes: u8,
    kind: u8,
}

/// What a location has been released with.
#[repr(C)]
struct Object {
    address: u64,
    clock: Clock,
}

/// Bits of an access's kind: those of the layout, and what does not concern anybody else.
const VOLATILE: u8 = 1 << 7;

/// Prepares the tables, if races are asked for.
pub unsafe fn prepare() {
    const PROT_READ_WRITE: c_int = 3;
    const MAP_PRIVATE_ANONYMOUS_NORESERVE: c_int = 0x4022;
    unsafe {
        if (*shared()).races_wanted == 0 {
            return;
        }
        let size = size_of::<Tables>();
        let tables = sys::mmap(core::ptr::null_mut(), size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
        if tables as isize != -1 {
            TABLES = tables.cast();
        }
        for id in ids() {
            own(id)[id as usize] = 1;
        }
    }
}

/// Memory that is none of the program's.
pub fn memory() -> Option<(u64, u64)> {
    let begin = unsafe { TABLES } as u64;
    (begin != 0).then_some((begin, begin + size_of::<Tables>() as u64))
}

#[inline(always)]
fn is_on() -> bool {
    unsafe { !TABLES.is_null() }
}

fn own(id: u8) -> &'static mut Clock {
    unsafe { &mut *(&raw mut CLOCKS).cast::<Clock>().add(id as usize & (THREADS_CAP - 1)) }
}

fn found(id: u8) -> &'static mut Clock {
    unsafe { &mut *(&raw mut FOUND).cast::<Clock>().add(id as usize & (THREADS_CAP - 1)) }
}

fn fenced(id: u8) -> &'static mut Clock {
    unsafe { &mut *(&raw mut FENCED).cast::<Clock>().add(id as usize & (THREADS_CAP - 1)) }
}

fn join(clock: &mut Clock, other: &Clock) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// What the thread does from now on is not part of what it has released.
fn tick(id: u8) {
    unsafe { join(&mut *(&raw mut RELEASED), own(id)) };
    own(id)[id as usize & (THREADS_CAP - 1)] += 1;
}

/// The object at an address; none if there is no room.
unsafe fn object(address: u64, make: bool) -> Option<&'static mut Object> {
    unsafe {
        let objects = (&raw mut (*TABLES).objects).cast::<Object>();
        let mut index = (address >> 2) as usize;
        for _ in 0..64 {
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
            index += 1;
        }
        None
    }
}

/// The calling thread acquires what was released at an address.
pub unsafe fn acquire(address: u64) {
    unsafe {
        if is_on() && let Some(object) = object(address, false) {
            join(own(me()), &object.clock);
        }
    }
}

/// The calling thread releases at an address, beside what others have.
pub unsafe fn release(address: u64) {
    unsafe {
        if is_on() {
            if let Some(object) = object(address, true) {
                join(&mut object.clock, own(me()));
            }
            tick(me());
        }
    }
}

/// The calling thread acquires all that anybody has released.
pub unsafe fn acquire_all() {
    unsafe {
        if is_on() {
            join(own(me()), &*(&raw const RELEASED));
        }
    }
}

/// `parent` creates the thread `child`.
pub unsafe fn created(parent: u8, child: u8) {
    unsafe {
        if !is_on() {
            return;
        }
        SEVERAL = true;
        let count = own(child)[child as usize & (THREADS_CAP - 1)] + 1;
        *own(child) = *own(parent);
        // Its stack may be that of a thread that has ended.
        for id in ids().filter(|&id| (*thread(id)).state == State::Done) {
            join(own(child), own(id));
        }
        own(child)[child as usize & (THREADS_CAP - 1)] = count;
        *found(child) = [0; THREADS_CAP];
        *fenced(child) = [0; THREADS_CAP];
        tick(parent);
    }
}

/// The calling thread has seen the end of another one.
pub unsafe fn joined(other: u8) {
    unsafe {
        if is_on() {
            join(own(me()), own(other));
        }
    }
}

fn acquires(order: c_int) -> bool {
    // consume, acquire, both, sequentially consistent
    matches!(order & 0xff, 1 | 2 | 4 | 5)
}

fn releases(order: c_int) -> bool {
    matches!(order & 0xff, 3 | 4 | 5)
}

/// An atomic load, or the failure of a compare-and-swap.
pub unsafe fn loaded(address: u64, size: usize, order: c_int, code: u64) {
    unsafe {
        if !is_on() {
            return;
        }
        record(address, size, race::ATOMIC, code);
        if let Some(object) = object(address, false) {
            join(if acquires(order) { own(me()) } else { found(me()) }, &object.clock);
        }
    }
}

/// An atomic store: what was released before at this address is not reached through it any more.
pub unsafe fn stored(address: u64, size: usize, order: c_int, code: u64) {
    unsafe {
        if !is_on() {
            return;
        }
        record(address, size, race::ATOMIC | race::WRITES, code);
        if let Some(object) = object(address, true) {
            object.clock = if releases(order) { *own(me()) } else { *fenced(me()) };
        }
        if releases(order) {
            tick(me());
        }
    }
}

/// An atomic change: what was released before is reached through it as well.
pub unsafe fn changed(address: u64, size: usize, order: c_int, code: u64) {
    unsafe {
        if !is_on() {
            return;
        }
        record(address, size, race::ATOMIC | race::WRITES, code);
        if let Some(object) = object(address, true) {
            join(if acquires(order) { own(me()) } else { found(me()) }, &object.clock);
            join(&mut object.clock, if releases(order) { own(me()) } else { fenced(me()) });
        }
        if releases(order) {
            tick(me());
        }
    }
}

pub unsafe fn fence(order: c_int) {
    unsafe {
        if !is_on() {
            return;
        }
        if acquires(order) {
            join(own(me()), found(me()));
        }
        if releases(order) {
            *fenced(me()) = *own(me());
            tick(me());
        }
    }
}

/// An access that is not atomic. One that is volatile is meant to meet others, as in a sequence lock: it is not told as a
/// race, but a place to switch at.
pub unsafe fn plain(address: u64, size: usize, writes: bool, volatile: bool, code: u64) {
    unsafe {
        if is_on() {
            let kind = if writes { race::WRITES } else { 0 } | if volatile { VOLATILE } else { 0 };
            record(address, size, kind, code);
        }
    }
}

/// Memory is given back. Who accessed it without being ordered before that may as well do so afterwards: a place to switch
/// at. It is not told as a race, because code that is not seen may order the two.
pub unsafe fn freed(address: u64, size: usize, code: u64) {
    /// Of a large block the first bytes are enough.
    const SIZE_MAX: usize = 256;
    unsafe {
        if is_on() && crate::threads::is_controlled() {
            record(address, size.min(SIZE_MAX), race::WRITES | race::FREES | VOLATILE, code);
        }
    }
}

/// Memory was allocated: what was done to it before was done to something else.
pub unsafe fn forget(address: u64, size: usize) {
    unsafe {
        if !is_on() {
            return;
        }
        for key in address >> 3..(address + size as u64 + 7) >> 3 {
            if let Some(location) = location(key, false) {
                location.last = 0;
            }
        }
        // Locks and counters in it are new ones too. Small blocks only: large ones hold few of them.
        let mut at = address & !3;
        while at < address + (size as u64).min(512) {
            if let Some(object) = object(at, false) {
                object.clock = [0; THREADS_CAP];
            }
            at += 4;
        }
    }
}

unsafe fn location(key: u64, make: bool) -> Option<&'static mut Location> {
    unsafe {
        let locations = (&raw mut (*TABLES).locations).cast::<Location>();
        // Neighbours stay neighbours, so that few pages are touched.
        let mut index = (key ^ (key >> 20)) as usize;
        for _ in 0..32 {
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
            index += 1;
        }
        None
    }
}

unsafe fn record(address: u64, size: usize, kind: u8, code: u64) {
    unsafe {
        if !SEVERAL {
            return;
        }
        let end = address + size as u64;
        let mut at = address;
        while at < end {
            let key = at >> 3;
            let first = (at & 7) as u32;
            let last = (end - (key << 3)).min(8) as u32;
            let bytes = ((1_u32 << last) - (1 << first)) as u8;
            record_in(key, bytes, kind, code);
            at = (key + 1) << 3;
        }
    }
}

unsafe fn record_in(key: u64, bytes: u8, kind: u8, code: u64) {
    unsafe {
        let id = me();
        let count = own(id)[id as usize & (THREADS_CAP - 1)];
        let Some(location) = location(key, true) else { return };
        let accesses = (&raw mut (*TABLES).accesses).cast::<Access>();
        let mut link: *mut u32 = &raw mut location.last;
        let mut free = 0;
        while *link != 0 {
            let number = *link;
            let other = &mut *accesses.add(number as usize - 1);
            let is_mine = other.thread == id;
            let is_before = is_mine || other.count <= own(id)[other.thread as usize & (THREADS_CAP - 1)];
            let conflicts = other.bytes & bytes != 0
                && (other.kind | kind) & race::WRITES != 0
                && other.kind & kind & race::ATOMIC == 0
                && !((other.kind | kind) & race::FREES != 0 && (other.kind | kind) & race::ATOMIC != 0);
            if !is_before && conflicts {
                tell(other, key << 3, Access { code, count, next: 0, thread: id, bytes, kind });
            }
            // Whatever races with the earlier access also races with this one, if this one does at least as much, to at
            // least the same bytes, and comes later in the order of the two.
            let does_more = kind & race::WRITES >= other.kind & race::WRITES
                && kind & race::ATOMIC <= other.kind & race::ATOMIC
                && kind & VOLATILE <= other.kind & VOLATILE;
            if is_before && other.bytes & !bytes == 0 && does_more {
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
        *accesses.add(number as usize - 1) = Access { code, count, next: location.last, thread: id, bytes, kind };
        location.last = number;
    }
}

/// Writes a race down, once for each pair of places.
unsafe fn tell(one: &Access, address: u64, other: Access) {
    unsafe {
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
        let is_meant = (one.kind | other.kind) & VOLATILE != 0;
        let flags = |access: &Access| access.kind & !VOLATILE | if is_meant { race::MEANT } else { 0 };
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
}

/// The C++ library initialises a local static variable once; the first look at whether it has is inlined and seen.
macro_rules! guards {
    ($($name:ident $real:literal $result:ty, before $before:ident, after $after:ident;)*) => { $(
        #[unsafe(no_mangle)]
        #[linkage = "weak"]
        pub unsafe extern "C" fn $name(guard: *mut c_void) -> $result {
            unsafe {
                let controlled = crate::threads::is_controlled();
                if controlled {
                    $before(guard as u64);
                }
                let result = sys::real!($real, fn(*mut c_void) -> $result, guard);
                if controlled {
                    $after(guard as u64);
                }
                result
            }
        }
    )* };
}

unsafe fn nothing(_address: u64) {}

guards! {
    __cxa_guard_acquire "__cxa_guard_acquire" c_int, before nothing, after acquire;
    __cxa_guard_release "__cxa_guard_release" (), before release, after nothing;
}
