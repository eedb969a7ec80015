//! A step as the runtime records it.

use omnilink_sched_runtime::layout::{NO_THREAD, StepRecord, flag};
use omnilink_sched_runtime::store_history::NO_STEP;

use crate::{AccessOrder, SchedulerStep, StepAccess, StepValues};

/// The step of a record.
pub(crate) fn step(record: &StepRecord) -> SchedulerStep {
    let has = |bit| record.flags & bit != 0;
    SchedulerStep {
        current: (record.current != NO_THREAD).then_some(record.current),
        chosen: record.chosen,
        candidates: record.candidates,
        yielded: record.yielded,
        goes_on: has(flag::GOES_ON),
        preemptible: has(flag::PREEMPTIBLE),
        yielding: has(flag::YIELDING),
        between_calls: has(flag::BETWEEN_CALLS),
        calls: has(flag::CALLS),
        returns: has(flag::RETURNS),
        access: StepAccess {
            address: record.address,
            second: record.second,
            writes: has(flag::WRITES),
            opaque: has(flag::OPAQUE),
        },
        current_code: record.current_code,
        chosen_code: record.chosen_code,
        stores: record.stores,
        store: record.store,
        values: values(record),
    }
}

fn values(record: &StepRecord) -> StepValues {
    let step = |step: u32| (step != NO_STEP).then_some(step);
    StepValues {
        read: (record.flags & flag::HAS_READ != 0).then_some(record.read),
        written: (record.flags & flag::HAS_WRITTEN != 0).then_some(record.written),
        read_step: step(record.read_step),
        newest: (record.store > 0).then(|| (record.newest, step(record.newest_step))),
        fails_spuriously: record.flags & flag::FAILS != 0,
        order: match record.order {
            1 => Some(AccessOrder::Relaxed),
            2 | 3 => Some(AccessOrder::Acquire),
            4 => Some(AccessOrder::Release),
            5 => Some(AccessOrder::AcquireRelease),
            6 => Some(AccessOrder::SeqCst),
            _ => None,
        },
    }
}
