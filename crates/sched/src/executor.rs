//! Running one program once.

use crate::{Execution, SchedError, Schedule, TestProgram};

/// Something that can run a program under a plan.
///
/// The explorer relies on two promises. The same program and plan give the same execution. And where a plan
/// leaves the decision open, the executor goes on with the current thread if that is a candidate, else with
/// the first candidate after it in circular order of thread ids.
pub trait Executor: Send {
    /// Runs the program once.
    fn run(&mut self, program: &TestProgram, plan: &RunOptions) -> Result<Execution, SchedError>;
}

/// How one execution is to be scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOptions {
    /// Who decides.
    pub choices: SchedulingPolicy,
    /// No switch inside a call: the current thread changes only between its calls, and a call that blocks
    /// ends the execution as stuck.
    pub serial: bool,
    /// Which accesses are decisions.
    pub accesses: SchedulingPoints,
    /// Whether data races are looked for.
    pub races: bool,
    /// Plain accesses at these places are decisions too.
    pub places: Vec<u64>,
    /// After so many steps the execution ends with [`Ending::StepLimit`](crate::Ending::StepLimit).
    pub steps_max: u64,
    /// What the component finds around it (time, random numbers, hash keys, addresses) is derived from this.
    pub environment: u64,
}

/// Who decides at each step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchedulingPolicy {
    /// First this schedule, then without preemption.
    Follow(Schedule),
    /// Any candidate, with equal probability.
    Random {
        /// Two runs with the same seed are the same.
        seed: u64,
    },
    /// Threads have random priorities and the highest runs; at `changes` random places among the first
    /// `steps` steps the running thread falls below all others. A bug that needs `changes` preemptions at
    /// given places is hit with probability of at least 1 / (threads × steps^changes).
    Priorities {
        /// Two runs with the same seed are the same.
        seed: u64,
        /// How many times a running thread loses its priority.
        changes: u32,
        /// How long the execution is thought to be.
        steps: u64,
    },
}

/// Which accesses of the component are decisions of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchedulingPoints {
    /// Atomic accesses, locks and other system calls: enough for code without data races.
    #[default]
    Atomic,
    /// Plain accesses too.
    All,
}

impl RunOptions {
    /// More steps than a call of a small test needs, few enough that an endless execution ends soon.
    pub const STEPS_MAX_DEFAULT: u64 = 20_000;

    /// Follows a schedule and then goes on without preemption.
    pub fn follow(schedule: Schedule) -> Self {
        Self {
            choices: SchedulingPolicy::Follow(schedule),
            serial: false,
            accesses: SchedulingPoints::Atomic,
            races: false,
            places: Vec::new(),
            steps_max: Self::STEPS_MAX_DEFAULT,
            environment: 0,
        }
    }
}
