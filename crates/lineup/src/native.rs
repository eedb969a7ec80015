//! Runs with native threads, which the operating system schedules and signals stall.
//!
//! For components that cannot be instrumented, prebuilt libraries included. Serial runs need no instrumentation, since they have
//! no switches inside calls: they are still made exhaustively, and a history that none of them explains is still a proof.
//! Concurrent runs are samples: thousands of rounds in one process, whose threads are stalled at random instructions. They cannot
//! be repeated, and a call that never returns shows as a run that was cut short.
//!
//! Each serial run has a process of its own, rounds do not. A component whose results depend on earlier objects (through statics,
//! say) is therefore refused: before a violation counts, the same calls in one thread must give the same results in every round.

use std::time::{Duration, Instant};

use omnilink_sched::{
    Ending, Execution, HarnessExecutor, HarnessOptions, SchedError, Schedule, StopConditions, TestProgram,
    ThreadStalls,
};

use crate::description::Description;
use crate::execution::MatrixRun;
use crate::executor::{Allowance, ExecutorError, MatrixExecutor, RunCoverage, RunPlan, Visit};
use crate::harness::{HarnessCommand, HarnessError};
use crate::matrix::Matrix;
use crate::options::limit_of;
use crate::scheduled::{Scheduled, ScheduledOptions};
use crate::scope::Scope;
use crate::translation::{failed, matrix_run, test_program};

/// The number of rounds per request: as many as take some tenths of a second. A series that takes many seconds counts as hanging.
#[derive(Clone, Copy, Debug)]
struct Series {
    rounds: u64,
}

impl Series {
    const FIRST: Self = Self { rounds: 32 };
    const ROUNDS_MAX: u64 = 4_000;
    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_millis(800);

    /// The next series, after one that took this time.
    fn after(self, taken: Duration) -> Self {
        let rounds = match taken {
            _ if taken < Self::SHORT => (self.rounds * 2).min(Self::ROUNDS_MAX),
            _ if taken > Self::LONG => (self.rounds / 2).max(1),
            _ => self.rounds,
        };
        Self { rounds }
    }
}

/// A harness with native threads.
#[derive(Debug)]
pub struct NativeThreads {
    serial: Scheduled,
    native: HarnessExecutor,
}

impl NativeThreads {
    /// Starts a harness, best one that was built without instrumentation, and reads its description.
    ///
    /// # Errors
    /// When it cannot be started, is no harness, or threads cannot be stalled on this system.
    pub fn start(
        harness: &HarnessCommand,
        seed: u64,
        processors: usize,
    ) -> Result<(Self, Description), HarnessError> {
        let options = ScheduledOptions {
            processors,
            races: false,
            ..ScheduledOptions::default()
        };
        let (serial, description) = Scheduled::start(harness, options)?;
        let stalls = ThreadStalls {
            seed,
            ..ThreadStalls::default()
        };
        let options = HarnessOptions {
            environment: stalls.environment()?,
            ..harness.options()
        };
        let native = HarnessExecutor::start(&harness.program, &options)?;
        Ok((Self { serial, native }, description))
    }

    fn sample(
        &mut self,
        matrix: &Matrix,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<RunCoverage, ExecutorError> {
        let program = test_program(matrix);
        let mut left = allowance.executions;
        let mut series = Series::FIRST;
        let mut stopped = None;
        while left > 0 && stopped.is_none() {
            let started = Instant::now();
            let rounds = left.min(series.rounds) as u32;
            let executions = match self.native.sample_native(&program, rounds, &allowance.stop) {
                Err(SchedError::Stopped(reason)) => {
                    stopped = Some(reason);
                    break;
                }
                executions => executions.map_err(failed)?,
            };
            series = series.after(started.elapsed());
            left = left.saturating_sub(executions.len() as u64);
            stopped = allowance.stop.reached();
            for execution in &executions {
                if visit(matrix_run(execution, matrix)).is_break() {
                    self.refuse_changing_rounds(&program)?;
                    return Ok(RunCoverage::default());
                }
            }
            // A program that hangs once will hang again, and waiting for it takes long.
            let has_ended =
                |execution: &Execution| matches!(execution.ending, Ending::Finished | Ending::Crashed { .. });
            if !executions.last().is_some_and(has_ended) {
                return Ok(RunCoverage::default());
            }
        }
        Ok(RunCoverage {
            is_complete: left == 0,
            limit: stopped.and_then(limit_of),
            ..RunCoverage::default()
        })
    }
}

impl NativeThreads {
    /// Refuses a component whose results change from round to round when one thread makes all calls.
    fn refuse_changing_rounds(&mut self, program: &TestProgram) -> Result<(), ExecutorError> {
        const ROUNDS: u32 = 64;
        let one_thread = TestProgram {
            columns: vec![program.columns.concat()],
            ..program.clone()
        };
        let rounds = self
            .native
            .sample_native(&one_thread, ROUNDS, &StopConditions::default())
            .map_err(failed)?;
        let results = |round: &Execution| {
            let kinds = round.events.iter().map(|event| event.kind.clone());
            kinds.collect::<Vec<_>>()
        };
        let mut finished = rounds
            .iter()
            .filter(|round| round.ending == Ending::Finished)
            .map(results);
        let first = finished.next();
        if finished.all(|round| Some(round) == first) {
            Ok(())
        } else {
            Err(unsupported(
                "check a component whose results depend on the objects that were there before it (statics, numbers that are \
                 given out once); the instrumented engine can, since each of its runs is a process of its own",
            ))
        }
    }
}

impl MatrixExecutor for NativeThreads {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<RunCoverage, ExecutorError> {
        match plan {
            RunPlan::Serial { .. } => self.serial.explore(matrix, plan, allowance, visit),
            RunPlan::Random { executions, .. } => {
                let allowance = Allowance {
                    executions: executions.min(allowance.executions),
                    ..allowance
                };
                self.sample(matrix, allowance, visit)
            }
            RunPlan::Bounded { .. } | RunPlan::Pct { .. } | RunPlan::PartialOrders { .. } => {
                Err(unsupported("decide which thread runs next"))
            }
        }
    }

    fn replay(&mut self, _: &Matrix, _: &Schedule, _: &[u64]) -> Result<MatrixRun, ExecutorError> {
        Err(unsupported("repeat a run from its schedule"))
    }

    fn scope(&self) -> Option<Scope> {
        Some(Scope {
            uninstrumented: vec![
                "all of the component: the scheduler does not decide which thread runs".to_owned(),
            ],
            ..Scope::default()
        })
    }

    fn controls_threads(&self) -> bool {
        false
    }
}

fn unsupported(what: &'static str) -> ExecutorError {
    ExecutorError::Unsupported {
        executor: "the native engine",
        what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_takes_some_tenths_of_a_second_whatever_a_round_takes() {
        let settled = |round: Duration| {
            (0..20).fold(Series::FIRST, |series, _| {
                series.after(round * u32::try_from(series.rounds).unwrap())
            })
        };
        assert_eq!(settled(Duration::from_micros(50)).rounds, Series::ROUNDS_MAX);
        assert_eq!(settled(Duration::from_millis(5)).rounds, 64);
        assert_eq!(settled(Duration::from_secs(3)).rounds, 1);
    }
}
