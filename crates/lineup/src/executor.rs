//! What runs a component: the only thing that this crate wants to know about schedulers.
//!
//! The instrumented engine, shuttle, native threads and the step machines of the tests all look like this from here, so
//! that enumeration, checking and shrinking are written (and tested) once.

use std::ops::ControlFlow;
use std::time::Duration;

use omnilink_sched::Schedule;
use thiserror::Error;

use crate::execution::MatrixRun;
use crate::matrix::Matrix;
use crate::scope::Scope;

/// Which runs of a matrix to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPlan {
    /// All runs in which calls follow each other: a thread is never interrupted inside a call, and a call that cannot
    /// go on ends the run.
    Serial {
        /// What the component takes from its surroundings (random numbers, hash seeds, time) is derived from this.
        environment: u64,
    },
    /// All runs in which a thread is interrupted, although it could have gone on, at most so many times; those with
    /// fewer interruptions first.
    Bounded {
        /// The bound.
        preemptions: u32,
    },
    /// So many runs in which each step is given to a random thread.
    Random {
        /// Equal seeds give equal runs.
        seed: u64,
        /// How many.
        executions: u64,
    },
    /// So many runs with random priorities that change at `depth` random steps: finds every bug that needs `depth`
    /// ordering constraints with a known probability.
    Pct {
        /// Equal seeds give equal runs.
        seed: u64,
        /// How many.
        executions: u64,
        /// How many constraints.
        depth: u32,
    },
}

/// How far an exploration may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Runs.
    pub executions: u64,
    /// Time.
    pub time: Option<Duration>,
}

impl Allowance {
    /// As far as it takes.
    pub const UNLIMITED: Self = Self {
        executions: u64::MAX,
        time: None,
    };
}

/// How far an exploration went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Whether every run of the plan was tried. Never true of an exploration that was stopped.
    pub is_complete: bool,
    /// All runs with at most so many interruptions were tried, where the plan is to try them by their number.
    pub bound_completed: Option<u32>,
    /// Runs that were made but not shown, because another run shows the same.
    pub redundant: u64,
}

/// Why runs cannot be made.
#[derive(Debug, Error)]
pub enum ExecutorError {
    /// What runs the component failed.
    #[error("the component cannot be run: {0}")]
    Failed(String),
    /// Not every executor can do everything.
    #[error("{executor} cannot do this: {what}")]
    Unsupported {
        /// Which one.
        executor: &'static str,
        /// What was asked of it.
        what: &'static str,
    },
}

/// Is shown each run, and says whether it has seen enough. One at a time, from whichever thread.
pub type Visit<'a> = &'a mut (dyn FnMut(MatrixRun) -> ControlFlow<()> + Send);

/// Runs a component.
pub trait MatrixExecutor {
    /// Makes the runs of `plan` and shows each to `visit`, in any order, until there are no more, the allowance is used up,
    /// or `visit` has seen enough.
    ///
    /// # Errors
    /// When runs cannot be made at all. A run that crashes or gets stuck is a run.
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<Coverage, ExecutorError>;

    /// Makes the run of a schedule again, with switches at these plain accesses and no others.
    ///
    /// # Errors
    /// When it cannot be made.
    fn replay(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        places: &[u64],
    ) -> Result<MatrixRun, ExecutorError>;

    /// From now on switches threads at these plain accesses too. Tells whether any of them is new.
    fn switch_at(&mut self, _places: &[u64]) -> bool {
        false
    }

    /// The plain accesses at which it switches threads.
    fn switched(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Looks up where in the source things happened.
    fn locate(&mut self, _execution: &mut MatrixRun) {}

    /// What it sees of the component, where that is not everything.
    fn scope(&self) -> Option<Scope> {
        None
    }

    /// Whether it decides which thread runs. If not, concurrent runs are samples: [`RunPlan::Random`] is the only plan for
    /// them, seeds and schedules do not repeat anything.
    fn decides(&self) -> bool {
        true
    }
}
