//! Random orders of the accesses to one location, each about as likely as every other (after selectively uniform random walks: Zhao et al.,
//! ASPLOS 2025).
//!
//! A walk that takes any thread at each step seldom lets a thread with many steps wait for one with few. Here a thread is taken with the
//! probability of its share of the accesses that are still to come, as far as a run before has shown how many that are, and it runs until it
//! has made one. Everything else happens on the way.

use crate::layout::NO_THREAD;
use crate::rt::policy::random;
use crate::rt::scheduler::{bit, shared};
use crate::rt::threads::{ThreadSet, ids, thread};

/// The thread that runs until it has made an access.
#[unsafe(link_section = "omnilink_state")]
static mut TAKEN: u8 = NO_THREAD;

/// The next thread among the candidates.
pub unsafe fn choose(candidates: ThreadSet) -> u8 {
    if TAKEN == NO_THREAD || candidates & bit(TAKEN) == 0 {
        TAKEN = take(candidates);
    }
    let chosen = TAKEN;
    if (*thread(chosen)).next_address == (*shared()).location {
        // It makes the access now.
        let left = expected(chosen);
        *left = left.saturating_sub(1);
        TAKEN = NO_THREAD;
    }
    chosen
}

unsafe fn expected(id: u8) -> &'static mut u32 {
    &mut (*shared()).accesses_expected[usize::from(id) & 127]
}

/// A candidate, by how many accesses it is expected to make. One more for each: the run before was only one.
unsafe fn take(candidates: ThreadSet) -> u8 {
    let weight = |id: u8| u64::from(*expected(id)) + 1;
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
