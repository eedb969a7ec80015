//! Threads that wait for ever while others only sleep.
//!
//! A program may have a thread that wakes every second, and so never has no thread that can run. If all that happens between some moments at
//! which the clock jumps is that such threads wake and sleep again, and the state of the whole program, but for the clock, is at one of them
//! what it was at another one, then it will be so for ever: nobody has looked at the clock meanwhile, so that nothing depends on it. The threads that wait
//! without a time limit are in a deadlock.
//!
//! Where threads look at the clock, or count, the state does not repeat. After many rounds of this kind a deadlock is suspected.

use crate::layout::ending;
use crate::rt::clock;
use crate::rt::global::Global;
use crate::rt::program_state::CycleDetector;
use crate::rt::scheduler::{bit, end};
use crate::rt::threads::{ThreadSet, ThreadState, ids, thread};
use core::cell::Cell;

/// Rounds before states are compared: most programs sleep a few times only.
const ROUNDS_WITHOUT_COMPARISON: u64 = 3;
/// A deadlock is suspected after this many rounds, if they have taken this much of the program's time.
const ROUNDS_MAX: u64 = 10_000;
const TIME_MAX_NS: u64 = 3_600 * 1_000_000_000;
/// The same for whatever time.
const SHORT_ROUNDS_MAX: u64 = 100_000;

/// Rounds in which the same threads have waited, in the same waits.
#[derive(Clone, Copy)]
struct Rounds {
    waiting: ThreadSet,
    /// The sum of the numbers of their waits.
    waits: u64,
    count: u64,
    began_ns: u64,
    /// Readings of the clock before.
    readings: u64,
}

#[unsafe(link_section = "omnilink_state")]
static ROUNDS: Global<Cell<Rounds>> = Global::new(Cell::new(Rounds {
    waiting: 0,
    waits: 0,
    count: 0,
    began_ns: 0,
    readings: 0,
}));
#[unsafe(link_section = "omnilink_state")]
static STATES: Global<CycleDetector> = Global::new(CycleDetector::new());

/// The clock has jumped, because no thread could run before: these can now.
pub fn clock_jumps(woken: ThreadSet) {
    let (mut waiting, mut waits) = (0, 0_u64);
    for id in ids() {
        let other = thread(id);
        if other.state.get() == ThreadState::Waiting
            && other.deadline_ns.get().is_none()
            && woken & bit(id) == 0
        {
            waiting |= bit(id);
            waits = waits.wrapping_add(other.wait_number.get());
        }
    }
    let known = ROUNDS.get();
    if waiting == 0 || (waiting, waits) != (known.waiting, known.waits) {
        ROUNDS.set(Rounds {
            waiting,
            waits,
            count: 0,
            began_ns: clock::now_ns(),
            readings: clock::readings(),
        });
        STATES.reset();
        return;
    }
    let count = known.count + 1;
    ROUNDS.set(Rounds { count, ..known });
    if clock::readings() != known.readings {
        ROUNDS.set(Rounds {
            count,
            readings: clock::readings(),
            ..known
        });
        STATES.reset();
    } else if count > ROUNDS_WITHOUT_COMPARISON && STATES.is_repeated_later(woken) {
        end(ending::DEADLOCK, waiting);
    }
    let is_long = clock::now_ns() - known.began_ns > TIME_MAX_NS;
    if count > ROUNDS_MAX && is_long || count > SHORT_ROUNDS_MAX {
        end(ending::SUSPECTED_DEADLOCK, waiting);
    }
}
