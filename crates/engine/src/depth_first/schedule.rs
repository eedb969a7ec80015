//! The schedule of a depth-first search: calls and returns in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use omnilink_trace::Time;

use crate::mask::{Mask, WideMask};
use crate::op_table::{OpRef, OpTable};
use crate::sweep::Sweep;

/// A call or a return, with the slot that the operation occupies in between.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Call(OpRef, u32),
    Return(OpRef, u32),
}

/// The calls and returns to come, with slots assigned.
#[derive(Debug)]
pub(crate) struct Schedule {
    pub(super) events: Vec<Event>,
    /// The number of slots that are needed.
    pub width: usize,
}

impl Schedule {
    /// Merges the returns of the operations open in `sweep` with the calls and returns of `backlog`, which is in order
    /// of start.
    pub fn new<K: Mask>(sweep: &Sweep<K>, backlog: impl Iterator<Item = OpRef>, op_table: &OpTable) -> Self {
        let (mut schedule, returns) = Self::until_last_call(sweep, backlog, op_table);
        let returns = returns.into_sorted_vec().into_iter().rev();
        schedule
            .events
            .extend(returns.map(|Reverse((_, _, slot, op))| Event::Return(op, slot)));
        schedule
    }

    /// The same up to the last call, for a history of which more is to come; and the returns after that call.
    pub fn until_last_call<K: Mask>(
        sweep: &Sweep<K>,
        backlog: impl Iterator<Item = OpRef>,
        op_table: &OpTable,
    ) -> (Self, BinaryHeap<Reverse<LaterReturn>>) {
        let mut events = Vec::new();
        let mut width = sweep.ops.open.slots().last().map_or(0, |slot| slot + 1);
        let mut returns: BinaryHeap<Reverse<LaterReturn>> = sweep
            .pending_returns()
            .into_iter()
            .map(|(end, id, slot)| Reverse((end, id, slot, sweep.ops.slot(slot as usize).op)))
            .collect();
        let mut occupied = WideMask::default();
        sweep.ops.open.slots().for_each(|slot| occupied.insert(slot));
        if let Some(slot) = sweep.returning {
            events.push(Event::Return(sweep.ops.slot(slot).op, slot as u32));
            occupied.remove(slot);
        }
        for op in backlog {
            let record = op_table.get(op);
            while let Some(Reverse((end, _, slot, returning))) = returns.peek().copied()
                && end < record.start
            {
                returns.pop();
                events.push(Event::Return(returning, slot));
                occupied.remove(slot as usize);
            }
            let slot = occupied.first_absent();
            occupied.insert(slot);
            width = width.max(slot + 1);
            events.push(Event::Call(op, slot as u32));
            if !record.is_pending() {
                returns.push(Reverse((record.end, record.id, slot as u32, op)));
            }
        }
        (Self { events, width }, returns)
    }
}

/// A return, as `(end, id, slot, operation)`.
pub(crate) type LaterReturn = (Time, u64, u32, OpRef);
