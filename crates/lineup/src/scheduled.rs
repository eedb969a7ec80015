//! Runs under the instrumented scheduler, which controls every step of unmodified code.

use std::collections::BTreeMap;

use omnilink_sched::HarnessExecutor;
#[cfg(not(target_os = "linux"))]
use omnilink_sched::build::BuildError;
use omnilink_sched::{
    ExplorationStrategy, ExploreOptions, MemoryModel, SchedError, Schedule, SchedulingPoints, StopConditions,
    StopReason, explore, replay, run_in_order, stop_before,
};
#[cfg(target_os = "linux")]
use omnilink_source_lines::SourceLines;

use crate::description::Description;
use crate::execution::{MatrixRun, RunEnding};
use crate::executor::{Allowance, ExecutorError, MatrixExecutor, RunCoverage, RunPlan, Visit};
use crate::harness::{HarnessCommand, HarnessError};
use crate::matrix::Matrix;
use crate::options::limit_of;
use crate::scope::{self, Scope};
use crate::seen_steps::SeenSteps;
use crate::step_words::accesses_of;
use crate::translation::{failed, matrix_run, test_program};

/// How runs are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledOptions {
    /// Whether plain accesses are scheduling points too: for code with data races.
    pub plain_accesses: bool,
    /// Whether runs are left out if another run has the same history.
    pub reduction: bool,
    /// Whether data races are detected.
    pub races: bool,
    /// Whether memory must not leak.
    pub leaks: bool,
    /// Whether each run has a process of its own.
    pub isolated: bool,
    /// Which stores a load may read.
    pub memory_model: MemoryModel,
    /// The most times in a run that a thread which waits by reading goes on although nothing has changed.
    pub spins_max: u32,
    /// The most steps of a run.
    pub steps_max: u64,
    /// The number of runs made in parallel.
    pub processors: usize,
}

