//! Exploring the executions of a program.

use crate::limits::StopConditions;
use crate::sample::sample;
use crate::schedule_tree::ScheduleTree;
use crate::{
    Execution, Executor, MemoryModel, RunOptions, SchedError, Schedule, SchedulingPoints, SchedulingPolicy,
    TestProgram, ThreadId,
};
use std::ops::ControlFlow;

/// Which executions of a program are explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplorationStrategy {
    /// All executions without switches inside calls.
    Serial,
    /// All executions without preemptions, then all those with one, and so on.
    Bounded {
        /// The preemption bound; none for all executions.
        preemptions_max: Option<u32>,
        /// Leave out an execution if another one with the same history has at most as many preemptions and stale reads.
        reduction: bool,
    },
    /// Independent random walks.
    Random {
        /// The seed; execution `i` depends on it and on `i`.
        seed: u64,
        /// The number of executions.
        executions: u64,
    },
    /// Random priorities with few changes (PCT).
    Priorities {
        /// The seed; execution `i` depends on it and on `i`.
        seed: u64,
        /// The number of executions.
        executions: u64,
        /// The number of priority changes in each.
        changes: u32,
    },
    /// Random priorities of steps (partial-order sampling).
    PartialOrders {
        /// The seed; execution `i` depends on it and on `i`.
        seed: u64,
        /// The number of executions.
        executions: u64,
    },
}

/// How executions are made, and what ends an exploration.
#[derive(Debug, Clone)]
pub struct ExploreOptions {
    /// Which accesses are scheduling points.
    pub scheduling_points: SchedulingPoints,
    /// Which stores a load may read, in executions that are not serial.
    pub memory_model: MemoryModel,
    /// Whether data races are detected, in executions that are not serial.
    pub detects_races: bool,
    /// Whether memory must not leak, in serial executions too.
    pub detects_leaks: bool,
    /// Whether each execution has a process of its own.
    pub isolated: bool,
    /// Code addresses of plain accesses that are scheduling points too: those of races that were detected.
    pub racy_accesses: Vec<u64>,
    /// The most times in an execution that a thread which waits by reading goes on although nothing has changed.
    pub spins_max: u32,
    /// The most steps of one execution.
    pub steps_max: u64,
    /// The most executions.
    pub executions_max: u64,
    /// The seed of the component's environment: time, random numbers, hash keys and addresses depend on it.
    pub environment: u64,
    /// Limits on time and memory, and an interrupt.
    pub stop: StopConditions,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            scheduling_points: SchedulingPoints::Atomic,
            memory_model: MemoryModel::default(),
            detects_races: false,
            detects_leaks: false,
            isolated: false,
            racy_accesses: Vec::new(),
            spins_max: Self::SPINS_MAX_DEFAULT,
            steps_max: RunOptions::STEPS_MAX_DEFAULT,
            executions_max: u64::MAX,
            environment: 0,
            stop: StopConditions::default(),
        }
    }
}

impl ExploreOptions {
    /// [`ExploreOptions::spins_max`] if nothing else is asked for.
    pub const SPINS_MAX_DEFAULT: u32 = 1;

    /// Options of one execution.
    pub(crate) fn run_options(&self, policy: SchedulingPolicy) -> RunOptions {
        RunOptions {
            policy,
            serial: false,
            scheduling_points: self.scheduling_points,
            memory_model: self.memory_model,
            detects_races: self.detects_races,
            detects_leaks: self.detects_leaks,
            isolated: self.isolated,
            racy_accesses: self.racy_accesses.clone(),
            steps_max: self.steps_max,
            environment: self.environment,
            stop: self.stop,
        }
    }
}

/// The result of an exploration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplorationResult {
    /// Executions made.
    pub executions: u64,
    /// Those of them that are equivalent to another one, and were not shown.
    pub redundant: u64,
    /// Those of them that did not follow their schedule: the component depends on something besides the schedule, so that the
    /// exploration may not be exhaustive.
    pub diverged: u64,
    /// Executions per preemption bound, where the strategy has one: entry `b` has exactly `b` preemptions.
    pub bounds: Vec<BoundSummary>,
    /// Why it stopped.
    pub stopped: StopReason,
}

/// The executions with one number of preemptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoundSummary {
    /// Executions made.
    pub executions: u64,
    /// Those of them that were not shown.
    pub redundant: u64,
    /// Those of them that did not follow their schedule. What they would have led to has as many preemptions or more.
    pub diverged: u64,
}

