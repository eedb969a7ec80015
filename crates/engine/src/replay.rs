//! Replays a witness through the model, apart from the search that found it.
//!
//! The search works with numbers, masks and remembered steps; a mistake in any of them must not become a wrong `valid`.
//! So every settled operation is stepped once more through the model itself, and checked against real time.

use omnilink_evidence::Placement;
use omnilink_trace::Time;
use rustc_hash::FxHashMap;

use crate::ledger::Entry;
use crate::space::Source;

/// Which of a source's replays; see [`Source::start_replay`].
pub(crate) type ReplayId = u32;

/// A witness in the making.
#[derive(Debug)]
pub(crate) struct Replay {
    pub id: ReplayId,
    /// The latest start so far: the earliest moment at which the next operation can take effect.
    now: Time,
    /// Of each thread, the last of the operations placed that start now, or that started last.
    latest: FxHashMap<u32, Entry>,
    /// Operations placed that had to be placed.
    pub mandatory: u64,
    /// Operations placed.
    pub placed: u64,
}

impl Replay {
    pub fn new(id: ReplayId) -> Self {
        Self {
            id,
            now: Time::MIN,
            latest: FxHashMap::default(),
            mandatory: 0,
            placed: 0,
        }
    }

    /// Places one more operation, or says why it cannot be placed.
    ///
    /// Real time is respected if and only if there are points, one in each timebox, that never decrease: the running
    /// maximum of the starts is the least such sequence, so it suffices that no end lies before it. The order of a thread
    /// can only be broken where this one ends now and one that starts now is placed already.
    pub fn place(&mut self, entry: &Entry, source: &mut dyn Source) -> Result<Placement, String> {
        self.now = self.now.max(entry.start);
        if entry.end < self.now {
            return Err(format!(
                "operation {} had ended at {} before {}",
                entry.id, entry.end, self.now
            ));
        }
        if entry.in_order {
            let latest = self.latest.entry(entry.thread).or_insert(*entry);
            if entry.is_tied_before(latest) {
                return Err(format!(
                    "operation {} comes after {}, which its thread called later",
                    entry.id, latest.id
                ));
            }
            if (latest.start, latest.id) < (entry.start, entry.id) {
                *latest = *entry;
            }
        }
        if !source.replay(self.id, entry.class) {
            return Err(format!("the model refuses operation {}", entry.id));
        }
        self.placed += 1;
        self.mandatory += u64::from(!entry.optional);
        Ok(Placement {
            op: entry.id,
            at: self.now,
        })
    }
}

#[cfg(test)]
mod tests {
    use omnilink_trace::Time;

    use super::Replay;
    use crate::interned::Interned;
    use crate::ledger::{Entry, Followed};
    use crate::partition::Partitioning;
    use crate::space::Source;
    use crate::toys::{Register, RegisterOp};

    /// Whether writes with these threads and timeboxes, given by position, may come in this order.
    fn replays(boxes: &[(u32, Time, Time)], order: &[usize]) -> bool {
        let meter = crate::meter::Meter::new(crate::options::Limits::default());
        let mut source = Interned::new(&Register, &meter, Partitioning::Whole);
        let initial = source.state_id([0, 0]);
        let class = source.class_id(RegisterOp::Write(0, 1));
        let mut replay = Replay::new(source.start_replay(&[initial]));
        order.iter().all(|&position| {
            let (thread, start, end) = boxes[position];
            let entry = Entry {
                id: position as u64,
                class,
                thread,
                start,
                end,
                optional: false,
                in_order: true,
                followed: Followed::Unknown,
            };
            replay.place(&entry, &mut source).is_ok()
        })
    }

    #[test]
    fn operations_that_touch_keep_the_order_of_their_thread_only() {
        assert!(replays(&[(0, 0, 5), (0, 5, 6)], &[0, 1]));
        assert!(!replays(&[(0, 0, 5), (0, 5, 6)], &[1, 0]));
        assert!(replays(&[(0, 0, 5), (1, 5, 6)], &[1, 0]));
    }

    #[test]
    fn operations_that_take_no_time_keep_the_order_in_which_they_are_given() {
        let instant = [(0, 5, 5), (0, 5, 5), (0, 5, 5), (1, 5, 5)];
        assert!(replays(&instant, &[0, 3, 1, 2]));
        assert!(!replays(&instant, &[1, 3, 0, 2]));
        assert!(!replays(&instant, &[0, 2, 3, 1]));
        // One that was placed in between does not hide the later one.
        assert!(!replays(&[(0, 0, 5), (0, 5, 5), (0, 5, 7)], &[0, 2, 1]));
    }
}
