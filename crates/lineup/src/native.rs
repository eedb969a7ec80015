//! Runs that nobody schedules: native threads, disturbed by signals.
//!
//! For what cannot be instrumented, prebuilt libraries included. Serial runs need no instrumentation, since nothing is
//! interrupted in them, so they are still made exhaustively, and a history that none of them explains is still a proof.
//! Concurrent runs are samples: thousands of rounds in one process, whose threads are stalled at random instructions. None
//! can be repeated, and a call that never comes back shows as a run that was cut short.
//!
//! Serial runs begin in a new process each, rounds do not. So a component whose results depend on the objects before it
//! (through statics, say) is refused: before a history counts, the same calls one after the other must give the same in
//! every round.

use std::time::{Duration, Instant};

use omnilink_sched::{Chaos, Ending, HarnessExecutor, HarnessOptions, Schedule, TestProgram};

use crate::description::Description;
use crate::execution::MatrixRun;
use crate::executor::{Allowance, Coverage, ExecutorError, MatrixExecutor, RunPlan, Visit};
use crate::harness::{HarnessCommand, HarnessError};
use crate::matrix::Matrix;
use crate::scheduled::{Scheduled, ScheduledOptions, failed, program_of, told};
use crate::scope::Scope;

/// How many rounds to ask for at a time: as many as take some tenths of a second. Time limits are looked at in between, and a
/// series that takes many seconds is taken for one that hangs.
#[derive(Clone, Copy, Debug)]
struct Series {
    rounds: u64,
}

impl Series {
    const FIRST: Self = Self { rounds: 32 };
    const ROUNDS_MAX: u64 = 4_000;
    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_millis(800);

    /// The next series, after one that took so long.
    fn after(self, taken: Duration) -> Self {
        let rounds = match taken {
            _ if taken < Self::SHORT => (self.rounds * 2).min(Self::ROUNDS_MAX),
            _ if taken > Self::LONG => (self.rounds / 2).max(1),
            _ => self.rounds,
        };
        Self { rounds }
    }
}

/// A harness whose threads run freely.
#[derive(Debug)]
pub struct Native {
    serial: Scheduled,
    free: HarnessExecutor,
}

impl Native {
    /// Starts a harness, best one that was built without instrumentation, and reads what it says about itself.
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
        let stalls = Chaos {
            seed,
            ..Chaos::default()
        };
        let options = HarnessOptions {
            environment: stalls.environment()?,
            ..harness.options()
        };
        let free = HarnessExecutor::start(&harness.program, &options)?;
        Ok((Self { serial, free }, description))
    }

    fn sample(
        &mut self,
        matrix: &Matrix,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<Coverage, ExecutorError> {
        let program = program_of(matrix);
        let deadline = allowance.time.and_then(|time| Instant::now().checked_add(time));
        let mut left = allowance.executions;
        let mut series = Series::FIRST;
        while left > 0 && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            let started = Instant::now();
            let rounds = left.min(series.rounds) as u32;
            let executions = self.free.sample_native(&program, rounds).map_err(failed)?;
            series = series.after(started.elapsed());
            left = left.saturating_sub(executions.len() as u64);
            for execution in &executions {
                if visit(told(execution, matrix)).is_break() {
                    self.refuse_changing_rounds(&program)?;
                    return Ok(Coverage::default());
                }
            }
            // What did not come to its end once will do so again, and waiting for it takes long.
            let is_going_on = |execution: &omnilink_sched::Execution| {
                matches!(execution.ending, Ending::Finished | Ending::Crashed { .. })
            };
            if !executions.last().is_some_and(is_going_on) {
                return Ok(Coverage::default());
            }
        }
        Ok(Coverage {
            is_complete: left == 0,
            ..Coverage::default()
        })
    }
}

impl Native {
    /// Makes all calls in one thread, again and again.
    fn refuse_changing_rounds(&mut self, program: &TestProgram) -> Result<(), ExecutorError> {
        const ROUNDS: u32 = 64;
        let one_thread = TestProgram {
            columns: vec![program.columns.concat()],
            ..program.clone()
        };
        let rounds = self.free.sample_native(&one_thread, ROUNDS).map_err(failed)?;
        let results = |round: &omnilink_sched::Execution| {
            let kinds = round.events.iter().map(|event| event.kind.clone());
            kinds.collect::<Vec<_>>()
        };
        let mut finished = rounds
            .iter()
            .filter(|round| round.ending == Ending::Finished)
            .map(results);
        let first = finished.next();
        match finished.all(|round| Some(round) == first) {
            true => Ok(()),
            false => Err(unsupported(
                "check a component whose results depend on the objects that were there before it (statics, numbers that are \
                 given out once); the instrumented engine can, since each of its runs is a process of its own",
            )),
        }
    }
}

impl MatrixExecutor for Native {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<Coverage, ExecutorError> {
        match plan {
            RunPlan::Serial { .. } => self.serial.explore(matrix, plan, allowance, visit),
            RunPlan::Random { executions, .. } => {
                let allowance = Allowance {
                    executions: executions.min(allowance.executions),
                    ..allowance
                };
                self.sample(matrix, allowance, visit)
            }
            RunPlan::Bounded { .. } | RunPlan::Pct { .. } => {
                Err(unsupported("decide which thread runs next"))
            }
        }
    }

    fn replay(&mut self, _: &Matrix, _: &Schedule, _: &[u64]) -> Result<MatrixRun, ExecutorError> {
        Err(unsupported("repeat a run from its schedule"))
    }

    fn scope(&self) -> Option<Scope> {
        Some(Scope {
            unseen: vec!["all of the component: nobody decides which thread runs".to_owned()],
            ..Scope::default()
        })
    }

    fn decides(&self) -> bool {
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
