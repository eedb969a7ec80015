//! Places at which the threads of a whole program may wait, and whether one ever has.
//!
//! The C library's functions that may wait say so whenever they are called. Locks of Rust wait in a system call only, so that a lock that
//! was always free is not seen here: the runner finds it by its steps.

use crate::layout::WaitingPlaceRecord;
use crate::rt::entry::{local, me};
use crate::rt::scheduler::{self, Phase, shared};
use crate::rt::threads;

/// The calling thread has called something that may wait.
pub unsafe fn may_wait(code: u64) {
    _ = known(code, 0);
}

/// The calling thread waits.
pub unsafe fn waits(code: u64) {
    if let Some(place) = known(code, 0) {
        place.has_waited = 1;
    }
}

/// The calling thread waits in a system call, which may have been made by Rust's standard library.
pub unsafe fn waits_for_futex(code: u64) {
    if let Some(place) = known(code, (*local()).std_call) {
        place.has_waited = 1;
    }
}

/// Call sites in which places differ. Those of locks are often reached through some functions of a library.
const FRAMES_COMPARED: usize = 6;

/// The record of a place; none if there are too many of them.
unsafe fn known(code: u64, library_call: u64) -> Option<&'static mut WaitingPlaceRecord> {
    if scheduler::phase() != Phase::WholeProgram || u64::from(me()) < (*shared()).background_threads {
        return None;
    }
    let shared = &mut *shared();
    let mut frames = [0; FRAMES_COMPARED];
    threads::copy_calls(me(), &mut frames);
    let len = shared.waiting_places_len as usize;
    let is_it = |known: &WaitingPlaceRecord| {
        known.place.code == code
            && known.library_call == library_call
            && known.place.frames.starts_with(&frames)
    };
    if let Some(index) = shared.waiting_places.iter().take(len).position(is_it) {
        return shared.waiting_places.get_mut(index);
    }
    let free = shared.waiting_places.get_mut(len)?;
    free.place.frames = [0; _];
    threads::describe(me(), &mut free.place);
    free.place.code = code;
    free.library_call = library_call;
    free.has_waited = 0;
    shared.waiting_places_len += 1;
    Some(free)
}
