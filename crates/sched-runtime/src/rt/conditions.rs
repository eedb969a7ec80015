//! Condition variables and barriers of the C library. Their real state is not used: who waits is known to the scheduler.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::locks::{self, Lock, acquire, try_mutex};
use crate::rt::scheduler::{Phase, also_accesses, phase, progress};
use crate::rt::sys::{self, real, replaced};
use crate::rt::wait::{Wakeup, wait, wake_all, wake_any};
use crate::rt::{cancellation, heap, races, step_values, waiting_places};
use core::ffi::{c_int, c_void};

/// Releases the mutex, waits for the condition and acquires the mutex again.
///
/// # Safety
/// They are a condition and a mutex.
pub unsafe fn wait_for(condition: Lock, mutex: Lock, deadline_ns: Option<u64>, code: u64) -> c_int {
    locks::step(condition, code);
    heap::check(mutex as u64, 1, code);
    let ends_at_once = may_end_at_once(deadline_ns) && step_values::choose_wakeup(2) == 1;
    also_accesses(mutex as u64);
    races::release(mutex as u64);
    // SAFETY: the caller's contract.
    match unsafe { real!(pthread_mutex_unlock, fn(Lock) -> c_int, mutex) } {
        0 => {}
        error => return error,
    }
    wake_all(mutex as u64);
    waiting_places::waits(code);
    let wait_once = || match ends_at_once {
        true => Wakeup::Woken,
        false => wait(condition as u64, u32::MAX, deadline_ns, code),
    };
    // A signal handler may run meanwhile.
    let wakeup = cancellation::within_then(
        || loop {
            match wait_once() {
                Wakeup::Interrupted if !cancellation::is_due() => {}
                wakeup => return wakeup,
            }
        },
        |wakeup| {
            also_accesses(mutex as u64);
            // SAFETY: the caller's contract.
            let relocked = acquire(mutex, |mutex| unsafe { try_mutex(mutex) }, None, code);
            (relocked, wakeup)
        },
    );
    match wakeup {
        (0, Wakeup::TimedOut) => sys::ETIMEDOUT,
        (result, _) => result,
    }
}

/// Whether a spurious wake-up is a choice. What follows one is what follows when a thread that waits is woken for no reason, because it may be left standing
/// for as long before it takes the mutex again. In the executions of the explorer a wait with a time limit may end anyway.
pub fn may_end_at_once(deadline_ns: Option<u64>) -> bool {
    deadline_ns.is_none() || phase() == Phase::WholeProgram
}

/// Wakes one thread that waits for the condition: any.
pub fn signal(condition: Lock, code: u64) -> c_int {
    locks::step(condition, code);
    wake_any(condition as u64, 1, u32::MAX);
    0
}

/// Wakes all threads that wait for the condition.
pub fn broadcast(condition: Lock, code: u64) -> c_int {
    locks::step(condition, code);
    wake_all(condition as u64);
    0
}

/// The parts of glibc's `pthread_barrier_t` that are used here: `in`, `current_round` and `count`.
#[repr(C)]
pub struct Barrier {
    arrived: u32,
    round: u32,
    count: u32,
}

/// What the last thread that comes to a barrier gets.
const SERIAL_THREAD: c_int = -1;

replaced! {
    fn pthread_cond_wait(condition: Lock, mutex: Lock) -> c_int, at code {
        wait_for(condition, mutex, None, code)
    }
    fn pthread_cond_timedwait(condition: Lock, mutex: Lock, limit: *const TimeSpec) -> c_int, at code {
        wait_for(condition, mutex, clock::deadline(limit, false), code)
    }
    fn pthread_cond_clockwait(condition: Lock, mutex: Lock, clock: c_int, limit: *const TimeSpec) -> c_int, at code {
        wait_for(condition, mutex, clock::deadline(limit, false), code)
    }
    fn pthread_cond_signal(condition: Lock) -> c_int, at code {
        signal(condition, code)
    }
    fn pthread_cond_broadcast(condition: Lock) -> c_int, at code {
        broadcast(condition, code)
    }

    fn pthread_barrier_wait(barrier: *mut Barrier) -> c_int, at code {
        let address = barrier as u64;
        locks::step(barrier.cast(), code);
        waiting_places::may_wait(code);
        races::release(address);
        (*barrier).arrived += 1;
        if (*barrier).arrived < (*barrier).count {
            waiting_places::waits(code);
            // The last one may have destroyed the barrier when the others go on.
            while wait(address, u32::MAX, None, code) != Wakeup::Woken {}
            races::acquire(address);
            return 0;
        }
        (*barrier).arrived = 0;
        (*barrier).round = (*barrier).round.wrapping_add(1);
        wake_all(address);
        progress();
        races::acquire(address);
        SERIAL_THREAD
    }
    /// The real one waits until all threads have left.
    fn pthread_barrier_destroy(barrier: *mut c_void) -> c_int, at code {
        locks::step(barrier, code);
        0
    }
}
