//! Message queues of POSIX, queues and semaphores of System V, and the locks of streams.
//!
//! Each is tried without waiting, and waited for by the scheduler.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::entry::me;
use crate::rt::locks::{self, acquire};
use crate::rt::readiness::{self, POLLIN, POLLOUT, PollFile};
use crate::rt::scheduler::progress;
use crate::rt::sys::{self, real, replaced};
use crate::rt::threads::thread;
use crate::rt::wait::{Wakeup, wait, wake_all};
use crate::rt::{cancellation, descriptors, races, waiting_places};
use core::ffi::{c_int, c_long, c_void};
use core::sync::atomic::AtomicU8;

/// One location stands for all that System V has: another process may share each of them.
static SYSTEM_V: AtomicU8 = AtomicU8::new(0);

const NO_WAIT: c_int = 0o4_000;

/// Waits until a queue of POSIX, which is a file, is ready. Returns 0 or an error number.
fn wait_for_queue(queue: c_int, events: i16, deadline_ns: Option<u64>, code: u64) -> c_int {
    readiness::step(code);
    if events == POLLOUT {
        readiness::release();
    }
    if !descriptors::blocks(queue) {
        return 0;
    }
    let file = PollFile {
        file: queue,
        events,
        returned: 0,
    };
    let ended = readiness::wait_for(&mut [file], deadline_ns, code);
    if events == POLLIN {
        readiness::acquire();
    }
    match ended {
        Wakeup::Woken => 0,
        Wakeup::TimedOut => sys::ETIMEDOUT,
        Wakeup::Interrupted => sys::EINTR,
    }
}

/// Calls a function of System V until it need not wait. `call` gets the flag with which it does not.
fn without_waiting(
    is_asked: bool,
    deadline_ns: Option<u64>,
    code: u64,
    call: impl Fn(c_int) -> c_long,
) -> c_long {
    let address = SYSTEM_V.as_ptr();
    locks::step(address.cast(), code);
    waiting_places::may_wait(code);
    races::release(address as u64);
    cancellation::within(|| {
        loop {
            let result = call(NO_WAIT);
            if result >= 0 {
                races::acquire(address as u64);
                wake_all(address as u64);
                progress();
                return result;
            }
            if is_asked || !matches!(sys::errno(), sys::EAGAIN | sys::ENOMSG) {
                return result;
            }
            waiting_places::waits(code);
            match wait(address as u64, u32::MAX, deadline_ns, code) {
                Wakeup::Woken => {}
                Wakeup::TimedOut => return sys::fail(sys::EAGAIN).into(),
                Wakeup::Interrupted => return sys::fail(sys::EINTR).into(),
            }
        }
    })
}

