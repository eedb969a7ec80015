//! Locks of the C library, as C++'s standard library uses them.
//!
//! The real lock keeps the state and its kind (recursive or not); only waiting for it is ours: a thread tries,
//! and if the lock is taken it waits until somebody unlocks.

use crate::code;
use crate::baton::{access, announce};
use crate::clock::{self, TimeSpec};
use crate::races;
use crate::spin::Yield;
use crate::sys::{self, real};
use crate::threads::is_controlled;
use crate::waiting::{Woken, wait, wake};
use core::ffi::{c_int, c_void};

type Lock = *mut c_void;

/// Tries until the lock is free or the time is over; the first try is a step of the scheduler.
unsafe fn acquire(lock: Lock, attempt: impl Fn(Lock) -> c_int, deadline_ns: Option<u64>, code: u64) -> c_int {
    unsafe {
        access(lock as u64, true, code, Yield::No);
        loop {
            match attempt(lock) {
                sys::EBUSY | sys::EAGAIN => {}
                result => {
                    races::acquire(lock as u64);
                    return result;
                }
            }
            if wait(lock as u64, u32::MAX, deadline_ns, code) == Woken::ByTime {
                return sys::ETIMEDOUT;
            }
        }
    }
}

unsafe fn release(lock: Lock, unlock: impl Fn(Lock) -> c_int, code: u64) -> c_int {
    unsafe {
        access(lock as u64, true, code, Yield::No);
        races::release(lock as u64);
        let result = unlock(lock);
        wake(lock as u64, usize::MAX, u32::MAX);
        crate::baton::progress();
        result
    }
}

macro_rules! acquiring {
    ($($name:ident $real:literal by $attempt:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: Lock) -> c_int {
            if !is_controlled() {
                return real!($real, fn(Lock) -> c_int, lock);
            }
            unsafe { acquire(lock, |lock| real!($attempt, fn(Lock) -> c_int, lock), None, code::caller()) }
        }
    )* };
}

macro_rules! acquiring_in_time {
    ($($name:ident $real:literal by $attempt:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: Lock, limit: *const TimeSpec) -> c_int {
            if !is_controlled() {
                return real!($real, fn(Lock, *const TimeSpec) -> c_int, lock, limit);
            }
            unsafe {
                let deadline_ns = clock::deadline(limit, false);
                acquire(lock, |lock| real!($attempt, fn(Lock) -> c_int, lock), deadline_ns, code::caller())
            }
        }
    )* };
}

macro_rules! acquiring_by_clock {
    ($($name:ident $real:literal by $attempt:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: Lock, clock: c_int, limit: *const TimeSpec) -> c_int {
            if !is_controlled() {
                return real!($real, fn(Lock, c_int, *const TimeSpec) -> c_int, lock, clock, limit);
            }
            unsafe {
                let deadline_ns = clock::deadline(limit, false);
                acquire(lock, |lock| real!($attempt, fn(Lock) -> c_int, lock), deadline_ns, code::caller())
            }
        }
    )* };
}

macro_rules! trying {
    ($($name:ident $real:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: Lock) -> c_int {
            unsafe { access(lock as u64, true, code::caller(), Yield::No) };
            let result = real!($real, fn(Lock) -> c_int, lock);
            if result == 0 && is_controlled() {
                unsafe { races::acquire(lock as u64) };
            }
            result
        }
    )* };
}

macro_rules! releasing {
    ($($name:ident $real:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: Lock) -> c_int {
            if !is_controlled() {
                return real!($real, fn(Lock) -> c_int, lock);
            }
            unsafe { release(lock, |lock| real!($real, fn(Lock) -> c_int, lock), code::caller()) }
        }
    )* };
}

acquiring! {
    pthread_mutex_lock "pthread_mutex_lock" by "pthread_mutex_trylock";
    pthread_rwlock_rdlock "pthread_rwlock_rdlock" by "pthread_rwlock_tryrdlock";
    pthread_rwlock_wrlock "pthread_rwlock_wrlock" by "pthread_rwlock_trywrlock";
    pthread_spin_lock "pthread_spin_lock" by "pthread_spin_trylock";
}

acquiring_in_time! {
    pthread_mutex_timedlock "pthread_mutex_timedlock" by "pthread_mutex_trylock";
    pthread_rwlock_timedrdlock "pthread_rwlock_timedrdlock" by "pthread_rwlock_tryrdlock";
    pthread_rwlock_timedwrlock "pthread_rwlock_timedwrlock" by "pthread_rwlock_trywrlock";
}

acquiring_by_clock! {
    pthread_mutex_clocklock "pthread_mutex_clocklock" by "pthread_mutex_trylock";
    pthread_rwlock_clockrdlock "pthread_rwlock_clockrdlock" by "pthread_rwlock_tryrdlock";
    pthread_rwlock_clockwrlock "pthread_rwlock_clockwrlock" by "pthread_rwlock_trywrlock";
}

