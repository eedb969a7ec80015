//! Going on past a yield: a thread that waits by reading goes on although nothing has changed.
//!
//! A loop that reads the same value again and again may give up, or do something else, after some rounds: spin a little, then
//! park. So a thread that yielded may go on, if the schedule says so. It then goes on until it does something else than wait: its
//! turn has no other decisions until the first step at which it does not yield. A schedule pays for this once, however
//! long the loop is.
//!
//! What that leaves out: a switch to another thread after some, but not all, of the rounds. Nothing has changed since the thread
//! yielded, so the rounds read what the rounds before them have read; a switch in the middle differs from one at the yield only in
//! how many rounds are left.
//!
//! A loop without an end never does anything else. If the thread comes to a state of the whole program that it was in before, it
//! never will: nobody else runs. Such an execution differs from the one in which the thread did not go on only in
//! rounds that have no effect, and ends here. So does one with more than [`ROUNDS_MAX`] yields.

use crate::layout::{NO_THREAD, ending, policy};
use crate::rt::global::Global;
use crate::rt::program_state::CycleDetector;
use crate::rt::scheduler::{NOT_YIELDED, SchedulingPoint, bit, end, shared};
use crate::rt::spin::Yield;
use crate::rt::threads::{ThreadSet, thread};

/// The most yields past which a thread goes on in one turn.
const ROUNDS_MAX: u32 = 5_000;
/// The same where choices are random. The thread yields then: there is no other execution that this one could be left to.
const RANDOM_ROUNDS_MAX: u32 = 200;
/// Most loops that end do so earlier: states are compared only after this many yields.
const ROUNDS_WITHOUT_COMPARISON: u32 = 16;

#[unsafe(link_section = "omnilink_state")]
static STATES: Global<CycleDetector> = Global::new(CycleDetector::new());

/// A thread goes on past its yield.
pub fn begin(id: u8) {
    let thread = thread(id);
    thread.idle_left.set(rounds_max());
    // The next yield after the loop is a new one.
    thread.yielded_at.set(NOT_YIELDED);
    thread.steps_in_turn.set(0);
    STATES.reset();
}

fn is_explored() -> bool {
    shared().policy.get() == policy::FOLLOW
}

fn rounds_max() -> u32 {
    match is_explored() {
        true => ROUNDS_MAX,
        false => RANDOM_ROUNDS_MAX,
    }
}

/// Whether the current thread, which stops at a point, goes on without a decision because it began to.
pub fn goes_on(current: u8, point: SchedulingPoint, candidates: ThreadSet) -> bool {
    if current == NO_THREAD {
        return false;
    }
    let running = thread(current);
    if running.idle_left.get() == 0 {
        return false;
    }
    // It may also have come to wait for a lock.
    if point.yields == Yield::No || candidates & bit(current) == 0 {
        running.idle_left.set(0);
        return false;
    }
    let left = running.idle_left.get() - 1;
    running.idle_left.set(left);
    if !is_explored() {
        return left > 0;
    }
    let is_compared = rounds_max() - left > ROUNDS_WITHOUT_COMPARISON;
    if left == 0 || is_compared && STATES.is_repeated(current, bit(current)) {
        end(ending::IDLE, bit(current));
    }
    true
}
