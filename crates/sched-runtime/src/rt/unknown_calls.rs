//! Calls into code that is not instrumented and of which it is not known that it orders nothing.
//!
//! The stub before such a function ([`library_calls`](super::library_calls)) leaves the number of its symbol in the thread's storage. When the
//! thread enters the runtime next, what it had done since is looked at as one call.
//!
//! A race between an access *a* of one thread and an access *b* of another one is only suspected if one of the two threads has made such a call after *a*: by it
//! *a* may be ordered before *b*. So may a call of a third thread, if what is seen orders it after *a* or before *b*. To tell what is after *a*, every
//! thread begins a new epoch at such a call, and the epochs that ended then are kept for the thread that made it. Epochs only number accesses; more
//! of them order nothing.

use crate::happens_before::Epochs;
use crate::layout::{NO_THREAD, THREADS_CAP, UNKNOWN_NAME_CAP};
use crate::rt::entry::{local, me};
use crate::rt::global::Global;
use crate::rt::races;
use crate::rt::scheduler::shared;
use core::cell::Cell;
use core::ffi::CStr;

/// The last unknown call of a thread.
#[derive(Clone, Copy)]
struct LastCall {
    /// The number of its name in the shared memory plus 1, or 0 for none.
    name: u32,
    /// The epochs of all threads that had ended when it was made.
    ended: Epochs,
}

#[unsafe(link_section = "omnilink_state")]
static LAST_CALLS: Global<[Cell<LastCall>; THREADS_CAP]> = Global::new(
    [const {
        Cell::new(LastCall {
            name: 0,
            ended: [0; THREADS_CAP],
        })
    }; THREADS_CAP],
);
/// The names of the program's symbols.
#[unsafe(link_section = "omnilink_state")]
static NAMES: Global<Cell<*const u8>> = Global::new(Cell::new(core::ptr::null()));

pub fn set_names(names: *const u8) {
    NAMES.set(names);
}

/// Looks whether the calling thread has made such a call since it was in the runtime last.
#[inline(always)]
pub fn notice() {
    let called = local().unknown_call.take();
    if called != 0 && me() != NO_THREAD {
        keep(called);
    }
}

#[inline(never)]
fn keep(called: u64) {
    // SAFETY: the stub has left the offset of a name in the table of the loaded program.
    let name = unsafe { CStr::from_ptr(NAMES.get().add(called as usize).cast()) };
    let name = number_of(name.to_bytes());
    if let Some(last) = LAST_CALLS.get(usize::from(me())).filter(|_| races::is_on()) {
        last.set(LastCall {
            name,
            ended: races::end_epochs(),
        });
    }
}

/// The number of a name in the shared memory plus 1. Beyond some names, that of the last one.
fn number_of(name: &[u8]) -> u32 {
    let shared = shared();
    let mut wanted = [0; UNKNOWN_NAME_CAP];
    // The last byte stays 0.
    let free = wanted.iter_mut().take(UNKNOWN_NAME_CAP - 1);
    free.zip(name).for_each(|(to, from)| *to = *from);
    let len = shared.unknown_calls_len.get() as usize;
    let known = shared
        .unknown_calls
        .iter()
        .take(len)
        .position(|known| known.get() == wanted);
    if let Some(known) = known {
        return known as u32 + 1;
    }
    if let Some(free) = shared.unknown_calls.get(len) {
        free.set(wanted);
        shared.unknown_calls_len.set(len as u32 + 1);
    }
    shared.unknown_calls_len.get()
}

/// A call that may order an access of `first` in `epoch` before what `second` does now, as the number of its name plus 1; 0 if there is none.
pub fn between(first: u8, epoch: u32, second: u8) -> u32 {
    let is_after = |id: u8, last: &LastCall| {
        last.name != 0
            && last
                .ended
                .get(usize::from(first))
                .is_some_and(|&ended| epoch <= ended)
            && (id == first || id == second || races::is_between(first, epoch, id, &last.ended, second))
    };
    let mut threads = (0_u8..).zip(LAST_CALLS.iter().map(Cell::get));
    threads
        .find(|(id, last)| is_after(*id, last))
        .map_or(0, |(_, last)| last.name)
}
