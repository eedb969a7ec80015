//! Asking for one execution after the other.

use crate::sample::sample;
use crate::tree::Tree;
use crate::{
    Execution, Executor, RunOptions, SchedError, Schedule, SchedulingPoints, SchedulingPolicy, TestProgram,
};
use std::ops::ControlFlow;
use std::time::Duration;

/// Which executions of a program are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplorationStrategy {
    /// All executions in which no call is interrupted.
    Serial,
    /// All executions with no preemption, then all those with one, and so on.
    Bounded {
        /// The last bound, or none for all executions whatever they take.
        preemptions_max: Option<u32>,
        /// Leave out executions whose history another execution with as few preemptions shows.
        reduction: bool,
    },
    /// Independent random walks.
    Random {
        /// Execution `i` is decided by this seed and `i`.
        seed: u64,
        /// How many.
        executions: u64,
    },
    /// Random priorities with few changes (PCT).
    Priorities {
        /// Execution `i` is decided by this seed and `i`.
        seed: u64,
        /// How many.
        executions: u64,
        /// How many priority changes in each.
        changes: u32,
    },
}

/// What limits an exploration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExploreOptions {
    /// Which accesses are decisions.
    pub accesses: SchedulingPoints,
    /// Whether data races are looked for, in executions that are not serial.
    pub races: bool,
    /// Plain accesses at these places are decisions too: those of races that were seen.
    pub places: Vec<u64>,
    /// Limit on the steps of one execution.
    pub steps_max: u64,
    /// Limit on the number of executions.
    pub executions_max: u64,
    /// Limit on the time.
    pub time_max: Option<Duration>,
    /// What the component finds around it (time, random numbers, hash keys, addresses) is derived from this.
    pub environment: u64,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            accesses: SchedulingPoints::Atomic,
            races: false,
            places: Vec::new(),
            steps_max: RunOptions::STEPS_MAX_DEFAULT,
            executions_max: u64::MAX,
            time_max: None,
            environment: 0,
        }
    }
}

/// What an exploration did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exploration {
    /// Executions made.
    pub executions: u64,
    /// Those of them that were recognised as equal to another one, and not shown.
    pub redundant: u64,
    /// Those of them that did not follow their schedule: the component depends on something else than the
    /// schedule, so that nothing is certain to be exhausted.
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
}

/// Why an exploration stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing is left: every execution of the strategy was made.
    Exhausted,
    /// The visitor asked for it.
    Visitor,
    /// As many executions as allowed were made.
    ExecutionLimit,
    /// The time was up.
    TimeLimit,
}

/// Makes the executions of a strategy, on all the executors at once, and shows each to `visit`.
///
/// With one executor the order is always the same; with several, only the set is.
pub fn explore(
    executors: &mut [Box<dyn Executor>],
    program: &TestProgram,
    strategy: ExplorationStrategy,
    options: &ExploreOptions,
    visit: &mut (dyn FnMut(&Execution) -> ControlFlow<()> + Send),
) -> Result<Exploration, SchedError> {
    if executors.is_empty() {
        return Err(SchedError::NoExecutor);
    }
    match strategy {
        ExplorationStrategy::Serial => {
            let tree = Tree {
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
            let tree = Tree {
                serial: false,
                preemptions_max,
                reduction,
            };
            tree.explore(executors, program, options, visit)
        }
        ExplorationStrategy::Random { seed, executions } => {
            let plan = |index| SchedulingPolicy::Random {
                seed: nth_seed(seed, index),
            };
            sample(executors, program, options, executions, &plan, visit)
        }
        ExplorationStrategy::Priorities {
            seed,
            executions,
            changes,
        } => {
            let steps = match executors.first_mut() {
                Some(first) => {
                    first
                        .run(
                            program,
                            &plan(options, SchedulingPolicy::Follow(Schedule::default())),
                        )?
                        .steps_made
                }
                None => 0,
            };
            let plan = |index| SchedulingPolicy::Priorities {
                seed: nth_seed(seed, index),
                changes,
                steps,
            };
            sample(executors, program, options, executions, &plan, visit)
        }
    }
}

/// Seeds that have nothing in common but their origin.
fn nth_seed(seed: u64, index: u64) -> u64 {
    let mixed = (seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0xd1b5_4a32_d192_ed03);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn plan(options: &ExploreOptions, choices: SchedulingPolicy) -> RunOptions {
    RunOptions {
        choices,
        serial: false,
        accesses: options.accesses,
        races: options.races,
        places: options.places.clone(),
        steps_max: options.steps_max,
        environment: options.environment,
    }
}

/// Repeats an execution from its schedule; an error if it does not go the same way.
pub fn replay(
    executor: &mut dyn Executor,
    program: &TestProgram,
    schedule: &Schedule,
    options: &ExploreOptions,
    serial: bool,
) -> Result<Execution, SchedError> {
    let plan = RunOptions {
        choices: SchedulingPolicy::Follow(schedule.clone()),
        serial,
        accesses: options.accesses,
        races: options.races,
        places: options.places.clone(),
        steps_max: options.steps_max,
        environment: options.environment,
    };
    let execution = executor.run(program, &plan)?;
    let went = execution.schedule();
    if went == *schedule {
        return Ok(execution);
    }
    let step = went
        .threads()
        .iter()
        .zip(schedule.threads())
        .take_while(|(a, b)| a == b)
        .count();
    Err(SchedError::Diverged { step })
}
