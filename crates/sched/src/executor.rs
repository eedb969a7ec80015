//! Running one program once.

use crate::limits::StopConditions;
use crate::{Execution, SchedError, Schedule, TestProgram, ThreadId};

/// Something that can run a program under given options.
///
/// The explorer relies on two properties. The same program and options give the same execution. And where the policy leaves the
/// choice open, the executor goes on with the current thread if it is a candidate, else with the first candidate after it in
/// circular order of thread ids.
pub trait Executor: Send {
    /// Runs the program once.
    ///
    /// # Errors
    /// When the program cannot be run, or [`SchedError::Stopped`] when a stop condition ended the run.
    fn run(&mut self, program: &TestProgram, options: &RunOptions) -> Result<Execution, SchedError>;

    /// Begins to run the program, and waits until the execution stops before a step, for a debugger. Returns its process; `None` if the
    /// execution ends before that, or this executor cannot stop one. It must be [finished](Executor::finish_stopped) before the next run.
    ///
    /// # Errors
    /// As [`run`](Executor::run).
    fn stop_before(
        &mut self,
        _program: &TestProgram,
        _options: &RunOptions,
        _step: usize,
    ) -> Result<Option<u32>, SchedError> {
        Ok(None)
    }

    /// The calls of all executions into each of the [counted libraries](crate::HarnessOptions::counted_libraries). None where calls are not counted.
    fn library_calls(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Ends an execution that was stopped.
    fn finish_stopped(&mut self) {}
}

/// How one execution is scheduled.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// How the next thread is chosen.
    pub policy: SchedulingPolicy,
    /// No switch inside a call: the running thread changes only between calls, and a call that blocks ends the execution as
    /// stuck.
    pub serial: bool,
    /// Which accesses are scheduling points.
    pub scheduling_points: SchedulingPoints,
    /// Which stores a load may read.
    pub memory_model: MemoryModel,
    /// Whether data races are detected.
    pub detects_races: bool,
    /// Whether memory must not leak.
    pub detects_leaks: bool,
    /// Whether the execution has a process of its own. Otherwise it may be one of many in a process whose memory is restored after each.
    pub isolated: bool,
    /// Code addresses of plain accesses that are scheduling points too.
    pub racy_accesses: Vec<u64>,
    /// After this number of steps the execution ends with [`Ending::StepLimit`](crate::Ending::StepLimit).
    pub steps_max: u64,
    /// The seed of the component's environment: time, random numbers, hash keys and addresses depend on it.
    pub environment: u64,
    /// What ends the run from outside.
    pub stop: StopConditions,
}

/// How the next thread is chosen at each step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchedulingPolicy {
    /// First follows this schedule, then runs without preemptions.
    Follow(Schedule),
    /// Makes the calls of the columns one after the other, in this order of their columns: a serial execution.
    CallsInOrder(Vec<ThreadId>),
    /// Any candidate, with equal probability.
    Random {
        /// Equal seeds give equal executions.
        seed: u64,
    },
    /// Threads have random priorities and the highest runs; at `changes` random steps among the first `steps` the running
    /// thread gets the lowest priority. A bug that needs `changes` preemptions at given steps is found with a probability of at
    /// least 1 / (threads × steps^changes) (PCT: Burckhardt et al., ASPLOS 2010).
    Priorities {
        /// Equal seeds give equal executions.
        seed: u64,
        /// The number of priority changes.
        changes: u32,
        /// The expected number of steps.
        steps: u64,
    },
    /// Each step has a random priority and the highest comes first; steps that depend on it get new ones (POS: Yuan, Yang and Gu, CAV 2018).
    PartialOrders {
        /// Equal seeds give equal executions.
        seed: u64,
    },
}

/// Which accesses of the component are scheduling points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchedulingPoints {
    /// Atomic accesses, locks and other system calls: enough for code without data races.
    #[default]
    Atomic,
    /// Plain accesses too.
    All,
}

/// Which stores an atomic load may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryModel {
    /// The newest one.
    #[default]
    SequentiallyConsistent,
    /// Each that the memory orders of C++20 allow, in some order of execution: see
    /// [`store_history`](omnilink_sched_runtime::store_history) for what that leaves out. Serial executions are sequentially
    /// consistent.
    Cpp20 {
        /// How many accesses of an execution may read a store other than the newest, or place theirs before a newer one.
        stale_max: u32,
    },
}

impl MemoryModel {
    /// The most choices of an execution other than the first one: stale reads, wake-ups without a reason, other waiters woken first.
    pub fn choices_max(self) -> u32 {
        match self {
            Self::SequentiallyConsistent => 1,
            Self::Cpp20 { stale_max } => stale_max,
        }
    }

    /// The most stale reads of an execution.
    pub fn stale_max(self) -> u32 {
        match self {
            Self::SequentiallyConsistent => 0,
            Self::Cpp20 { stale_max } => stale_max,
        }
    }
}

impl RunOptions {
    /// More steps than a call of a small test needs, and few enough that an endless execution ends soon.
    pub const STEPS_MAX_DEFAULT: u64 = 20_000;

    /// Follows a schedule and then runs without preemptions.
    pub fn follow(schedule: Schedule) -> Self {
        Self {
            policy: SchedulingPolicy::Follow(schedule),
            serial: false,
            scheduling_points: SchedulingPoints::Atomic,
            memory_model: MemoryModel::default(),
            detects_races: false,
            detects_leaks: false,
            isolated: false,
            racy_accesses: Vec::new(),
            steps_max: Self::STEPS_MAX_DEFAULT,
            environment: 0,
            stop: StopConditions::default(),
        }
    }
}
