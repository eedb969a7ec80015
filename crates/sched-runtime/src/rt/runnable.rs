//! Which threads can take a step.

use crate::rt::scheduler::{self, Phase, bit};
use crate::rt::threads::{ThreadSet, ThreadState, ids, thread};
use crate::rt::{clock, once, readiness, tickers, timers, wait};

/// The threads that can take a step.
pub fn now() -> ThreadSet {
    let is_candidate = |&id: &u8| {
        let thread = thread(id);
        thread.state.get() == ThreadState::Ready
            || (thread.state.get() == ThreadState::Waiting
                && (thread.deadline_ns.get().is_some_and(can_expire)
                    || readiness::has_come(id)
                    || wait::is_disturbed(id)
                    || (!thread.waits_for_once.get().is_null()
                        && once::has_ended(thread.waits_for_once.get()))))
    };
    ids().filter(is_candidate).fold(0, |bits, id| bits | bit(id))
}

/// Whether a time limit can expire now: in a whole program when its time has come, else at any time.
fn can_expire(deadline_ns: u64) -> bool {
    scheduler::phase() != Phase::WholeProgram || deadline_ns <= clock::now_ns()
}

/// The threads of a whole program that can go on when the others do not: those for which something outside of the program has an answer, or
/// else those whose time limit is next, to which the clock jumps.
pub fn woken(candidates: ThreadSet) -> ThreadSet {
    let limits = ids().filter(|&id| thread(id).state.get() == ThreadState::Waiting);
    let limits = limits.filter_map(|id| thread(id).deadline_ns.get());
    let next_ns = limits.chain(timers::next_ns()).min();
    if candidates == 0 && readiness::await_outside(next_ns.is_none()) {
        let come = now();
        // The end of a process for which nobody waits but by asking at times is seen at the next of these.
        if come != 0 {
            return come;
        }
    }
    if let Some(next_ns) = next_ns {
        clock::advance_to(next_ns);
    }
    let woken = now();
    if candidates == 0 && woken != 0 {
        tickers::clock_jumps(woken);
    }
    woken
}
