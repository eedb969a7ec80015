//! Which instrumented functions the calling thread is in.

use crate::library::Ended;

/// How many functions of the library may wait for closures inside each other.
const WAITING_MAX: usize = 8;

#[thread_local]
static mut DEPTH: u32 = 0;
/// Functions of the library that called, at this depth, what has not ended yet.
#[thread_local]
static mut WAITING: [(u32, Ended); WAITING_MAX] = [(0, Ended::NOWHERE); WAITING_MAX];
#[thread_local]
static mut WAITING_LEN: usize = 0;

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
pub unsafe extern "C" fn __tsan_func_entry(_code: usize) {
    unsafe { DEPTH = DEPTH.wrapping_add(1) };
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
