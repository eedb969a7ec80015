//! What was seen of the steps of a component, in all concurrent runs.

use std::collections::BTreeSet;

use omnilink_sched::{Execution, HarnessEventKind};

/// What was seen so far.
#[derive(Debug, Default)]
pub(crate) struct SeenSteps {
    /// Whether a run had a relaxed load before a relaxed store.
    pub(crate) may_buffer_loads: bool,
    /// The calls that were made, by their numbers in the harness.
    made: BTreeSet<u32>,
    /// Those of them in which a step was seen: an atomic access, a lock, a wait, or a plain access that races.
    with_steps: BTreeSet<u32>,
}

impl SeenSteps {
    pub(crate) fn add(&mut self, execution: &Execution) {
        self.may_buffer_loads |= execution.may_buffer_loads;
        for (index, call) in execution.events.iter().enumerate() {
            if call.kind != HarnessEventKind::Call || self.with_steps.contains(&call.op) {
                continue;
            }
            let events = execution.events.iter().skip(index + 1);
            let mut of_thread = events.filter(|event| event.thread == call.thread);
            // The main thread makes its calls outside the schedule, and a call that never returned may have begun with a wait.
            let Some(returned) = of_thread.next() else {
                continue;
            };
            let steps = execution.steps.get(call.step as usize..=returned.step as usize);
            let Some(steps) = steps else { continue };
            self.made.insert(call.op);
            let is_seen =
                |step: &omnilink_sched::SchedulerStep| step.chosen == call.thread && step.access.address != 0;
            if steps.iter().any(is_seen) {
                self.with_steps.insert(call.op);
            }
        }
    }

    /// The calls that were made, and never had a step.
    pub(crate) fn calls_without_steps(&self) -> Vec<u32> {
        self.made.difference(&self.with_steps).copied().collect()
    }
}
