//! Which instrumented functions the calling thread is in.

use crate::code;
use crate::library::Ended;

/// How many functions of the library may wait for closures inside each other.
const WAITING_MAX: usize = 8;

/// As many functions inside each other are told apart.
const CALLS_MAX: usize = 256;

#[thread_local]
static mut DEPTH: u32 = 0;
/// Where they were called from.
#[thread_local]
static mut CALLS: [u64; CALLS_MAX] = [0; CALLS_MAX];
/// Functions of the library that called, at this depth, what has not ended yet.
#[thread_local]
static mut WAITING: [(u32, Ended); WAITING_MAX] = [(0, Ended::NOWHERE); WAITING_MAX];
#[thread_local]
static mut WAITING_LEN: usize = 0;

/// Where the function was called from that the calling thread is in, or 0.
pub fn here() -> u64 {
    unsafe {
        let called = (DEPTH as usize).checked_sub(1).and_then(|last| (*(&raw const CALLS)).get(last));
        called.map_or(0, |called| called.wrapping_sub(code::load_address()))
    }
}

/// When the function ends that is entered next, `ended` goes on.
pub unsafe fn after_next(ended: Ended) {
    unsafe {
        if let Some(place) = (*(&raw mut WAITING)).get_mut(WAITING_LEN) {
            *place = (DEPTH, ended);
            WAITING_LEN += 1;
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_func_entry(code: usize) {
    unsafe {
        if let Some(place) = (*(&raw mut CALLS)).get_mut(DEPTH as usize) {
            *place = code as u64;
        }
        DEPTH = DEPTH.wrapping_add(1);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_func_exit() {
    unsafe {
        DEPTH = DEPTH.wrapping_sub(1);
        while let Some(last) = WAITING_LEN.checked_sub(1)
            && let Some(&(depth, ended)) = (*(&raw const WAITING)).get(last)
            && depth >= DEPTH
        {
            WAITING_LEN = last;
            if depth == DEPTH {
                ended.go_on();
            }
        }
    }
}
