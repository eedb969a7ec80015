//! Functions of C++'s standard library (GCC's) that are prebuilt and order what threads do.
//!
//! The symbols are weak, because a program may be linked with the library as an archive that defines them.

use crate::rt::entry::{is_controlled, me};
use crate::rt::global::Global;
use crate::rt::sys::real;
use crate::rt::threads::{Thread, thread};
use crate::rt::{races, random, weak_memory};
use core::cell::Cell;
use core::ffi::{c_int, c_void};

/// A local static variable is initialised once; the check whether it has is inlined and instrumented.
pub unsafe extern "C" fn guard_acquire(guard: *mut c_void) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    let result = unsafe { real!(__cxa_guard_acquire, fn(*mut c_void) -> c_int, guard) };
    if is_controlled() {
        races::acquire(guard as u64);
    }
    result
}

pub unsafe extern "C" fn guard_release(guard: *mut c_void) {
    if is_controlled() {
        races::release(guard as u64);
    }
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { real!(__cxa_guard_release, fn(*mut c_void) -> (), guard) }
}

/// `std::random_device`, which asks the processor.
pub extern "C" fn random_device(_device: *mut c_void) -> u32 {
    random::arc4random()
}

/// The states of futures that a thread makes ready when it ends. Of more, the last one counts several times, which only adds order.
pub type ReadyAtExit = [Cell<u64>; 4];

/// `_Make_ready`: an element of the list of what is done at the end of the thread, then a weak pointer to the state.
const STATE_IN_MAKE_READY: usize = 16;
/// In the state, the word for which a future waits.
const STATUS_IN_STATE: u64 = 16;

/// `std::promise::set_value_at_thread_exit` and the like.
pub unsafe extern "C" fn make_ready_at_exit(ready: *mut c_void) {
    // SAFETY: this has the contract of the function that it replaces; the layout is part of the library's binary interface.
    unsafe {
        if is_controlled() {
            let state = ready.cast::<u8>().add(STATE_IN_MAKE_READY).cast::<u64>().read();
            let known = &thread(me()).ready_at_exit;
            if let Some(free) = known.iter().find(|known| known.get() == 0).or(known.last()) {
                free.set(state + STATUS_IN_STATE);
                weak_memory::leave_to_library(state + STATUS_IN_STATE);
            }
        }
        real!(
            _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv,
            fn(*mut c_void) -> (),
            ready
        );
    }
}

/// The calling thread ends: the library makes these states ready.
pub fn at_exit(ending: &Thread) {
    for status in ending
        .ready_at_exit
        .iter()
        .map(Cell::take)
        .filter(|&status| status != 0)
    {
        races::release(status);
    }
}

/// Whether the program has used `std::exception_ptr`.
#[unsafe(link_section = "omnilink_state")]
static SHARES_EXCEPTIONS: Global<Cell<bool>> = Global::new(Cell::new(false));

/// The last owner of an exception destroys it, after what all others have done with it. Which exception it is, is not looked at.
fn leave_exception() {
    let address = SHARES_EXCEPTIONS.as_ptr() as u64;
    races::release(address);
    races::acquire(address);
}

pub unsafe extern "C" fn exception_released(pointer: *mut c_void) {
    if is_controlled() {
        SHARES_EXCEPTIONS.set(true);
        leave_exception();
    }
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        real!(
            _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv,
            fn(*mut c_void) -> (),
            pointer
        );
    }
}

pub unsafe extern "C" fn exception_kept(pointer: *mut c_void) {
    if is_controlled() {
        SHARES_EXCEPTIONS.set(true);
    }
    // SAFETY: as above.
    unsafe {
        real!(
            _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv,
            fn(*mut c_void) -> (),
            pointer
        );
    }
}

pub unsafe extern "C" fn end_catch() {
    if is_controlled() && SHARES_EXCEPTIONS.get() {
        leave_exception();
    }
    // SAFETY: as above.
    unsafe { real!(__cxa_end_catch, fn() -> (),) }
}
