//! Serial executions: one call after the other.

use crate::checked::slot;
use crate::layout::{ending, policy};
use crate::rt::global::Global;
use crate::rt::policy::next_in_circle;
use crate::rt::scheduler::{SchedulingPoint, bit, columns, end, not_yielding, shared, unfinished_columns};
use crate::rt::threads::{ThreadSet, thread};
use core::cell::Cell;

/// How many calls were made in a given order.
#[unsafe(link_section = "omnilink_state")]
static CALLS_ORDERED: Global<Cell<u32>> = Global::new(Cell::new(0));

/// The candidates of a serial execution, and the threads that are stuck if there are none. Between calls all columns are
/// candidates, inside a call only its column. Threads that the component created run when the call cannot go on without them,
/// one after the other and without a choice.
pub fn candidates(candidates: ThreadSet, current: u8, point: SchedulingPoint) -> (ThreadSet, ThreadSet) {
    let columns_bits = bit(columns()).wrapping_sub(1);
    let in_call = |&id: &u8| thread(id).in_call.get();
    let mut owner = (0..columns()).filter(in_call).fold(0, |bits, id| bits | bit(id));
    if owner == 0 && bit(current) & columns_bits != 0 && !point.between_calls {
        owner = bit(current);
    }
    if owner == 0 {
        return (next_caller(candidates & columns_bits), unfinished_columns());
    }
    let awake = not_yielding(candidates);
    let helpers = awake & !columns_bits;
    let candidates = if awake & owner != 0 || helpers == 0 {
        candidates & owner
    } else if helpers & bit(current) != 0 {
        bit(current)
    } else {
        bit(next_in_circle(current, helpers))
    };
    (candidates, owner)
}

/// The columns that may make the next call of a serial execution, of these: all, or that which comes next in a given order.
fn next_caller(columns: ThreadSet) -> ThreadSet {
    let shared = shared();
    if shared.policy.get() != policy::CALLS_IN_ORDER || CALLS_ORDERED.get() >= shared.schedule_len.get() {
        return columns;
    }
    let ordered = CALLS_ORDERED.get();
    let next = slot(&shared.schedule, ordered as usize).get() as u8;
    CALLS_ORDERED.set(ordered + 1);
    if columns & bit(next) == 0 {
        end(ending::DIVERGED, bit(next));
    }
    bit(next)
}
