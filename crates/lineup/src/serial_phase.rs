//! The first phase of a check: all serial runs of a matrix.

use std::ops::ControlFlow;
use std::time::Instant;

use crate::execution::{Cut, MatrixRun, RunEnding};
use crate::executor::{MatrixExecutor, RunPlan};
use crate::explanation::violation_without_serial_runs;
use crate::history::{CallHistory, Results};
use crate::lineup_error::LineupError;
use crate::matrix::Matrix;
use crate::request::{Request, Tick};
use crate::serial::{NotSerial, SerialHistories};
use crate::verdict::count_inconclusive;
use crate::verdict::{CheckedMatrix, MatrixVerdict, PhaseFigures, RunViolation, Undecided};
use crate::words::Words;

/// Makes all serial runs. Returns the verdict if it is known after that.
pub(crate) fn serial_phase(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut CheckedMatrix,
    tick: Tick<'_>,
) -> Result<Option<MatrixVerdict>, LineupError> {
    let started = Instant::now();
    let options = request.options;
    let mut runs = SerialRuns {
        request,
        matrix: &checked.matrix,
        results: &mut checked.results,
        serial: &mut checked.serial,
        cut: &mut checked.cut,
        phase: PhaseFigures {
            is_complete: true,
            ..PhaseFigures::default()
        },
        unresponsive: None,
        verdict: None,
    };
    let mut limit = None;
    // Another environment can only add contradictions: the first alone decides whether all serial runs were made.
    for environment in 0..options.environments.max(1) {
        let mut failure = None;
        let visit = &mut |execution: MatrixRun| {
            tick();
            match runs.add(execution) {
                Ok(flow) => flow,
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let coverage = executor.explore(
            &checked.matrix,
            RunPlan::Serial { environment },
            options.serial_allowance(environment),
            visit,
        )?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        if environment == 0 {
            runs.phase.is_complete = coverage.is_complete;
            runs.phase.diverged += coverage.diverged.iter().sum::<u64>();
        }
        limit = coverage.limit;
        if runs.verdict.is_some() || runs.unresponsive.is_some() || limit.is_some() {
            break;
        }
    }
    let SerialRuns {
        mut phase,
        unresponsive,
        verdict,
        ..
    } = runs;
    phase.histories = checked.serial.len();
    phase.checked = checked.serial.len();
    phase.stuck = checked.serial.stuck();
    phase.crashed = checked.serial.crashed();
    phase.seconds = started.elapsed().as_secs_f64();
    checked.serial_phase = phase;
    if verdict.is_some() {
        return Ok(verdict);
    }
    if let Some(cut) = unresponsive {
        return Ok(Some(MatrixVerdict::Unknown(Undecided::SerialRunCut(cut))));
    }
    if let Some(limit) = limit {
        return Err(LineupError::Limit(limit));
    }
    // With a specification, serial runs are runs like all others: it does not matter if some are missing.
    if request.specification.is_some() {
        return Ok(None);
    }
    Ok(if let Some(cut) = checked.cut {
        Some(MatrixVerdict::Unknown(Undecided::SerialRunCut(cut)))
    } else if phase.diverged > 0 {
        Some(MatrixVerdict::Unknown(Undecided::SerialRunsDiverged))
    } else if !phase.is_complete {
        Some(MatrixVerdict::Unknown(Undecided::TooManySerialRuns))
    } else {
        check_number(request, checked)?;
        None
    })
}

/// Where every call returns, there is one serial run for each order of the calls that keeps those of each thread in order: as many
/// as the multinomial coefficient of their numbers says. A call that is stuck, or crashes, ends several of them at once.
fn check_number(request: Request<'_>, checked: &CheckedMatrix) -> Result<(), LineupError> {
    if checked.serial.stuck() + checked.serial.crashed() > 0 {
        return Ok(());
    }
    let all = number_of_orders(checked.matrix.threads.iter().map(Vec::len));
    let made = checked.serial.finished();
    if all == Some(made) {
        Ok(())
    } else {
        Err(LineupError::SerialRunsMissing {
            matrix: checked.matrix.display(request.alphabet).to_string(),
            made,
            all: all.unwrap_or(u64::MAX),
        })
    }
}

/// The multinomial coefficient of these numbers, unless it is too large.
fn number_of_orders(lengths: impl Iterator<Item = usize>) -> Option<u64> {
    let (mut orders, mut placed) = (1_u128, 0_u128);
    for length in lengths {
        for one in 1..=length as u128 {
            placed += 1;
            // Each partial product is a binomial coefficient times the orders so far: the division leaves no rest.
            orders = orders.checked_mul(placed)? / one;
        }
    }
    u64::try_from(orders).ok()
}

/// The serial runs of a matrix, while they are made.
struct SerialRuns<'a> {
    request: Request<'a>,
    matrix: &'a Matrix,
    results: &'a mut Results,
    serial: &'a mut SerialHistories,
    cut: &'a mut Option<Cut>,
    phase: PhaseFigures,
    /// Set when a call was unresponsive: every other run that makes the call would take as long, with the same result.
    unresponsive: Option<Cut>,
    verdict: Option<MatrixVerdict>,
}

impl SerialRuns<'_> {
    fn add(&mut self, execution: MatrixRun) -> Result<ControlFlow<()>, LineupError> {
        self.phase.executions += 1;
        let Some(history) = CallHistory::of(&execution, self.results) else {
            count_inconclusive(&mut self.phase, self.cut, &execution);
            return Ok(match execution.ending {
                RunEnding::Cut(cut) if cut.unresponsive_call().is_some() => {
                    self.unresponsive = Some(cut);
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
        };
        let is_new = match self.serial.insert(&history) {
            Ok(is_new) => is_new,
            // A specification may be nondeterministic.
            Err(NotSerial::Nondeterministic(_)) if self.request.specification.is_some() => true,
            Err(NotSerial::Nondeterministic(nondeterminism)) => {
                self.verdict = Some(MatrixVerdict::Nondeterministic(nondeterminism));
                return Ok(ControlFlow::Break(()));
            }
            Err(NotSerial::Overlap) => {
                let matrix = self.matrix.display(self.request.alphabet).to_string();
                return Err(LineupError::NotSerial(matrix));
            }
        };
        if !is_new {
            return Ok(ControlFlow::Continue(()));
        }
        let words = Words {
            alphabet: self.request.alphabet,
            matrix: self.matrix,
            results: self.results,
        };
        let Some(why) = violation_without_serial_runs(self.request, words, &history, true)? else {
            return Ok(ControlFlow::Continue(()));
        };
        self.verdict = Some(MatrixVerdict::Violation(Box::new(RunViolation {
            history,
            execution,
            is_serial: true,
            why,
        })));
        Ok(ControlFlow::Break(()))
    }
}

#[cfg(test)]
mod tests {
    use super::number_of_orders;

    #[test]
    fn the_number_of_orders_is_the_multinomial_coefficient() {
        let orders = |lengths: &[usize]| number_of_orders(lengths.iter().copied());
        assert_eq!(orders(&[]), Some(1));
        assert_eq!(orders(&[3]), Some(1));
        assert_eq!(orders(&[1, 1]), Some(2));
        assert_eq!(orders(&[2, 2]), Some(6));
        assert_eq!(orders(&[3, 3, 3]), Some(1680));
        assert_eq!(orders(&[4, 0, 1]), Some(5));
        assert_eq!(orders(&[60, 60]), None, "beyond what can be counted");
    }
}