impl Default for ScheduledOptions {
    fn default() -> Self {
        Self {
            plain_accesses: false,
            reduction: true,
            races: true,
            leaks: false,
            isolated: false,
            memory_model: MemoryModel::default(),
            spins_max: ExploreOptions::SPINS_MAX_DEFAULT,
            steps_max: omnilink_sched::RunOptions::STEPS_MAX_DEFAULT,
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// A harness under the instrumented scheduler, ready to run.
pub struct Scheduled {
    pool: Vec<Box<dyn omnilink_sched::Executor>>,
    options: ScheduledOptions,
    source_lines: SourceLines,
    /// Code addresses of plain accesses that are scheduling points.
    racy_accesses: Vec<u64>,
    /// Libraries that are not instrumented.
    uninstrumented: Vec<String>,
    seen: SeenSteps,
}

impl std::fmt::Debug for Scheduled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scheduled")
            .field("processes", &self.pool.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Scheduled {
    /// Starts a harness on several processors, and reads its description.
    ///
    /// # Errors
    /// When it cannot be started or is no harness.
    #[cfg(target_os = "linux")]
    pub fn start(
        harness: &HarnessCommand,
        options: ScheduledOptions,
    ) -> Result<(Self, Description), HarnessError> {
        let program = &harness.program;
        let started = omnilink_sched::HarnessOptions {
            counted_libraries: scope::opaque_libraries(program),
            ..harness.options()
        };
        let first = HarnessExecutor::start(program, &started)?;
        let description = Description::parse(first.description())?;
        drop(first);
        let pool = HarnessExecutor::pool(program, &started, options.processors)?;
        let executor = Self {
            pool,
            options,
            source_lines: SourceLines::of(program),
            racy_accesses: Vec::new(),
            uninstrumented: scope::uninstrumented_libraries(program),
            seen: SeenSteps::default(),
        };
        Ok((executor, description))
    }

    /// No harness can be started on this system.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn start(_: &HarnessCommand, _: ScheduledOptions) -> Result<(Self, Description), HarnessError> {
        Err(HarnessError::System(BuildError::Unsupported))
    }

    /// The calls into each library that is not instrumented, of all processes.
    fn library_calls(&self) -> BTreeMap<String, u64> {
        let mut calls = BTreeMap::new();
        for executor in &self.pool {
            for (library, count) in self.uninstrumented.iter().zip(executor.library_calls()) {
                *calls.entry(library.clone()).or_default() += count;
            }
        }
        calls
    }

    fn options(&self, executions_max: u64, stop: StopConditions) -> ExploreOptions {
        ExploreOptions {
            scheduling_points: if self.options.plain_accesses {
                SchedulingPoints::All
            } else {
                SchedulingPoints::Atomic
            },
            memory_model: self.options.memory_model,
            detects_races: self.options.races,
            detects_leaks: self.options.leaks,
            isolated: self.options.isolated,
            racy_accesses: self.racy_accesses.clone(),
            spins_max: self.options.spins_max,
            steps_max: self.options.steps_max,
            executions_max,
            environment: 0,
            stop,
        }
    }
}

/// The largest bound on preemptions for which an incomplete exploration made all executions. `diverged[n]` counts the executions with `n`
/// preemptions that did not follow their schedule.
fn bound_completed(stopped: StopReason, diverged: &[u64]) -> Option<u32> {
    let finished = match stopped {
        StopReason::Exhausted => diverged.len(),
        // Bounds follow each other: the one that was being explored is not complete.
        _ => diverged.len().saturating_sub(1),
    };
    // An execution that went another way leaves out what it would have led to.
    let followed = diverged.iter().take_while(|diverged| **diverged == 0).count();
    u32::try_from(finished.min(followed)).ok()?.checked_sub(1)
}

impl MatrixExecutor for Scheduled {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<RunCoverage, ExecutorError> {
        let strategy = match plan {
            RunPlan::Serial { .. } => ExplorationStrategy::Serial,
            RunPlan::Bounded { preemptions } => ExplorationStrategy::Bounded {
                preemptions_max: Some(preemptions),
                reduction: self.options.reduction,
            },
            RunPlan::Random { seed, executions } => ExplorationStrategy::Random { seed, executions },
            RunPlan::Pct {
                seed,
                executions,
                depth,
            } => ExplorationStrategy::Priorities {
                seed,
                executions,
                changes: depth,
            },
            RunPlan::PartialOrders { seed, executions } => {
                ExplorationStrategy::PartialOrders { seed, executions }
            }
        };
        let environment = match plan {
            RunPlan::Serial { environment } => environment,
            _ => 0,
        };
        let options = ExploreOptions {
            environment,
            ..self.options(allowance.executions, allowance.stop)
        };
        let program = test_program(matrix);
        let seen = &mut self.seen;
        let exploration = explore(&mut self.pool, &program, strategy, &options, &mut |execution| {
            if !matches!(plan, RunPlan::Serial { .. }) {
                seen.add(execution);
            }
            visit(MatrixRun {
                racy_accesses: options.racy_accesses.clone(),
                ..matrix_run(execution, matrix)
            })
        })
        .map_err(failed)?;
        let is_complete = exploration.stopped == StopReason::Exhausted && exploration.diverged == 0;
        let diverged: Vec<u64> = match exploration.bounds.as_slice() {
            [] => vec![exploration.diverged],
            bounds => bounds.iter().map(|bound| bound.diverged).collect(),
        };
        let bound_completed = match plan {
            RunPlan::Bounded { preemptions } if is_complete => Some(preemptions),
            RunPlan::Bounded { .. } => bound_completed(exploration.stopped, &diverged),
            _ => None,
        };
        Ok(RunCoverage {
            is_complete,
            bound_completed,
            redundant: exploration.redundant,
            diverged,
            limit: limit_of(exploration.stopped),
        })
    }

    fn replay(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        racy_accesses: &[u64],
    ) -> Result<MatrixRun, ExecutorError> {
        let options = ExploreOptions {
            racy_accesses: racy_accesses.to_vec(),
            ..self.options(u64::MAX, StopConditions::default())
        };
        let Some(executor) = self.pool.first_mut() else {
            return Err(ExecutorError::Failed("no harness is running".to_owned()));
        };
        match replay(&mut **executor, &test_program(matrix), schedule, &options, false) {
            Ok(execution) => {
                let mut run = matrix_run(&execution, matrix);
                run.accesses = accesses_of(&execution, matrix);
                run.racy_accesses = racy_accesses.to_vec();
                self.locate(&mut run);
                Ok(run)
            }
            Err(SchedError::Diverged { .. }) => Ok(MatrixRun {
                events: Vec::new(),
                ending: RunEnding::Diverged,
                schedule: schedule.clone(),
                preemptions: 0,
                stale_reads: 0,
                switches: Vec::new(),
                accesses: Vec::new(),
                races: Vec::new(),
                memory_error: Vec::new(),
                racy_accesses: Vec::new(),
                output: String::new(),
                stack: Vec::new(),
            }),
            Err(error) => Err(failed(error)),
        }
    }

    fn stop_before(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        racy_accesses: &[u64],
        step: usize,
    ) -> Result<Option<u32>, ExecutorError> {
        let options = ExploreOptions {
            racy_accesses: racy_accesses.to_vec(),
            ..self.options(u64::MAX, StopConditions::default())
        };
        let Some(executor) = self.pool.first_mut() else {
            return Err(ExecutorError::Failed("no harness is running".to_owned()));
        };
        stop_before(&mut **executor, &test_program(matrix), schedule, &options, step).map_err(failed)
    }

    fn finish_stopped(&mut self) {
        if let Some(executor) = self.pool.first_mut() {
            executor.finish_stopped();
        }
    }

    fn run_in_order(&mut self, matrix: &Matrix, threads: &[u8]) -> Result<Option<MatrixRun>, ExecutorError> {
        let options = self.options(u64::MAX, StopConditions::default());
        let Some(executor) = self.pool.first_mut() else {
            return Err(ExecutorError::Failed("no harness is running".to_owned()));
        };
        let execution =
            run_in_order(&mut **executor, &test_program(matrix), threads, &options).map_err(failed)?;
        Ok(Some(matrix_run(&execution, matrix)))
    }

    fn add_racy_accesses(&mut self, accesses: &[u64]) -> bool {
        let before = self.racy_accesses.len();
        for access in accesses {
            if !self.racy_accesses.contains(access) {
                self.racy_accesses.push(*access);
            }
        }
        self.racy_accesses.len() > before
    }

    fn racy_accesses(&self) -> Vec<u64> {
        self.racy_accesses.clone()
    }

    fn locate(&mut self, execution: &mut MatrixRun) {
        for switch in &mut execution.switches {
            switch.source_line = self.source_lines.find(switch.code);
        }
        let codes: Vec<u64> = execution.accesses.iter().map(|access| access.code).collect();
        let lines = self.source_lines.find_apart(&codes);
        for (access, (line, name)) in execution.accesses.iter_mut().zip(lines) {
            access.source_line = line;
            access.name = name;
        }
        for frame in &mut execution.stack {
            frame.source_line = self.source_lines.find_own(frame.code);
        }
        let accesses = execution.races.iter_mut().flat_map(|race| &mut race.accesses);
        for located in accesses.chain(&mut execution.memory_error) {
            located.source_line = self.source_lines.find_named(located.code);
        }
    }

    fn scope(&self) -> Option<Scope> {
        Some(Scope {
            memory_model: Some(self.options.memory_model),
            spins: Some(self.options.spins_max),
            may_buffer_loads: self.seen.may_buffer_loads,
            calls_without_steps: self.seen.calls_without_steps(),
            plain_accesses: self.options.plain_accesses,
            races: self.options.races,
            racy_accesses: self.racy_accesses.len(),
            uninstrumented: self.uninstrumented.clone(),
            library_calls: self.library_calls(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_complete_if_no_run_up_to_it_is_missing() {
        assert_eq!(bound_completed(StopReason::Exhausted, &[0, 0, 1]), Some(1));
        assert_eq!(bound_completed(StopReason::Exhausted, &[0, 2, 0]), Some(0));
        assert_eq!(bound_completed(StopReason::Exhausted, &[1, 0, 0]), None);
        // The last bound was not finished.
        assert_eq!(bound_completed(StopReason::TimeLimit, &[0, 0, 0]), Some(1));
        assert_eq!(bound_completed(StopReason::TimeLimit, &[0]), None);
    }
}
