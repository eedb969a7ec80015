//! What the workers of an exploration share: counts, limits and the visitor.

use crate::{Execution, ExploreOptions, SchedError, StopReason};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

/// Calls the visitor, one execution at a time.
pub(crate) type Visit<'a> = &'a mut (dyn FnMut(&Execution) -> ControlFlow<()> + Send);

/// Why to stop, once there is a reason; limits on time and number.
pub(crate) struct Progress<'a> {
    visit: Mutex<Visit<'a>>,
    state: Mutex<State>,
    executions_max: u64,
    deadline: Option<Instant>,
}

struct State {
    begun: u64,
    stopped: Option<StopReason>,
    failed: Option<SchedError>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(options: &ExploreOptions, visit: Visit<'a>) -> Self {
        Self {
            visit: Mutex::new(visit),
            state: Mutex::new(State {
                begun: 0,
                stopped: None,
                failed: None,
            }),
            executions_max: options.executions_max,
            deadline: options
                .time_max
                .and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Asks for one more execution; none if there is a reason to stop.
    pub(crate) fn begin(&self) -> Option<u64> {
        let mut state = self.state();
        if state.stopped.is_some() || state.failed.is_some() {
            return None;
        }
        if state.begun >= self.executions_max {
            state.stopped = Some(StopReason::ExecutionLimit);
            return None;
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            state.stopped = Some(StopReason::TimeLimit);
            return None;
        }
        state.begun += 1;
        Some(state.begun - 1)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        let state = self.state();
        state.stopped.is_some() || state.failed.is_some()
    }

    pub(crate) fn show(&self, execution: &Execution) {
        let mut visit = self.visit.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.is_stopped() {
            return;
        }
        if visit(execution).is_break() {
            self.state().stopped.get_or_insert(StopReason::Visitor);
        }
    }

    pub(crate) fn fail(&self, error: SchedError) {
        self.state().failed.get_or_insert(error);
    }

    /// How it ended, and how many executions were begun.
    pub(crate) fn finish(self) -> Result<(StopReason, u64), SchedError> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        match state.failed {
            Some(error) => Err(error),
            None => Ok((state.stopped.unwrap_or(StopReason::Exhausted), state.begun)),
        }
    }
}
