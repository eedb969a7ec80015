//! Locks of the C library: mutexes, read-write locks, spin locks and semaphores.
//!
//! The real lock keeps the state and its kind; only waiting is replaced: a thread tries to take the lock, and if it is taken, waits until a
//! thread unlocks it. What a real wait would find out before it waits is asked here: that the calling thread has the lock itself
//! (`EDEADLK`), that its owner has ended (robust mutexes), and that a writer is to be preferred which waits already.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::entry::me;
use crate::rt::global::Global;
use crate::rt::scheduler::{access, progress};
use crate::rt::spin::Yield;
use crate::rt::sys::{self, real, replaced};
use crate::rt::threads::{ThreadState, ids, thread};
use crate::rt::wait::{Wakeup, wait, wake_all};
use crate::rt::{cancellation, heap, races, waiting_places};
use core::cell::Cell;
use core::ffi::{c_int, c_void};

pub type Lock = *mut c_void;

/// The calling thread is about to use an object of the C library, which must not have been freed.
pub fn step(object: Lock, code: u64) {
    access(object as u64, true, code, Yield::No);
    heap::check(object as u64, 1, code);
}

/// Tries until the lock is free or the time limit expires; the first try is a step of the scheduler.
pub fn acquire(lock: Lock, try_lock: impl Fn(Lock) -> c_int, deadline_ns: Option<u64>, code: u64) -> c_int {
    step(lock, code);
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
        let ended = wait(lock as u64, u32::MAX, deadline_ns, code);
        thread(me()).waits_for_owner.set(false);
        match ended {
            Wakeup::TimedOut => return sys::ETIMEDOUT,
            Wakeup::Interrupted if thread(me()).at_cancellation_point.get() => return sys::EINTR,
            Wakeup::Woken | Wakeup::Interrupted => heap::check(lock as u64, 1, code),
        }
    }
}

/// A try of the calling thread, after which it goes on in any case.
unsafe fn tried(lock: Lock, code: u64, try_lock: impl Fn(Lock) -> c_int) -> c_int {
    step(lock, code);
    let result = try_lock(lock);
    if result == 0 {
        races::acquire(lock as u64);
    }
    result
}

/// Releases a lock of any kind by the real function, and lets the threads try that wait for it.
pub fn release(lock: Lock, unlock: impl Fn(Lock) -> c_int, code: u64) -> c_int {
    step(lock, code);
    races::release(lock as u64);
    let result = unlock(lock);
    wake_all(lock as u64);
    progress();
    result
}

/// A word of four bytes of a lock of glibc.
///
/// # Safety
/// The lock has these bytes.
unsafe fn word(lock: Lock, offset: usize) -> u32 {
    // SAFETY: the caller's contract. The C library changes it in the running thread.
    unsafe { lock.cast::<u8>().add(offset).cast::<u32>().read_volatile() }
}

/// The number by which the C library knows the calling thread as the owner of a lock: what it writes into one. (A fiber is another thread to
/// the C library than to the system.)
fn own_number() -> u32 {
    #[unsafe(link_section = "omnilink_state")]
    static SCRATCH: Global<[Cell<u64>; 8]> = Global::new([const { Cell::new(0) }; 8]);
    let mutex: Lock = SCRATCH.as_ptr().cast_mut().cast();
    // SAFETY: zeros are a mutex that is free, which only the running thread takes.
    unsafe {
        real!(pthread_mutex_trylock, fn(Lock) -> c_int, mutex);
        let owner = word(mutex, mutex_layout::OWNER);
        real!(pthread_mutex_unlock, fn(Lock) -> c_int, mutex);
        owner
    }
}

/// Parts of `pthread_mutex_t`.
mod mutex_layout {
    pub const OWNER: usize = 8;
    pub const KIND: usize = 16;
    pub const KIND_BITS: u32 = 3;
    pub const ERROR_CHECKING: u32 = 2;
    pub const ROBUST: u32 = 16;
}

