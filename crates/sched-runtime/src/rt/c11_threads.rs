//! The threads of C11. glibc's are those of POSIX under other names, with other results.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::conditions::{broadcast, signal, wait_for};
use crate::rt::locks::{self, Lock, acquire, try_mutex};
use crate::rt::sys::{self, real, replaced};
use crate::rt::threads::{self, StartRoutine};
use crate::rt::{joins, wait};
use core::ffi::{c_int, c_void};

/// `thrd_success` and the others, for an error number.
fn result(error: c_int) -> c_int {
    match error {
        0 => 0,
        sys::EBUSY => 1,
        sys::ENOMEM => 3,
        sys::ETIMEDOUT => 4,
        _ => 2,
    }
}

replaced! {
    fn mtx_lock(mutex: Lock) -> c_int, at code {
        result(acquire(mutex, |mutex| try_mutex(mutex), None, code))
    }
    fn mtx_timedlock(mutex: Lock, limit: *const TimeSpec) -> c_int, at code {
        result(acquire(mutex, |mutex| try_mutex(mutex), clock::deadline(limit, false), code))
    }
    fn mtx_trylock(mutex: Lock) -> c_int, at _code {
        result(locks::pthread_mutex_trylock(mutex))
    }
    fn mtx_unlock(mutex: Lock) -> c_int, at code {
        result(locks::release(mutex, |mutex| real!(pthread_mutex_unlock, fn(Lock) -> c_int, mutex), code))
    }

    fn cnd_wait(condition: Lock, mutex: Lock) -> c_int, at code {
        result(wait_for(condition, mutex, None, code))
    }
    fn cnd_timedwait(condition: Lock, mutex: Lock, limit: *const TimeSpec) -> c_int, at code {
        result(wait_for(condition, mutex, clock::deadline(limit, false), code))
    }
    fn cnd_signal(condition: Lock) -> c_int, at code {
        result(signal(condition, code))
    }
    fn cnd_broadcast(condition: Lock) -> c_int, at code {
        result(broadcast(condition, code))
    }

    /// The start routine returns an `int`: the lower half of the register in which one of POSIX returns its pointer.
    fn thrd_create(handle: *mut usize, start: StartRoutine, argument: *mut c_void) -> c_int, at _code {
        result(threads::pthread_create(handle, core::ptr::null(), start, argument))
    }
    fn thrd_join(handle: usize, returned: *mut c_int) -> c_int, at _code {
        let mut value = core::ptr::null_mut();
        let error = joins::pthread_join(handle, &raw mut value);
        if error == 0 && !returned.is_null() {
            *returned = value as usize as c_int;
        }
        result(error)
    }
    fn thrd_detach(handle: usize) -> c_int, at _code {
        result(joins::pthread_detach(handle))
    }
    fn thrd_sleep(time: *const TimeSpec, rest: *mut TimeSpec) -> c_int, at _code {
        match clock::nanosleep(time, rest) {
            0 => 0,
            _ if sys::errno() == sys::EINTR => -1,
            _ => -2,
        }
    }
    fn thrd_yield() -> (), at code {
        wait::yield_now(code)
    }
}