replaced! {
    fn mq_send(queue: c_int, message: *const c_void, length: usize, priority: u32) -> c_int, at code {
        match wait_for_queue(queue, POLLOUT, None, code) {
            0 => real!(mq_send, fn(c_int, *const c_void, usize, u32) -> c_int, queue, message, length, priority),
            error => sys::fail(error),
        }
    }
    fn mq_timedsend(queue: c_int, message: *const c_void, length: usize, priority: u32, limit: *const TimeSpec) -> c_int, at code {
        match wait_for_queue(queue, POLLOUT, clock::deadline(limit, false), code) {
            0 => real!(mq_send, fn(c_int, *const c_void, usize, u32) -> c_int, queue, message, length, priority),
            error => sys::fail(error),
        }
    }
    fn mq_receive(queue: c_int, message: *mut c_void, length: usize, priority: *mut u32) -> isize, at code {
        match wait_for_queue(queue, POLLIN, None, code) {
            0 => real!(mq_receive, fn(c_int, *mut c_void, usize, *mut u32) -> isize, queue, message, length, priority),
            error => sys::fail(error) as isize,
        }
    }
    fn mq_timedreceive(queue: c_int, message: *mut c_void, length: usize, priority: *mut u32, limit: *const TimeSpec) -> isize, at code {
        match wait_for_queue(queue, POLLIN, clock::deadline(limit, false), code) {
            0 => real!(mq_receive, fn(c_int, *mut c_void, usize, *mut u32) -> isize, queue, message, length, priority),
            error => sys::fail(error) as isize,
        }
    }

    fn msgsnd(queue: c_int, message: *const c_void, length: usize, flags: c_int) -> c_int, at code {
        without_waiting(flags & NO_WAIT != 0, None, code, |no_wait| {
            real!(msgsnd, fn(c_int, *const c_void, usize, c_int) -> c_int, queue, message, length, flags | no_wait).into()
        }) as c_int
    }
    fn msgrcv(queue: c_int, message: *mut c_void, length: usize, kind: c_long, flags: c_int) -> isize, at code {
        without_waiting(flags & NO_WAIT != 0, None, code, |no_wait| {
            real!(msgrcv, fn(c_int, *mut c_void, usize, c_long, c_int) -> isize, queue, message, length, kind, flags | no_wait) as c_long
        }) as isize
    }
    fn semop(set: c_int, operations: *mut SemaphoreOperation, count: usize) -> c_int, at code {
        change_semaphores(set, operations, count, None, code)
    }
    fn semtimedop(set: c_int, operations: *mut SemaphoreOperation, count: usize, limit: *const TimeSpec) -> c_int, at code {
        change_semaphores(set, operations, count, clock::deadline(limit, true), code)
    }

    fn flockfile(stream: *mut c_void) -> (), at code {
        acquire(stream, |stream| match real!(ftrylockfile, fn(*mut c_void) -> c_int, stream) {
            0 => 0,
            _ => sys::EBUSY,
        }, None, code);
        thread(me()).streams_locked.set(thread(me()).streams_locked.get() + 1);
    }
    fn ftrylockfile(stream: *mut c_void) -> c_int, at code {
        locks::step(stream, code);
        let result = real!(ftrylockfile, fn(*mut c_void) -> c_int, stream);
        if result == 0 {
            races::acquire(stream as u64);
            thread(me()).streams_locked.set(thread(me()).streams_locked.get() + 1);
        }
        result
    }
    fn funlockfile(stream: *mut c_void) -> (), at code {
        thread(me()).streams_locked.set(thread(me()).streams_locked.get().saturating_sub(1));
        let unlock = |stream| {
            real!(funlockfile, fn(*mut c_void) -> (), stream);
            0
        };
        locks::release(stream, unlock, code);
    }
}

/// `struct sembuf`.
#[repr(C)]
pub struct SemaphoreOperation {
    number: u16,
    change: i16,
    flags: i16,
}

/// # Safety
/// That of `semop`.
unsafe fn change_semaphores(
    set: c_int,
    operations: *mut SemaphoreOperation,
    count: usize,
    deadline_ns: Option<u64>,
    code: u64,
) -> c_int {
    // An operation that would wait says itself whether it does. The kernel allows 500 of them in a call; here only a few are looked at.
    const OPERATIONS_MAX: usize = 64;
    let operations = || {
        let operations = core::ptr::slice_from_raw_parts_mut(operations, count.min(OPERATIONS_MAX));
        // SAFETY: the caller's contract.
        unsafe { &mut *operations }
    };
    let mut given = [0_i16; OPERATIONS_MAX];
    let flags = given.iter_mut().zip(operations());
    flags.for_each(|(kept, operation)| *kept = operation.flags);
    let is_asked = given.iter().take(count).any(|flags| flags & NO_WAIT as i16 != 0);
    let result = without_waiting(is_asked, deadline_ns, code, |no_wait| {
        operations()
            .iter_mut()
            .for_each(|operation| operation.flags |= no_wait as i16);
        // SAFETY: the caller's contract.
        let result = unsafe {
            real!(
                semop,
                fn(c_int, *mut SemaphoreOperation, usize) -> c_int,
                set,
                operations().as_mut_ptr(),
                count
            )
        };
        operations()
            .iter_mut()
            .zip(&given)
            .for_each(|(operation, flags)| operation.flags = *flags);
        result.into()
    });
    result as c_int
}
