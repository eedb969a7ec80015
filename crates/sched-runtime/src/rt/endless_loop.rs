//! Recognising a thread that waits by changing something and changing it back.
//!
//! A reader that adds itself to a lock, finds a writer, and takes itself away again, waits although each of its steps changes
//! something: the module `spin` does not see that. But while no other thread runs, the state of the whole program repeats, and from
//! then on everything repeats until another one does. So such a thread yields, and nothing is lost by that: whatever other threads do between its later
//! rounds, they can do between those that it has made, which began in the same states.
//!
//! Comparing states takes long. It begins only when a thread has come several times in one turn to the same access of the same
//! location: one that it made at a step which is moved to doubling distances, so that loops of any length are found.

use crate::rt::program_state::CycleDetector;
use crate::rt::scheduler::bit;
use crate::rt::threads::thread;

/// Before this step of a turn nothing is looked for.
const FIRST_STEP: u32 = 16;
/// States are compared when the access was made again this many times.
const ROUNDS_WITHOUT_COMPARISON: u32 = 2;

/// The access to which a thread may come back, in its current turn.
struct Anchor {
    code: u64,
    address: u64,
    /// How many times it has come back.
    rounds: u32,
    /// At this step of the turn another access is taken.
    ends_at: u32,
}

#[unsafe(link_section = "omnilink_state")]
static mut ANCHOR: Anchor = Anchor {
    code: 0,
    address: 0,
    rounds: 0,
    ends_at: 0,
};
#[unsafe(link_section = "omnilink_state")]
static mut STATES: CycleDetector = CycleDetector::NEW;

/// Whether the current thread, which stops before an access, only repeats what it has done in this turn.
pub unsafe fn is_in_one(current: u8) -> bool {
    let running = &*thread(current);
    let step = running.steps_in_turn;
    if step < FIRST_STEP {
        return false;
    }
    let anchor = &mut *(&raw mut ANCHOR);
    if step == FIRST_STEP || step == anchor.ends_at {
        *anchor = Anchor {
            code: running.next_code,
            address: running.next_address,
            rounds: 0,
            ends_at: step.saturating_mul(2),
        };
        STATES = CycleDetector::NEW;
        return false;
    }
    if (running.next_code, running.next_address) != (anchor.code, anchor.address) {
        return false;
    }
    anchor.rounds += 1;
    anchor.rounds > ROUNDS_WITHOUT_COMPARISON && (*(&raw mut STATES)).is_repeated(current, bit(current))
}
