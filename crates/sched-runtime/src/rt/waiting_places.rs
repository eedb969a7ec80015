//! Places at which the threads of a whole program may wait, and whether one ever has.
//!
//! The C library's functions that may wait say so whenever they are called. Locks of Rust wait in a system call only, so that a lock that
//! was always free is not seen here: the runner finds it by its steps.

use crate::layout::{PlaceRecord, WaitingPlaceRecord};
use crate::rt::entry::{local, me};
use crate::rt::scheduler::{self, Phase, shared};
use crate::rt::threads;
use core::cell::Cell;

/// The calling thread has called something that may wait.
pub fn may_wait(code: u64) {
    _ = known(code, 0);
}

/// The calling thread waits.
pub fn waits(code: u64) {
    note_wait(known(code, 0));
}

/// The calling thread waits in a system call, which may have been made by Rust's standard library.
pub fn waits_for_futex(code: u64) {
    note_wait(known(code, local().std_call.get()));
}

fn note_wait(place: Option<&Cell<WaitingPlaceRecord>>) {
    if let Some(place) = place {
        place.set(WaitingPlaceRecord {
            has_waited: 1,
            ..place.get()
        });
    }
}

/// Call sites in which places differ. Those of locks are often reached through some functions of a library.
const FRAMES_COMPARED: usize = 6;

/// The record of a place; none if there are too many of them.
fn known(code: u64, library_call: u64) -> Option<&'static Cell<WaitingPlaceRecord>> {
    if scheduler::phase() != Phase::WholeProgram || u64::from(me()) < shared().background_threads.get() {
        return None;
    }
    let shared = shared();
    let mut frames = [0; FRAMES_COMPARED];
    threads::copy_calls(me(), &mut frames);
    let len = shared.waiting_places_len.get() as usize;
    let is_it = |known: &&Cell<WaitingPlaceRecord>| {
        let known = known.get();
        known.place.code == code
            && known.library_call == library_call
            && known.place.frames.starts_with(&frames)
    };
    if let Some(place) = shared.waiting_places.iter().take(len).find(is_it) {
        return Some(place);
    }
    let free = shared.waiting_places.get(len)?;
    free.set(WaitingPlaceRecord {
        place: PlaceRecord {
            code,
            ..threads::describe(me(), PlaceRecord::NONE)
        },
        library_call,
        has_waited: 0,
    });
    shared.waiting_places_len.set(shared.waiting_places_len.get() + 1);
    Some(free)
}
