//! Random orders of the accesses to one location, each about as likely as every other (after selectively uniform random walks: Zhao et al.,
//! ASPLOS 2025).
//!
//! A walk that takes any thread at each step seldom lets a thread with many steps wait for one with few. Here a thread is taken with the
//! probability of its share of the accesses that are still to come, as far as a run before has shown how many that are, and it runs until it
//! has made one. Everything else happens on the way.

use crate::checked::slot;
use crate::layout::NO_THREAD;
use crate::rt::global::Global;
use crate::rt::policy::random;
use crate::rt::scheduler::{bit, shared};
use crate::rt::threads::{ThreadSet, ids, thread};
use core::cell::Cell;

/// The thread that runs until it has made an access.
#[unsafe(link_section = "omnilink_state")]
static TAKEN: Global<Cell<u8>> = Global::new(Cell::new(NO_THREAD));

/// The next thread among the candidates.
pub fn choose(candidates: ThreadSet) -> u8 {
    let mut chosen = TAKEN.get();
    if chosen == NO_THREAD || candidates & bit(chosen) == 0 {
        chosen = take(candidates);
        TAKEN.set(chosen);
    }
    if thread(chosen).next_address.get() == shared().location.get() {
        // It makes the access now.
        let left = expected(chosen);
        left.set(left.get().saturating_sub(1));
        TAKEN.set(NO_THREAD);
    }
    chosen
}

fn expected(id: u8) -> &'static Cell<u32> {
    slot(&shared().accesses_expected, id.into())
}

/// A candidate, by how many accesses it is expected to make. One more for each: the run before was only one.
fn take(candidates: ThreadSet) -> u8 {
    let weight = |id: u8| u64::from(expected(id).get()) + 1;
    let some = || ids().filter(|&id| candidates & bit(id) != 0);
    let mut at = random().below(some().map(weight).sum::<u64>().max(1));
    for id in some() {
        match at.checked_sub(weight(id)) {
            Some(rest) => at = rest,
            None => return id,
        }
    }
    candidates.trailing_zeros() as u8
}
