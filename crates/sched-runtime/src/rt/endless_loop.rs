//! Recognising a thread that waits by changing something and changing it back.
//!
//! A reader that adds itself to a lock, finds a writer, and takes itself away again, waits although each of its steps changes
//! something: the module `spin` does not see that. But while no other thread runs, the state of the whole program repeats, and from
//! then on everything repeats until another one does. So such a thread yields, and nothing is lost by that: whatever other threads do between its later
//! rounds, they can do between those that it has made, which began in the same states.
//!
//! Comparing states takes long. It begins only when a thread has come several times in one turn to the same access of the same
//! location: one that it made at a step which is moved to doubling distances, so that loops of any length are found.

use crate::rt::global::Global;
use crate::rt::program_state::CycleDetector;
use crate::rt::scheduler::bit;
use crate::rt::threads::thread;
use core::cell::Cell;

/// Before this step of a turn nothing is looked for.
const FIRST_STEP: u32 = 16;
/// States are compared when the access was made again this many times.
const ROUNDS_WITHOUT_COMPARISON: u32 = 2;

/// The access to which a thread may come back, in its current turn.
#[derive(Clone, Copy)]
struct Anchor {
    code: u64,
    address: u64,
    /// How many times it has come back.
    rounds: u32,
    /// At this step of the turn another access is taken.
    ends_at: u32,
}

#[unsafe(link_section = "omnilink_state")]
static ANCHOR: Global<Cell<Anchor>> = Global::new(Cell::new(Anchor {
    code: 0,
    address: 0,
    rounds: 0,
    ends_at: 0,
}));
#[unsafe(link_section = "omnilink_state")]
static STATES: Global<CycleDetector> = Global::new(CycleDetector::new());

/// Whether the current thread, which stops before an access, only repeats what it has done in this turn.
pub fn is_in_one(current: u8) -> bool {
    let running = thread(current);
    let step = running.steps_in_turn.get();
    if step < FIRST_STEP {
        return false;
    }
    let anchor = ANCHOR.get();
    if step == FIRST_STEP || step == anchor.ends_at {
        ANCHOR.set(Anchor {
            code: running.next_code.get(),
            address: running.next_address.get(),
            rounds: 0,
            ends_at: step.saturating_mul(2),
        });
        STATES.reset();
        return false;
    }
    if (running.next_code.get(), running.next_address.get()) != (anchor.code, anchor.address) {
        return false;
    }
    let rounds = anchor.rounds + 1;
    ANCHOR.set(Anchor { rounds, ..anchor });
    rounds > ROUNDS_WITHOUT_COMPARISON && STATES.is_repeated(current, bit(current))
}
