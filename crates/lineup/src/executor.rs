//! The interface to whatever runs a component.
//!
//! The instrumented scheduler, native threads and the state machines of the tests implement it, so that enumeration, checking and
//! shrinking are written and tested once.

use std::ops::ControlFlow;

use omnilink_evidence::Limit;
use omnilink_sched::{Schedule, StopConditions};
use thiserror::Error;

use crate::execution::MatrixRun;
use crate::matrix::Matrix;
use crate::scope::Scope;

/// Which runs of a matrix to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPlan {
    /// All serial runs: no switches inside calls, and a call that cannot go on ends the run.
    Serial {
        /// The seed of the environment: random numbers, hash keys, time and addresses depend on it.
        environment: u64,
    },
    /// All runs up to a preemption bound, those with fewer preemptions first.
    Bounded {
        /// The bound.
        preemptions: u32,
    },
    /// Runs that choose a random thread at each step.
    Random {
        /// Equal seeds give equal runs.
        seed: u64,
        /// The number of runs.
        executions: u64,
    },
    /// Runs with random priorities that change at `depth` random steps (PCT): each finds a bug that needs `depth` ordering
    /// constraints with a known probability.
    Pct {
        /// Equal seeds give equal runs.
        seed: u64,
        /// The number of runs.
        executions: u64,
        /// The number of constraints.
        depth: u32,
    },
    /// Runs in which each step has a random priority, and those that depend on the step that was taken get new ones (POS).
    PartialOrders {
        /// Equal seeds give equal runs.
        seed: u64,
        /// The number of runs.
        executions: u64,
    },
}

/// The limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// The most runs.
    pub executions: u64,
    /// Limits on time and memory, and an interrupt.
    pub stop: StopConditions,
}

/// How far an exploration went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCoverage {
    /// Whether every run of the plan was made. Never true of an exploration that was stopped.
    pub is_complete: bool,
    /// The largest number of preemptions up to which all runs were made, for a bounded plan.
    pub bound_completed: Option<u32>,
    /// Runs that were made but not shown, because another run has the same history.
    pub redundant: u64,
    /// Runs that went another way than scheduled, for each number of preemptions of a bounded plan; else one number.
    pub diverged: Vec<u64>,
    /// The limit that ended it, if one of [`Allowance::stop`] did.
    pub limit: Option<Limit>,
}

/// Why runs cannot be made.
#[derive(Debug, Error)]
pub enum ExecutorError {
    /// The executor failed.
    #[error("the component cannot be run: {0}")]
    Failed(String),
    /// The executor does not support this.
    #[error("{executor} cannot do this: {what}")]
    Unsupported {
        /// The executor.
        executor: &'static str,
        /// What was requested.
        what: &'static str,
    },
}

/// Called with one run at a time, from any thread. `Break` ends the exploration.
pub type Visit<'a> = &'a mut (dyn FnMut(MatrixRun) -> ControlFlow<()> + Send);

/// Runs test matrices on a component.
pub trait MatrixExecutor {
    /// Makes the runs of `plan` and shows each to `visit`, in any order, until there are no more, a limit is reached, or `visit`
    /// breaks.
    ///
    /// # Errors
    /// When runs cannot be made at all. A run that crashes or gets stuck is not an error.
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<RunCoverage, ExecutorError>;

    /// Makes the run of a schedule again, with these plain accesses as scheduling points and no others.
    ///
    /// # Errors
    /// When it cannot be made.
    fn replay(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        racy_accesses: &[u64],
    ) -> Result<MatrixRun, ExecutorError>;

    /// Makes one serial run, by itself: in a process of its own, the calls of the threads in this order of their threads. `None` if
    /// it cannot do that.
    ///
    /// # Errors
    /// When it cannot be made.
    fn run_in_order(
        &mut self,
        _matrix: &Matrix,
        _threads: &[u8],
    ) -> Result<Option<MatrixRun>, ExecutorError> {
        Ok(None)
    }

    /// Makes the run of a schedule again up to a step, before which it waits for a debugger. Returns its process; `None` if there is no such step,
    /// or it cannot be done. It must be [finished](Self::finish_stopped) before the next run.
    ///
    /// # Errors
    /// When it cannot be made.
    fn stop_before(
        &mut self,
        _matrix: &Matrix,
        _schedule: &Schedule,
        _racy_accesses: &[u64],
        _step: usize,
    ) -> Result<Option<u32>, ExecutorError> {
        Ok(None)
    }

    /// Ends a run that was stopped.
    fn finish_stopped(&mut self) {}

    /// From now on, these plain accesses are scheduling points too. Returns whether any of them is new.
    fn add_racy_accesses(&mut self, _accesses: &[u64]) -> bool {
        false
    }

    /// The plain accesses that are scheduling points.
    fn racy_accesses(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Looks up source lines.
    fn locate(&mut self, _execution: &mut MatrixRun) {}

    /// What it sees of the component, if that is not everything.
    fn scope(&self) -> Option<Scope> {
        None
    }

    /// Whether it controls which thread runs. If not, concurrent runs are samples: [`RunPlan::Random`] is the only plan for them,
    /// and neither seeds nor schedules repeat a run.
    fn controls_threads(&self) -> bool {
        true
    }
}