/// Tries to take a mutex. `EBUSY` if another thread has it.
///
/// # Safety
/// It is a mutex.
pub unsafe fn try_mutex(mutex: Lock) -> c_int {
    // SAFETY: the caller's contract.
    let (result, kind, owner) = unsafe {
        let result = real!(pthread_mutex_trylock, fn(Lock) -> c_int, mutex);
        (
            result,
            word(mutex, mutex_layout::KIND),
            word(mutex, mutex_layout::OWNER),
        )
    };
    if result != sys::EBUSY {
        return result;
    }
    if kind & mutex_layout::KIND_BITS == mutex_layout::ERROR_CHECKING && owner == own_number() {
        return sys::EDEADLK;
    }
    if kind & mutex_layout::ROBUST != 0 {
        if is_ending(owner) {
            // The system releases the mutex when it ends the thread, which it does at once.
            sys::sched_yield();
            // SAFETY: the caller's contract.
            return unsafe { try_mutex(mutex) };
        }
        thread(me()).waits_for_owner.set(true);
    }
    sys::EBUSY
}

/// Whether the thread with this number of the system has ended for the scheduler, and not yet for the system.
fn is_ending(number: u32) -> bool {
    let has_ended = |&id: &u8| thread(id).state.get() == ThreadState::Done;
    ids()
        .filter(has_ended)
        .any(|id| thread(id).system_number.get() == number)
        && sys::is_thread(number)
}

/// A thread has ended, perhaps with a robust mutex: those that wait for one look again.
pub fn owner_ends() {
    for other in ids().map(thread).filter(|other| other.waits_for_owner.take()) {
        if other.state.get() == ThreadState::Waiting {
            other.state.set(ThreadState::Ready);
        }
    }
}

/// Parts of `pthread_rwlock_t`.
mod rwlock_layout {
    pub const WRITER: usize = 24;
    pub const PREFERENCE: usize = 48;
    /// `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`: glibc takes all others for locks that prefer readers.
    pub const WRITERS_FIRST: u32 = 2;
}

/// Whether readers have to wait for a writer that waits.
///
/// # Safety
/// It is a read-write lock.
unsafe fn has_preferred_writer(lock: Lock) -> bool {
    // SAFETY: the caller's contract.
    let preference = unsafe { word(lock, rwlock_layout::PREFERENCE) };
    preference == rwlock_layout::WRITERS_FIRST
        && ids().any(|id| thread(id).waits_to_write.get() == lock as u64)
}

/// # Safety
/// It is a read-write lock.
unsafe fn try_read(lock: Lock) -> c_int {
    // SAFETY: the caller's contract.
    unsafe {
        let is_own = || word(lock, rwlock_layout::WRITER) == own_number();
        match has_preferred_writer(lock) {
            true if is_own() => sys::EDEADLK,
            true => sys::EBUSY,
            false => match real!(pthread_rwlock_tryrdlock, fn(Lock) -> c_int, lock) {
                sys::EBUSY if is_own() => sys::EDEADLK,
                result => result,
            },
        }
    }
}

