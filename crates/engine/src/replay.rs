//! The replay of a witness through the model, independent of the search that found it.
//!
//! The search works with ids, masks and memoized steps. A bug in any of them must not become a wrong `valid`. So every
//! settled operation is stepped once more through the model itself, and checked against real time.

use omnilink_evidence::Placement;
use omnilink_trace::Time;
use rustc_hash::FxHashMap;

use crate::erased_model::{ErasedModel, ReplayId, ReplaySteps};
use crate::op_table::OpRecord;

/// The replay of one witness, operation by operation.
#[derive(Debug)]
pub(crate) struct Replay {
    pub id: ReplayId,
    steps: ReplaySteps,
    /// The latest start so far: the earliest time at which the next operation can take effect.
    pub now: Time,
    /// Per thread, the placed operation that started last.
    latest: FxHashMap<u32, OpRecord>,
    /// The number of mandatory operations placed.
    pub mandatory: u64,
    /// The number of operations placed.
    pub placed: u64,
}

impl Replay {
    pub fn new(id: ReplayId, steps: ReplaySteps) -> Self {
        Self {
            id,
            steps,
            now: Time::MIN,
            latest: FxHashMap::default(),
            mandatory: 0,
            placed: 0,
        }
    }

    /// Places one more operation, or returns the reason why it cannot be placed.
    ///
    /// The order respects real time if and only if there are points, one in each timebox, that never decrease. The running
    /// maximum of the starts is the least such sequence, so it suffices that no end lies before it. The order of a thread
    /// can be violated only if this operation ends now and one that starts now is placed already.
    pub fn place(&mut self, record: &OpRecord, model: &mut dyn ErasedModel) -> Result<Placement, String> {
        self.now = self.now.max(record.start);
        if record.end < self.now {
            return Err(format!(
                "operation {} had ended at {} before {}",
                record.id, record.end, self.now
            ));
        }
        if record.in_order {
            let latest = self.latest.entry(record.thread).or_insert(*record);
            if record.is_tied_before(latest) {
                return Err(format!(
                    "operation {} comes after {}, which its thread called later",
                    record.id, latest.id
                ));
            }
            if (latest.start, latest.id) < (record.start, record.id) {
                *latest = *record;
            }
        }
        if !model.replay(self.id, record.class, self.steps) {
            return Err(format!("the model refuses operation {}", record.id));
        }
        self.placed += 1;
        self.mandatory += u64::from(!record.optional);
        Ok(Placement {
            op: record.id,
            at: self.now,
        })
    }
}

#[cfg(test)]
mod tests {
    use omnilink_trace::Time;

    use super::Replay;
    use crate::erased_model::{ErasedModel, ReplaySteps};
    use crate::interned_model::InternedModel;
    use crate::op_table::{Followed, OpRecord};
    use crate::partition::Partitioning;
    use crate::test_models::{Register, RegisterOp};

    /// Whether writes with these threads and timeboxes replay in this order of positions.
    fn replays(boxes: &[(u32, Time, Time)], order: &[usize]) -> bool {
        let budget = crate::budget::Budget::new(crate::options::Limits::default());
        let mut source = InternedModel::new(&Register, &budget, Partitioning::Whole);
        let initial = source.state_id([0, 0]);
        let class = source.class_id(RegisterOp::Write(0, 1));
        let mut replay = Replay::new(source.start_replay(&[initial]), ReplaySteps::OfSearch);
        order.iter().all(|&position| {
            let (thread, start, end) = boxes[position];
            let record = OpRecord {
                id: position as u64,
                class,
                thread,
                start,
                end,
                optional: false,
                in_order: true,
                followed: Followed::Unknown,
            };
            replay.place(&record, &mut source).is_ok()
        })
    }

    #[test]
    fn operations_that_touch_keep_only_the_order_of_their_thread() {
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
        // An operation that was placed in between does not hide the later one.
        assert!(!replays(&[(0, 0, 5), (0, 5, 5), (0, 5, 7)], &[0, 2, 1]));
    }
}