trying! {
    pthread_mutex_trylock "pthread_mutex_trylock";
    pthread_rwlock_tryrdlock "pthread_rwlock_tryrdlock";
    pthread_rwlock_trywrlock "pthread_rwlock_trywrlock";
    pthread_spin_trylock "pthread_spin_trylock";
    sem_trywait "sem_trywait";
}

releasing! {
    pthread_mutex_unlock "pthread_mutex_unlock";
    pthread_rwlock_unlock "pthread_rwlock_unlock";
    pthread_spin_unlock "pthread_spin_unlock";
    sem_post "sem_post";
}

fn semaphore_attempt(semaphore: Lock) -> c_int {
    match real!("sem_trywait", fn(Lock) -> c_int, semaphore) {
        0 => 0,
        _ => unsafe { *sys::__errno_location() },
    }
}

fn with_errno(result: c_int) -> c_int {
    if result == 0 { 0 } else { unsafe { sys::fail(result) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_wait(semaphore: Lock) -> c_int {
    if !is_controlled() {
        return real!("sem_wait", fn(Lock) -> c_int, semaphore);
    }
    with_errno(unsafe { acquire(semaphore, semaphore_attempt, None, code::caller()) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_timedwait(semaphore: Lock, limit: *const TimeSpec) -> c_int {
    if !is_controlled() {
        return real!("sem_timedwait", fn(Lock, *const TimeSpec) -> c_int, semaphore, limit);
    }
    with_errno(unsafe { acquire(semaphore, semaphore_attempt, clock::deadline(limit, false), code::caller()) })
}

/// Gives up the mutex, waits for the condition and takes the mutex again.
unsafe fn wait_for(condition: Lock, mutex: Lock, deadline_ns: Option<u64>, code: u64) -> c_int {
    unsafe {
        access(condition as u64, true, code, Yield::No);
        announce(mutex as u64);
        races::release(mutex as u64);
        real!("pthread_mutex_unlock", fn(Lock) -> c_int, mutex);
        wake(mutex as u64, usize::MAX, u32::MAX);
        let woken = wait(condition as u64, u32::MAX, deadline_ns, code);
        announce(mutex as u64);
        let attempt = |lock: Lock| real!("pthread_mutex_trylock", fn(Lock) -> c_int, lock);
        let taken = acquire(mutex, attempt, None, code);
        match (taken, woken) {
            (0, Woken::ByTime) => sys::ETIMEDOUT,
            (result, _) => result,
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_wait(condition: Lock, mutex: Lock) -> c_int {
    if !is_controlled() {
        return real!("pthread_cond_wait", fn(Lock, Lock) -> c_int, condition, mutex);
    }
    unsafe { wait_for(condition, mutex, None, code::caller()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_timedwait(condition: Lock, mutex: Lock, limit: *const TimeSpec) -> c_int {
    if !is_controlled() {
        return real!(
            "pthread_cond_timedwait",
            fn(Lock, Lock, *const TimeSpec) -> c_int,
            condition, mutex, limit
        );
    }
    unsafe { wait_for(condition, mutex, clock::deadline(limit, false), code::caller()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_clockwait(
    condition: Lock,
    mutex: Lock,
    clock: c_int,
    limit: *const TimeSpec,
) -> c_int {
    if !is_controlled() {
        return real!(
            "pthread_cond_clockwait",
            fn(Lock, Lock, c_int, *const TimeSpec) -> c_int,
            condition, mutex, clock, limit
        );
    }
    unsafe { wait_for(condition, mutex, clock::deadline(limit, false), code::caller()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_signal(condition: Lock) -> c_int {
    if !is_controlled() {
        return real!("pthread_cond_signal", fn(Lock) -> c_int, condition);
    }
    unsafe {
        access(condition as u64, true, code::caller(), Yield::No);
        wake(condition as u64, 1, u32::MAX);
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_broadcast(condition: Lock) -> c_int {
    if !is_controlled() {
        return real!("pthread_cond_broadcast", fn(Lock) -> c_int, condition);
    }
    unsafe {
        access(condition as u64, true, code::caller(), Yield::No);
        wake(condition as u64, usize::MAX, u32::MAX);
    }
    0
}

/// The value that glibc gives to a `pthread_once_t` whose routine has run.
const ONCE_DONE: c_int = 2;
const ONCE_RUNNING: c_int = 1;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_once(once: *mut c_int, routine: unsafe extern "C" fn()) -> c_int {
    if !is_controlled() {
        return real!("pthread_once", fn(*mut c_int, unsafe extern "C" fn()) -> c_int, once, routine);
    }
    unsafe {
        let code = code::caller();
        access(once as u64, true, code, Yield::No);
        while once.read_volatile() == ONCE_RUNNING {
            wait(once as u64, u32::MAX, None, code);
        }
        if once.read_volatile() != ONCE_DONE {
            once.write_volatile(ONCE_RUNNING);
            routine();
            access(once as u64, true, code, Yield::No);
            races::release(once as u64);
            once.write_volatile(ONCE_DONE);
            wake(once as u64, usize::MAX, u32::MAX);
        }
        races::acquire(once as u64);
        0
    }
}