/// Why an exploration stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Every execution of the strategy was made.
    Exhausted,
    /// The visitor returned `Break`.
    Visitor,
    /// The limit on executions was reached.
    ExecutionLimit,
    /// Time was up.
    TimeLimit,
    /// The processes held too much memory.
    MemoryLimit,
    /// It was interrupted.
    Interrupted,
}

/// Makes the executions of a strategy, on all executors in parallel, and shows each to `visit`.
///
/// With one executor the order is deterministic; with several, only the set of executions is.
///
/// # Errors
/// When an execution cannot be made.
pub fn explore(
    executors: &mut [Box<dyn Executor>],
    program: &TestProgram,
    strategy: ExplorationStrategy,
    options: &ExploreOptions,
    visit: &mut (dyn FnMut(&Execution) -> ControlFlow<()> + Send),
) -> Result<ExplorationResult, SchedError> {
    if executors.is_empty() {
        return Err(SchedError::NoExecutor);
    }
    match strategy {
        ExplorationStrategy::Serial => {
            let tree = ScheduleTree {
                serial: true,
                preemptions_max: None,
                reduction: false,
            };
            tree.explore(executors, program, options, visit)
        }
        ExplorationStrategy::Bounded {
            preemptions_max,
            reduction,
        } => {
            let tree = ScheduleTree {
                serial: false,
                preemptions_max,
                reduction,
            };
            tree.explore(executors, program, options, visit)
        }
        ExplorationStrategy::Random { seed, executions } => {
            let policy = |index| SchedulingPolicy::Random {
                seed: nth_seed(seed, index),
            };
            sample(executors, program, options, executions, &policy, visit)
        }
        ExplorationStrategy::PartialOrders { seed, executions } => {
            let policy = |index| SchedulingPolicy::PartialOrders {
                seed: nth_seed(seed, index),
            };
            sample(executors, program, options, executions, &policy, visit)
        }
        ExplorationStrategy::Priorities {
            seed,
            executions,
            changes,
        } => {
            let run = options.run_options(SchedulingPolicy::Follow(Schedule::default()));
            let first = executors.first_mut().map(|first| first.run(program, &run));
            let steps = match first.transpose() {
                Ok(execution) => execution.map_or(0, |execution| execution.steps_made),
                // The sample stops for the same reason, before its first execution.
                Err(SchedError::Stopped(_)) => 0,
                Err(error) => return Err(error),
            };
            let policy = |index| SchedulingPolicy::Priorities {
                seed: nth_seed(seed, index),
                changes,
                steps,
            };
            sample(executors, program, options, executions, &policy, visit)
        }
    }
}

/// The seed of execution `index`: independent executions need unrelated seeds.
fn nth_seed(seed: u64, index: u64) -> u64 {
    let mixed = (seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0xd1b5_4a32_d192_ed03);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Makes one serial execution in a process of its own: the calls of the columns in this order of their columns.
///
/// # Errors
/// When it cannot be made.
pub fn run_in_order(
    executor: &mut dyn Executor,
    program: &TestProgram,
    columns: &[ThreadId],
    options: &ExploreOptions,
) -> Result<Execution, SchedError> {
    let run = RunOptions {
        serial: true,
        isolated: true,
        detects_races: false,
        ..options.run_options(SchedulingPolicy::CallsInOrder(columns.to_vec()))
    };
    executor.run(program, &run)
}

/// Repeats an execution from its schedule, in a process of its own.
///
/// # Errors
/// [`SchedError::Diverged`] when the execution does not follow the schedule; others when it cannot be made.
pub fn replay(
    executor: &mut dyn Executor,
    program: &TestProgram,
    schedule: &Schedule,
    options: &ExploreOptions,
    serial: bool,
) -> Result<Execution, SchedError> {
    let run = RunOptions {
        serial,
        isolated: true,
        ..options.run_options(SchedulingPolicy::Follow(schedule.clone()))
    };
    let execution = executor.run(program, &run)?;
    let made = execution.schedule();
    if made == *schedule {
        return Ok(execution);
    }
    let step = made
        .steps()
        .iter()
        .zip(schedule.steps())
        .take_while(|(a, b)| a == b)
        .count();
    Err(SchedError::Diverged { step })
}

/// Begins to follow a schedule, in a process of its own, and stops before a step: see [`Executor::stop_before`].
///
/// # Errors
/// When the program cannot be run.
pub fn stop_before(
    executor: &mut dyn Executor,
    program: &TestProgram,
    schedule: &Schedule,
    options: &ExploreOptions,
    step: usize,
) -> Result<Option<u32>, SchedError> {
    let run = RunOptions {
        isolated: true,
        ..options.run_options(SchedulingPolicy::Follow(schedule.clone()))
    };
    executor.stop_before(program, &run, step)
}
