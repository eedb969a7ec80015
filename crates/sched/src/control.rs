//! What the workers of an exploration share: counts, limits and the visitor.

use crate::limits::StopConditions;
use crate::{Execution, ExploreOptions, SchedError, StopReason};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// Called with one execution at a time.
pub(crate) type Visit<'a> = &'a mut (dyn FnMut(&Execution) -> ControlFlow<()> + Send);

/// Decides when an exploration stops, and why.
pub(crate) struct Control<'a> {
    visit: Mutex<Visit<'a>>,
    state: Mutex<State>,
    executions_max: u64,
    stop: StopConditions,
}

struct State {
    begun: u64,
    stopped: Option<StopReason>,
    failed: Option<SchedError>,
    /// When memory is checked next.
    next_memory_check: Instant,
}

impl<'a> Control<'a> {
    pub(crate) fn new(options: &ExploreOptions, visit: Visit<'a>) -> Self {
        Self {
            visit: Mutex::new(visit),
            state: Mutex::new(State {
                begun: 0,
                stopped: None,
                failed: None,
                next_memory_check: Instant::now(),
            }),
            executions_max: options.executions_max,
            stop: options.stop,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The number of the next execution; none if the exploration stops.
    pub(crate) fn begin(&self) -> Option<u64> {
        let mut state = self.state();
        if state.is_stopped() {
            return None;
        }
        state.stopped = if state.begun >= self.executions_max {
            Some(StopReason::ExecutionLimit)
        } else {
            self.reached(&mut state)
        };
        if state.stopped.is_some() {
            return None;
        }
        state.begun += 1;
        Some(state.begun - 1)
    }

    fn reached(&self, state: &mut State) -> Option<StopReason> {
        if self.stop.memory_bytes_max.is_none() || Instant::now() < state.next_memory_check {
            return self.stop.reached_without_memory();
        }
        state.next_memory_check = Instant::now() + StopConditions::INTERVAL;
        self.stop.reached()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state().is_stopped()
    }

    /// Shows an execution to the visitor.
    pub(crate) fn show(&self, execution: &Execution) {
        let mut visit = self.visit.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.is_stopped() {
            return;
        }
        if visit(execution).is_break() {
            self.state().stopped.get_or_insert(StopReason::Visitor);
        }
    }

    /// Ends the exploration, with an error unless a stop condition ended the run.
    pub(crate) fn fail(&self, error: SchedError) {
        let mut state = self.state();
        match error {
            SchedError::Stopped(reason) => _ = state.stopped.get_or_insert(reason),
            error => _ = state.failed.get_or_insert(error),
        }
    }

    /// Why the exploration stopped, and the number of executions that were begun.
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

impl State {
    fn is_stopped(&self) -> bool {
        self.stopped.is_some() || self.failed.is_some()
    }
}
