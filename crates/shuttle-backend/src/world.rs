//! What is known about the execution that is being made.

use crate::choose::Chooser;
use crate::fairness::Fairness;
use omnilink_sched::{
    Ending, Event, EventKind, Execution, Plan, Program, Step, Stuck, StuckReason, ThreadId,
};
use std::sync::{Arc, Mutex, MutexGuard};

/// Shared by the scheduler and the tasks, which run one at a time on one thread.
pub(crate) type WorldRef = Arc<Mutex<World>>;

/// Nobody panics while holding it, and if, what it says is still true.
pub(crate) fn lock(world: &WorldRef) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Only the main task runs.
    Alone,
    /// The columns run.
    Columns,
    /// The execution is given up.
    Over,
}

pub(crate) struct World {
    pub(crate) phase: Phase,
    pub(crate) columns: ThreadId,
    pub(crate) serial: bool,
    pub(crate) steps_max: u64,
    pub(crate) chooser: Chooser,
    pub(crate) fairness: Fairness,
    pub(crate) steps: Vec<Step>,
    pub(crate) ending: Option<Ending>,
    events: Vec<Event>,
    /// Columns that have made all their calls, that are inside one, and that are between two.
    pub(crate) finished: u32,
    pub(crate) inside: u32,
    boundary: u32,
    /// Columns whose call has begun in their present step.
    fresh: u32,
    /// The step that each thread is in.
    step_of: [usize; 32],
}

fn bit(thread: ThreadId) -> u32 {
    1_u32.checked_shl(thread.into()).unwrap_or(0)
}

impl World {
    pub(crate) fn new(program: &Program, plan: &Plan) -> Self {
        Self {
            phase: Phase::Alone,
            columns: program.main_thread(),
            serial: plan.serial,
            steps_max: plan.steps_max,
            chooser: Chooser::new(&plan.choices),
            fairness: Fairness::new(),
            steps: Vec::new(),
            ending: None,
            events: Vec::new(),
            finished: 0,
            inside: 0,
            boundary: 0,
            fresh: 0,
            step_of: [usize::MAX; 32],
        }
    }

    pub(crate) fn all_columns(&self) -> u32 {
        bit(self.columns) - 1
    }

    pub(crate) fn at_boundary(&mut self, thread: ThreadId) {
        self.boundary |= bit(thread);
    }

    /// Whether a thread is between two calls, which it then no longer is.
    pub(crate) fn leaves_boundary(&mut self, thread: ThreadId) -> bool {
        let was = self.boundary & bit(thread) != 0;
        self.boundary &= !bit(thread);
        was
    }

    /// Whether the first access of a call comes now, which belongs to the step that began it.
    pub(crate) fn is_first_access(&mut self, thread: ThreadId) -> bool {
        let was = self.fresh & bit(thread) != 0;
        self.fresh &= !bit(thread);
        was
    }

    pub(crate) fn record(&mut self, step: Step) {
        if let Some(place) = self.step_of.get_mut(usize::from(step.chosen)) {
            *place = self.steps.len();
        }
        self.steps.push(step);
    }

    fn step_of(&mut self, thread: ThreadId) -> Option<&mut Step> {
        let index = *self.step_of.get(usize::from(thread))?;
        self.steps.get_mut(index)
    }

    pub(crate) fn begin_call(&mut self, thread: ThreadId, position: u32, op: u32) {
        self.event(thread, position, op, EventKind::Call);
        if thread < self.columns {
            self.inside |= bit(thread);
            self.fresh |= bit(thread);
            if let Some(step) = self.step_of(thread) {
                step.calls = true;
            }
        }
    }

    pub(crate) fn end_call(&mut self, thread: ThreadId, position: u32, op: u32, result: String) {
        self.event(thread, position, op, EventKind::Return(result));
        if thread < self.columns {
            self.inside &= !bit(thread);
            self.fresh &= !bit(thread);
            if let Some(step) = self.step_of(thread) {
                step.returns = true;
            }
        }
    }

    fn event(&mut self, thread: ThreadId, position: u32, op: u32, kind: EventKind) {
        self.events.push(Event {
            thread,
            position,
            op,
            step: self.steps.len() as u64,
            kind,
        });
    }

    pub(crate) fn finish(&mut self, thread: ThreadId) {
        self.finished |= bit(thread);
    }

    /// Called by the main task when no other can run; true if some column has not finished.
    pub(crate) fn is_stuck(&mut self) -> bool {
        let unfinished = self.all_columns() & !self.finished;
        self.phase = Phase::Alone;
        if unfinished != 0 {
            self.give_up(unfinished);
        }
        unfinished != 0
    }

    /// These columns can never go on.
    pub(crate) fn give_up(&mut self, stuck: u32) {
        let threads = (0..self.columns)
            .filter(|&thread| stuck & bit(thread) != 0)
            .collect();
        self.end(Ending::Stuck(Stuck {
            reason: StuckReason::Deadlock,
            threads,
        }));
    }

    pub(crate) fn end(&mut self, ending: Ending) {
        self.phase = Phase::Over;
        self.ending.get_or_insert(ending);
    }

    pub(crate) fn finish_all(&mut self) {
        self.ending.get_or_insert(Ending::Finished);
    }

    /// A panic came out of the component's own tasks.
    pub(crate) fn crash(&mut self) {
        let thread = self.steps.last().map_or(self.columns, |step| step.chosen);
        self.ending.get_or_insert(Ending::Crashed {
            thread,
            signal: None,
            exit_code: None,
        });
    }

    pub(crate) fn take_execution(&mut self) -> Execution {
        let steps = std::mem::take(&mut self.steps);
        Execution {
            events: std::mem::take(&mut self.events),
            ending: self.ending.take().unwrap_or(Ending::StepLimit),
            races: Vec::new(),
            steps_made: steps.len() as u64,
            steps,
        }
    }
}
