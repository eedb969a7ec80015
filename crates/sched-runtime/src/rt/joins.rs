//! Joining and detaching threads.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::entry::{is_controlled, me};
use crate::rt::spin::Yield;
use crate::rt::sys::{self, real, replaced};
use crate::rt::threads::{ThreadState, join_address, thread, with_handle};
use crate::rt::wait::{Wakeup, wait};
use crate::rt::{cancellation, races, scheduler, waiting_places};
use core::ffi::{c_int, c_void};

/// Waits until a thread has ended, or the time limit has come.
fn join(handle: usize, deadline_ns: Option<u64>, code: u64) -> c_int {
    // The C library finds out that a thread joins itself.
    let Some(id) = with_handle(handle).filter(|&id| id != me()) else {
        return 0;
    };
    waiting_places::may_wait(code);
    let ended = cancellation::within(|| {
        while thread(id).state.get() != ThreadState::Done {
            waiting_places::waits(code);
            match wait(join_address(id), u32::MAX, deadline_ns, code) {
                Wakeup::TimedOut => return sys::ETIMEDOUT,
                Wakeup::Interrupted if cancellation::is_due() => return sys::EINTR,
                Wakeup::Woken | Wakeup::Interrupted => {}
            }
        }
        0
    });
    if ended == 0 {
        thread(id).handle.set(0);
        races::joined(id);
    }
    ended
}

/// Joins a thread that has ended for the scheduler.
///
/// # Safety
/// That of `pthread_join`.
unsafe fn real_join(handle: usize, result: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { real!(pthread_join, fn(usize, *mut *mut c_void) -> c_int, handle, result) }
}

type JoinResult = *mut *mut c_void;

replaced! {
    fn pthread_join(handle: usize, result: JoinResult) -> c_int, at code {
        join(handle, None, code);
        real_join(handle, result)
    }
    fn pthread_timedjoin_np(handle: usize, result: JoinResult, limit: *const TimeSpec) -> c_int, at code {
        match join(handle, clock::deadline(limit, false), code) {
            0 => real_join(handle, result),
            error => error,
        }
    }
    fn pthread_clockjoin_np(handle: usize, result: JoinResult, clock: c_int, limit: *const TimeSpec) -> c_int, at code {
        match join(handle, clock::deadline(limit, false), code) {
            0 => real_join(handle, result),
            error => error,
        }
    }
    /// A loop of these waits by reading.
    fn pthread_tryjoin_np(handle: usize, result: JoinResult) -> c_int, at code {
        const RUNS: u64 = 0;
        if let Some(id) = with_handle(handle).filter(|&id| id != me()) {
            let spin = &thread(me()).spin;
            let yields = match thread(id).state.get() {
                ThreadState::Done => Yield::No,
                _ => spin.would_load(code, join_address(id), RUNS),
            };
            scheduler::access(join_address(id), false, code, yields);
            if thread(id).state.get() != ThreadState::Done {
                spin.loaded(code, join_address(id), RUNS);
                return sys::EBUSY;
            }
            join(handle, None, code);
        }
        real_join(handle, result)
    }
}

pub unsafe extern "C" fn pthread_detach(handle: usize) -> c_int {
    if is_controlled()
        && let Some(id) = with_handle(handle)
    {
        thread(id).handle.set(0);
    }
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { real!(pthread_detach, fn(usize) -> c_int, handle) }
}
