//! Locks of the C library, as C++'s standard library uses them.
//!
//! The real lock keeps the state and its kind (recursive or not); only waiting is replaced: a thread tries to take the lock,
//! and if it is taken, waits until a thread unlocks it.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::entry::{caller, is_controlled};
use crate::rt::scheduler::{access, also_accesses, progress};
use crate::rt::spin::Yield;
use crate::rt::sys::{self, real};
use crate::rt::wait::{Wakeup, wait, wake, wake_all};
use crate::rt::{races, waiting_places};
use core::ffi::{c_int, c_void};

type Lock = *mut c_void;

/// Tries until the lock is free or the time limit expires; the first try is a step of the scheduler.
fn acquire(lock: Lock, try_lock: impl Fn(Lock) -> c_int, deadline_ns: Option<u64>, code: u64) -> c_int {
    access(lock as u64, true, code, Yield::No);
    waiting_places::may_wait(code);
    loop {
        match try_lock(lock) {
            sys::EBUSY | sys::EAGAIN => {}
            result => {
                races::acquire(lock as u64);
                return result;
            }
        }
        waiting_places::waits(code);
        if wait(lock as u64, u32::MAX, deadline_ns, code) == Wakeup::TimedOut {
            return sys::ETIMEDOUT;
        }
    }
}

macro_rules! acquire {
    ($($name:ident by $try_lock:ident;)*) => { $(
        pub unsafe extern "C" fn $name(lock: Lock) -> c_int {
            if !is_controlled() {
                // SAFETY: this has the contract of the function that it replaces.
                return unsafe { real!($name, fn(Lock) -> c_int, lock) };
            }
            // SAFETY: as above.
            let try_lock = |lock| unsafe { real!($try_lock, fn(Lock) -> c_int, lock) };
            acquire(lock, try_lock, None, caller())
        }
    )* };
}

macro_rules! acquire_with_limit {
    ($($name:ident by $try_lock:ident;)*) => { $(
        pub unsafe extern "C" fn $name(lock: Lock, limit: *const TimeSpec) -> c_int {
            if !is_controlled() {
                // SAFETY: this has the contract of the function that it replaces.
                return unsafe { real!($name, fn(Lock, *const TimeSpec) -> c_int, lock, limit) };
            }
            // SAFETY: as above.
            let deadline_ns = unsafe { clock::deadline(limit, false) };
            // SAFETY: as above.
            let try_lock = |lock| unsafe { real!($try_lock, fn(Lock) -> c_int, lock) };
            acquire(lock, try_lock, deadline_ns, caller())
        }
    )* };
}

macro_rules! acquire_with_limit_of_clock {
    ($($name:ident by $try_lock:ident;)*) => { $(
        pub unsafe extern "C" fn $name(lock: Lock, clock: c_int, limit: *const TimeSpec) -> c_int {
            if !is_controlled() {
                // SAFETY: this has the contract of the function that it replaces.
                return unsafe {
                    real!($name, fn(Lock, c_int, *const TimeSpec) -> c_int, lock, clock, limit)
                };
            }
            // SAFETY: as above.
            let deadline_ns = unsafe { clock::deadline(limit, false) };
            // SAFETY: as above.
            let try_lock = |lock| unsafe { real!($try_lock, fn(Lock) -> c_int, lock) };
            acquire(lock, try_lock, deadline_ns, caller())
        }
    )* };
}

macro_rules! try_acquire {
    ($($name:ident;)*) => { $(
        pub unsafe extern "C" fn $name(lock: Lock) -> c_int {
            access(lock as u64, true, caller(), Yield::No);
            // SAFETY: this has the contract of the function that it replaces.
            let result = unsafe { real!($name, fn(Lock) -> c_int, lock) };
            if result == 0 && is_controlled() {
                races::acquire(lock as u64);
            }
            result
        }
    )* };
}

macro_rules! release {
    ($($name:ident;)*) => { $(
        pub unsafe extern "C" fn $name(lock: Lock) -> c_int {
            if !is_controlled() {
                // SAFETY: this has the contract of the function that it replaces.
                return unsafe { real!($name, fn(Lock) -> c_int, lock) };
            }
            access(lock as u64, true, caller(), Yield::No);
            races::release(lock as u64);
            // SAFETY: this has the contract of the function that it replaces.
            let result = unsafe { real!($name, fn(Lock) -> c_int, lock) };
            wake_all(lock as u64);
            progress();
            result
        }
    )* };
}

acquire! {
    pthread_mutex_lock by pthread_mutex_trylock;
    pthread_rwlock_rdlock by pthread_rwlock_tryrdlock;
    pthread_rwlock_wrlock by pthread_rwlock_trywrlock;
    pthread_spin_lock by pthread_spin_trylock;
}

acquire_with_limit! {
    pthread_mutex_timedlock by pthread_mutex_trylock;
    pthread_rwlock_timedrdlock by pthread_rwlock_tryrdlock;
    pthread_rwlock_timedwrlock by pthread_rwlock_trywrlock;
}

acquire_with_limit_of_clock! {
    pthread_mutex_clocklock by pthread_mutex_trylock;
    pthread_rwlock_clockrdlock by pthread_rwlock_tryrdlock;
    pthread_rwlock_clockwrlock by pthread_rwlock_trywrlock;
}

try_acquire! {
    pthread_mutex_trylock;
    pthread_rwlock_tryrdlock;
    pthread_rwlock_trywrlock;
    pthread_spin_trylock;
    sem_trywait;
}

