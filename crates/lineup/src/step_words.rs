//! The atomic accesses of a run in words.

use omnilink_sched::{Execution, HarnessEventKind};

use crate::execution::RunAccess;
use crate::matrix::Matrix;
use crate::translation::lane_of;

/// The accesses of an execution, without source lines.
pub(crate) fn accesses_of(execution: &Execution, matrix: &Matrix) -> Vec<RunAccess> {
    let steps = execution.steps.iter().enumerate();
    steps
        .filter_map(|(number, step)| {
            Some(RunAccess {
                after_events: events_before(execution, number),
                step: number,
                lane: lane_of(matrix, step.chosen),
                what: step.access_words()?,
                is_stale: step.is_stale(),
                code: step.chosen_code,
                source_line: None,
                name: None,
            })
        })
        .collect()
}

/// The number of events before the access of a step: a call that begins in the step comes before it, a return after it.
fn events_before(execution: &Execution, step: usize) -> usize {
    let earlier = execution
        .events
        .partition_point(|event| event.step <= step as u64);
    let calls = execution
        .events
        .get(earlier)
        .is_some_and(|event| event.step == step as u64 + 1 && event.kind == HarnessEventKind::Call);
    earlier + usize::from(calls)
}
