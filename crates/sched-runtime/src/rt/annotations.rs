//! What a program tells ThreadSanitizer of locks of its own, of order that it has by other means, and of races that it means.

use crate::rt::entry::{is_controlled, me};
use crate::rt::global::Global;
use crate::rt::races;
use crate::rt::threads::thread;
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_uint};

const TRY_LOCK_FAILED: c_uint = 1 << 5;

pub extern "C" fn acquire(address: u64) {
    if is_controlled() {
        races::acquire(address);
    }
}

pub extern "C" fn release(address: u64) {
    if is_controlled() {
        races::release(address);
    }
}

pub extern "C" fn post_lock(mutex: u64, flags: c_uint, _recursion: c_int) {
    if flags & TRY_LOCK_FAILED == 0 {
        acquire(mutex);
    }
}

/// Returns how many times the mutex was locked, which only ThreadSanitizer itself uses.
pub extern "C" fn pre_unlock(mutex: u64, _flags: c_uint) -> c_int {
    release(mutex);
    0
}

pub extern "C" fn happens_before(_file: *const c_char, _line: c_int, address: u64) {
    release(address);
}

pub extern "C" fn happens_after(_file: *const c_char, _line: c_int, address: u64) {
    acquire(address);
}

/// Until `end_ignoring` the accesses of the calling thread are not looked at for races.
pub extern "C" fn begin_ignoring() {
    if is_controlled() {
        let ignores = &thread(me()).ignores_races;
        ignores.set(ignores.get() + 1);
    }
}

pub extern "C" fn end_ignoring() {
    if is_controlled() {
        let ignores = &thread(me()).ignores_races;
        ignores.set(ignores.get().saturating_sub(1));
    }
}

const BENIGN_MAX: usize = 64;
/// Memory whose races are meant. Beyond the first ones they are reported.
#[unsafe(link_section = "omnilink_state")]
static BENIGN: Global<[Cell<(u64, u64)>; BENIGN_MAX]> =
    Global::new([const { Cell::new((0, 0)) }; BENIGN_MAX]);

pub extern "C" fn benign(file: *const c_char, line: c_int, address: u64, text: *const c_char) {
    benign_sized(file, line, address, 1, text);
}

pub extern "C" fn benign_sized(
    _file: *const c_char,
    _line: c_int,
    address: u64,
    size: usize,
    _text: *const c_char,
) {
    if is_controlled()
        && let Some(free) = BENIGN.iter().find(|known| known.get().1 == 0)
    {
        free.set((address, address + size as u64));
    }
}

/// Whether races in a word of eight bytes are meant.
pub fn is_benign(word: u64) -> bool {
    BENIGN.iter().any(|known| {
        let (from, to) = known.get();
        from < word + 8 && word < to
    })
}