/// # Safety
/// It is a read-write lock.
unsafe fn acquire_to_write(lock: Lock, deadline_ns: Option<u64>, code: u64) -> c_int {
    let try_lock = |lock: Lock| {
        // SAFETY: the caller's contract.
        let result = unsafe {
            match real!(pthread_rwlock_trywrlock, fn(Lock) -> c_int, lock) {
                sys::EBUSY if word(lock, rwlock_layout::WRITER) == own_number() => sys::EDEADLK,
                result => result,
            }
        };
        if result == sys::EBUSY {
            thread(me()).waits_to_write.set(lock as u64);
        }
        result
    };
    let result = acquire(lock, try_lock, deadline_ns, code);
    if thread(me()).waits_to_write.take() != 0 && result != 0 {
        // Readers need not wait for it any more.
        wake_all(lock as u64);
    }
    result
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

/// # Safety
/// It is a semaphore.
unsafe fn wait_for_semaphore(semaphore: Lock, deadline_ns: Option<u64>, code: u64) -> c_int {
    // SAFETY: the caller's contract.
    let try_lock = |semaphore| unsafe { try_semaphore(semaphore) };
    let result = cancellation::within(|| acquire(semaphore, try_lock, deadline_ns, code));
    match result {
        0 => 0,
        errno => sys::fail(errno),
    }
}

replaced! {
    fn pthread_mutex_lock(mutex: Lock) -> c_int, at code {
        acquire(mutex, |mutex| try_mutex(mutex), None, code)
    }
    fn pthread_mutex_timedlock(mutex: Lock, limit: *const TimeSpec) -> c_int, at code {
        acquire(mutex, |mutex| try_mutex(mutex), clock::deadline(limit, false), code)
    }
    fn pthread_mutex_clocklock(mutex: Lock, clock: c_int, limit: *const TimeSpec) -> c_int, at code {
        acquire(mutex, |mutex| try_mutex(mutex), clock::deadline(limit, false), code)
    }
    fn pthread_mutex_trylock(mutex: Lock) -> c_int, at code {
        tried(mutex, code, |mutex| real!(pthread_mutex_trylock, fn(Lock) -> c_int, mutex))
    }
    fn pthread_mutex_unlock(mutex: Lock) -> c_int, at code {
        release(mutex, |mutex| real!(pthread_mutex_unlock, fn(Lock) -> c_int, mutex), code)
    }

    fn pthread_rwlock_rdlock(lock: Lock) -> c_int, at code {
        acquire(lock, |lock| try_read(lock), None, code)
    }
    fn pthread_rwlock_timedrdlock(lock: Lock, limit: *const TimeSpec) -> c_int, at code {
        acquire(lock, |lock| try_read(lock), clock::deadline(limit, false), code)
    }
    fn pthread_rwlock_clockrdlock(lock: Lock, clock: c_int, limit: *const TimeSpec) -> c_int, at code {
        acquire(lock, |lock| try_read(lock), clock::deadline(limit, false), code)
    }
    fn pthread_rwlock_tryrdlock(lock: Lock) -> c_int, at code {
        tried(lock, code, |lock| match try_read(lock) {
            sys::EDEADLK => sys::EBUSY,
            result => result,
        })
    }
    fn pthread_rwlock_wrlock(lock: Lock) -> c_int, at code {
        acquire_to_write(lock, None, code)
    }
    fn pthread_rwlock_timedwrlock(lock: Lock, limit: *const TimeSpec) -> c_int, at code {
        acquire_to_write(lock, clock::deadline(limit, false), code)
    }
    fn pthread_rwlock_clockwrlock(lock: Lock, clock: c_int, limit: *const TimeSpec) -> c_int, at code {
        acquire_to_write(lock, clock::deadline(limit, false), code)
    }
    fn pthread_rwlock_trywrlock(lock: Lock) -> c_int, at code {
        tried(lock, code, |lock| real!(pthread_rwlock_trywrlock, fn(Lock) -> c_int, lock))
    }
    fn pthread_rwlock_unlock(lock: Lock) -> c_int, at code {
        release(lock, |lock| real!(pthread_rwlock_unlock, fn(Lock) -> c_int, lock), code)
    }

    fn pthread_spin_lock(lock: Lock) -> c_int, at code {
        acquire(lock, |lock| real!(pthread_spin_trylock, fn(Lock) -> c_int, lock), None, code)
    }
    fn pthread_spin_trylock(lock: Lock) -> c_int, at code {
        tried(lock, code, |lock| real!(pthread_spin_trylock, fn(Lock) -> c_int, lock))
    }
    fn pthread_spin_unlock(lock: Lock) -> c_int, at code {
        release(lock, |lock| real!(pthread_spin_unlock, fn(Lock) -> c_int, lock), code)
    }

    fn sem_wait(semaphore: Lock) -> c_int, at code {
        wait_for_semaphore(semaphore, None, code)
    }
    fn sem_timedwait(semaphore: Lock, limit: *const TimeSpec) -> c_int, at code {
        wait_for_semaphore(semaphore, clock::deadline(limit, false), code)
    }
    fn sem_clockwait(semaphore: Lock, clock: c_int, limit: *const TimeSpec) -> c_int, at code {
        wait_for_semaphore(semaphore, clock::deadline(limit, false), code)
    }
    fn sem_trywait(semaphore: Lock) -> c_int, at code {
        tried(semaphore, code, |semaphore| real!(sem_trywait, fn(Lock) -> c_int, semaphore))
    }
    fn sem_post(semaphore: Lock) -> c_int, at code {
        release(semaphore, |semaphore| real!(sem_post, fn(Lock) -> c_int, semaphore), code)
    }
}
