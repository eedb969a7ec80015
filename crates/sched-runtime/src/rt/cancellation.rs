//! Cancellation of threads (`pthread_cancel`).
//!
//! The C library unwinds a cancelled thread and runs its cleanup handlers, in the thread itself: this runtime only decides when, because
//! it has replaced the functions at which that happens. A thread that waits in one of them goes on when it is cancelled, restores what the
//! function promises (the mutex of a condition is locked), and then asks the real `pthread_testcancel`, which may not return. The frames of
//! this runtime hold nothing at that point, and have tables for the unwinder.
//!
//! A thread with asynchronous cancellation is cancelled where it stopped last, by itself: the C library would send it a signal.

use crate::rt::entry::{is_controlled, me};
use crate::rt::sys::{real, replaced};
use crate::rt::threads::{self, ThreadState, thread};
use crate::rt::{locks, races, scheduler};
use core::ffi::{c_int, c_void};

/// What a thread has said about its cancellation, and whether one has asked for it.
#[derive(Clone, Copy)]
pub struct Cancellation {
    is_requested: bool,
    is_disabled: bool,
    is_asynchronous: bool,
}

impl Cancellation {
    pub const NONE: Self = Self {
        is_requested: false,
        is_disabled: false,
        is_asynchronous: false,
    };
}

/// Whether a thread that waits goes on because it is cancelled.
pub fn ends_wait(id: u8) -> bool {
    let state = thread(id).cancellation.get();
    state.is_requested
        && !state.is_disabled
        && (state.is_asynchronous || thread(id).at_cancellation_point.get())
}

/// Whether the calling thread is to be cancelled at the cancellation point that it is in.
pub fn is_due() -> bool {
    let state = thread(me()).cancellation.get();
    state.is_requested && !state.is_disabled
}

/// The calling thread is at a cancellation point. May not return.
pub fn point() {
    if is_controlled() && is_due() {
        // What it calls while it is unwound is not cancelled again.
        set(0, |known| known.is_requested = false);
        // SAFETY: this is a place at which the function that the program called may be cancelled.
        unsafe { real!(pthread_testcancel, fn() -> (),) }
    }
}

/// A function that is a cancellation point.
pub fn within<T>(function: impl FnOnce() -> T) -> T {
    within_then(function, |result| result)
}

/// The same; `restore` comes before the thread is cancelled.
pub fn within_then<T, R>(function: impl FnOnce() -> T, restore: impl FnOnce(T) -> R) -> R {
    thread(me()).at_cancellation_point.set(true);
    let result = function();
    thread(me()).at_cancellation_point.set(false);
    let restored = restore(result);
    point();
    restored
}

/// The calling thread has stopped and goes on: one with asynchronous cancellation may be cancelled here.
pub fn after_stop() {
    let state = thread(me()).cancellation.get();
    if state.is_requested && state.is_asynchronous && !state.is_disabled {
        set(0, |known| known.is_requested = false);
        // SAFETY: the thread has asked to be cancelled anywhere.
        unsafe { real!(pthread_cancel, fn(usize) -> c_int, threads::own_handle()) };
    }
}

/// Changes what is known of the calling thread, if the C library has accepted it.
fn set(result: c_int, change: impl FnOnce(&mut Cancellation)) -> c_int {
    if result == 0 {
        let mut state = thread(me()).cancellation.get();
        change(&mut state);
        thread(me()).cancellation.set(state);
    }
    result
}

replaced! {
    fn pthread_cancel(handle: usize) -> c_int, at code {
        let Some(id) = threads::with_handle(handle).filter(|&id| id != me()) else {
            return real!(pthread_cancel, fn(usize) -> c_int, handle);
        };
        locks::step(core::ptr::from_ref(&thread(id).cancellation).cast_mut().cast::<c_void>(), code);
        scheduler::mark_opaque(me());
        if thread(id).state.get() == ThreadState::Done {
            return real!(pthread_cancel, fn(usize) -> c_int, handle);
        }
        races::release(thread(id).cancellation.as_ptr() as u64);
        let state = thread(id).cancellation.get();
        thread(id).cancellation.set(Cancellation { is_requested: true, ..state });
        scheduler::progress();
        if state.is_asynchronous && !state.is_disabled {
            return 0;
        }
        real!(pthread_cancel, fn(usize) -> c_int, handle)
    }
    fn pthread_testcancel() -> (), at _code {
        point()
    }
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int, at _code {
        const DISABLE: c_int = 1;
        // If it is enabled again while it is cancelled and asynchronous, this does not return.
        set(real!(pthread_setcancelstate, fn(c_int, *mut c_int) -> c_int, state, old), |known| {
            known.is_disabled = state == DISABLE;
        })
    }
    fn pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int, at _code {
        const ASYNCHRONOUS: c_int = 1;
        set(real!(pthread_setcanceltype, fn(c_int, *mut c_int) -> c_int, kind, old), |known| {
            known.is_asynchronous = kind == ASYNCHRONOUS;
        })
    }
}