release! {
    pthread_mutex_unlock;
    pthread_rwlock_unlock;
    pthread_spin_unlock;
    sem_post;
}

/// Semaphores return errors in `errno`.
///
/// # Safety
/// It is a semaphore.
unsafe fn try_semaphore(semaphore: Lock) -> c_int {
    // SAFETY: the caller's contract.
    match unsafe { real!(sem_trywait, fn(Lock) -> c_int, semaphore) } {
        0 => 0,
        _ => sys::errno(),
    }
}

fn with_errno(result: c_int) -> c_int {
    match result {
        0 => 0,
        errno => sys::fail(errno),
    }
}

pub unsafe extern "C" fn sem_wait(semaphore: Lock) -> c_int {
    if !is_controlled() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe { real!(sem_wait, fn(Lock) -> c_int, semaphore) };
    }
    // SAFETY: as above.
    let try_lock = |semaphore| unsafe { try_semaphore(semaphore) };
    with_errno(acquire(semaphore, try_lock, None, caller()))
}

pub unsafe extern "C" fn sem_timedwait(semaphore: Lock, limit: *const TimeSpec) -> c_int {
    if !is_controlled() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe {
            real!(
                sem_timedwait,
                fn(Lock, *const TimeSpec) -> c_int,
                semaphore,
                limit
            )
        };
    }
    // SAFETY: as above.
    let deadline_ns = unsafe { clock::deadline(limit, false) };
    // SAFETY: as above.
    let try_lock = |semaphore| unsafe { try_semaphore(semaphore) };
    with_errno(acquire(semaphore, try_lock, deadline_ns, caller()))
}

/// Releases the mutex, waits for the condition and acquires the mutex again.
///
/// # Safety
/// The calling thread holds the mutex.
unsafe fn wait_for(condition: Lock, mutex: Lock, deadline_ns: Option<u64>, code: u64) -> c_int {
    access(condition as u64, true, code, Yield::No);
    also_accesses(mutex as u64);
    races::release(mutex as u64);
    // SAFETY: the caller's contract.
    unsafe { real!(pthread_mutex_unlock, fn(Lock) -> c_int, mutex) };
    wake_all(mutex as u64);
    waiting_places::waits(code);
    let wakeup = wait(condition as u64, u32::MAX, deadline_ns, code);
    also_accesses(mutex as u64);
    // SAFETY: as above.
    let try_lock = |lock: Lock| unsafe { real!(pthread_mutex_trylock, fn(Lock) -> c_int, lock) };
    match (acquire(mutex, try_lock, None, code), wakeup) {
        (0, Wakeup::TimedOut) => sys::ETIMEDOUT,
        (result, _) => result,
    }
}

pub unsafe extern "C" fn pthread_cond_wait(condition: Lock, mutex: Lock) -> c_int {
    if !is_controlled() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe { real!(pthread_cond_wait, fn(Lock, Lock) -> c_int, condition, mutex) };
    }
    // SAFETY: as above.
    unsafe { wait_for(condition, mutex, None, caller()) }
}

pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: Lock,
    mutex: Lock,
    limit: *const TimeSpec,
) -> c_int {
    if !is_controlled() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe {
            real!(
                pthread_cond_timedwait,
                fn(Lock, Lock, *const TimeSpec) -> c_int,
                condition,
                mutex,
                limit
            )
        };
    }
    // SAFETY: as above.
    unsafe { wait_for(condition, mutex, clock::deadline(limit, false), caller()) }
}

pub unsafe extern "C" fn pthread_cond_clockwait(
    condition: Lock,
    mutex: Lock,
    clock: c_int,
    limit: *const TimeSpec,
) -> c_int {
    if !is_controlled() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe {
            real!(
                pthread_cond_clockwait,
                fn(Lock, Lock, c_int, *const TimeSpec) -> c_int,
                condition,
                mutex,
                clock,
                limit
            )
        };
    }
    // SAFETY: as above.
    unsafe { wait_for(condition, mutex, clock::deadline(limit, false), caller()) }
}

pub unsafe extern "C" fn pthread_cond_signal(condition: Lock) -> c_int {
    if !is_controlled() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe { real!(pthread_cond_signal, fn(Lock) -> c_int, condition) };
    }
    access(condition as u64, true, caller(), Yield::No);
    wake(condition as u64, 1, u32::MAX);
    0
}

pub unsafe extern "C" fn pthread_cond_broadcast(condition: Lock) -> c_int {
    if !is_controlled() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe { real!(pthread_cond_broadcast, fn(Lock) -> c_int, condition) };
    }
    access(condition as u64, true, caller(), Yield::No);
    wake_all(condition as u64);
    0
}

/// The C++ library initialises a local static variable once; the check whether it has is inlined and instrumented.
pub unsafe extern "C" fn cxa_guard_acquire(guard: *mut c_void) -> c_int {
    let is_controlled = is_controlled();
    // SAFETY: this has the contract of the function that it replaces.
    let result = unsafe { real!(__cxa_guard_acquire, fn(*mut c_void) -> c_int, guard) };
    if is_controlled {
        races::acquire(guard as u64);
    }
    result
}

pub unsafe extern "C" fn cxa_guard_release(guard: *mut c_void) {
    if is_controlled() {
        races::release(guard as u64);
    }
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { real!(__cxa_guard_release, fn(*mut c_void) -> (), guard) }
}
