//! Lanes: which operations in steps may be open at the same time.
//!
//! A state says which operations in steps are done, so that no step of one follows its last. It need not say so of operations that have
//! returned: nothing of them comes later. So each open operation has a *lane*, and a state keeps the last operation of each lane that is
//! done. A lane is free for another operation once the operation before it has certainly ended. An operation of a thread whose calls do
//! not overlap always takes the first lane of its thread; where threads are only labels (`--async`), there are several.

use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;

use crate::mutant::{Mutant, mutated};

/// The lanes of each thread.
#[derive(Debug, Default)]
pub(crate) struct StepLanes {
    /// For each thread, when the last operation of each lane ends; `None`: never.
    ends: FxHashMap<u64, Vec<Option<Time>>>,
    last_start: Time,
}

impl StepLanes {
    /// The lane of the next operation of a thread. Operations come in order of start; a trace that is read again starts over.
    pub(crate) fn next(&mut self, thread: u64, timebox: Timebox) -> u64 {
        if timebox.start < self.last_start {
            self.ends.clear();
        }
        self.last_start = timebox.start;
        let lanes = self.ends.entry(thread).or_default();
        let is_free = |end: &Option<Time>| end.is_some_and(|end| end < timebox.start);
        let lane = match lanes.iter().position(is_free) {
            _ if mutated(Mutant::OneLane) && !lanes.is_empty() => 0,
            Some(free) => free,
            None => {
                lanes.push(None);
                lanes.len() - 1
            }
        };
        lanes[lane] = timebox.end;
        thread.wrapping_add((lane as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_that_may_overlap_have_different_lanes() {
        let mut lanes = StepLanes::default();
        let mut lane = |start: Time, end: Option<Time>| lanes.next(7, Timebox { start, end });
        let first = lane(0, Some(5));
        let second = lane(3, None);
        assert_ne!(first, second);
        // It may take effect at the moment at which the first one ends.
        let third = lane(5, Some(8));
        assert!(third != first && third != second);
        assert_eq!(lane(6, Some(9)), first);
        // The trace is read again.
        assert_eq!(lane(0, Some(5)), first);
    }
}
