//! `Check(X, m)` of the Line-Up paper: does the component behave concurrently as it does serially?
//!
//! There are two phases. All serial runs of the matrix are made and kept: they are the only deterministic specification that the
//! component could have for these calls. Then concurrent runs are made. Each new history is explained by a serial one, or is a
//! violation: the component is not linearizable, whatever its specification.

use omnilink_sched::Schedule;

use crate::concurrent_phase::{ConcurrentRuns, explore_with_races};
use crate::confirmation::confirmed;
use crate::contention;
use crate::execution::RunEnding;
use crate::executor::{MatrixExecutor, RunPlan};
use crate::history::Results;
use crate::lineup_error::LineupError;
use crate::matrix::Matrix;
use crate::options::RunSelection;
use crate::request::{Request, Tick};
use crate::serial::SerialHistories;
use crate::serial_phase::serial_phase;
use crate::specification::SpecificationError;
use crate::verdict::{CheckedMatrix, MatrixVerdict, PhaseFigures, Undecided};

/// Checks one matrix.
///
/// # Errors
/// When it cannot be run. Everything that the component does is a verdict, not an error.
pub fn check_matrix(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    matrix: &Matrix,
    tick: Tick<'_>,
) -> Result<CheckedMatrix, LineupError> {
    let mut checked = unchecked(matrix)?;
    checked.verdict = unknown_if_limited(check_phases(executor, request, &mut checked, tick))?;
    Ok(checked)
}

/// A limit is a verdict, not an error.
fn unknown_if_limited(verdict: Result<MatrixVerdict, LineupError>) -> Result<MatrixVerdict, LineupError> {
    match verdict {
        Err(LineupError::Limit(limit) | LineupError::Specification(SpecificationError::Limit(limit))) => {
            Ok(MatrixVerdict::Unknown(Undecided::Limit(limit)))
        }
        verdict => verdict,
    }
}

/// Checks a matrix that passed again, with other concurrent runs. Its serial runs are not made again.
///
/// # Errors
/// As [`check_matrix`].
pub(crate) fn check_deeper(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: CheckedMatrix,
    tick: Tick<'_>,
) -> Result<CheckedMatrix, LineupError> {
    let mut checked = CheckedMatrix {
        phases: Vec::new(),
        redundant: 0,
        ..checked
    };
    checked.verdict = unknown_if_limited(check_concurrent(executor, request, &mut checked, tick))?;
    Ok(checked)
}

fn check_phases(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut CheckedMatrix,
    tick: Tick<'_>,
) -> Result<MatrixVerdict, LineupError> {
    match serial_phase(executor, request, checked, tick)? {
        Some(verdict) => Ok(verdict),
        None => check_concurrent(executor, request, checked, tick),
    }
}

fn check_concurrent(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut CheckedMatrix,
    tick: Tick<'_>,
) -> Result<MatrixVerdict, LineupError> {
    let options = request.options;
    let seed = options.seed;
    let plan = match options.search {
        RunSelection::Bounded { preemptions } => RunPlan::Bounded { preemptions },
        RunSelection::Random { executions } => RunPlan::Random { seed, executions },
        RunSelection::Pct { executions, depth } => RunPlan::Pct {
            seed,
            executions,
            depth,
        },
        RunSelection::PartialOrders { executions } => RunPlan::PartialOrders { seed, executions },
    };
    if let Some(violation) = explore_with_races(executor, request, checked, plan, tick)? {
        return confirmed(executor, request, checked, violation, tick);
    }
    // A run that was cut short may have become a violation.
    Ok(match checked.cut {
        Some(cut) => MatrixVerdict::Unknown(Undecided::RunCut(cut)),
        None => MatrixVerdict::Passed,
    })
}

/// Checks the run of one schedule, as a report gives it.
///
/// # Errors
/// As [`check_matrix`].
pub fn check_schedule(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    matrix: &Matrix,
    schedule: &Schedule,
    tick: Tick<'_>,
) -> Result<CheckedMatrix, LineupError> {
    let mut checked = unchecked(matrix)?;
    checked.verdict = unknown_if_limited(check_run(executor, request, &mut checked, schedule, tick))?;
    Ok(checked)
}

fn check_run(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut CheckedMatrix,
    schedule: &Schedule,
    tick: Tick<'_>,
) -> Result<MatrixVerdict, LineupError> {
    if let Some(verdict) = serial_phase(executor, request, checked, tick)? {
        return Ok(verdict);
    }
    let execution = executor.replay(&checked.matrix, schedule, &executor.racy_accesses())?;
    let is_inconclusive = matches!(execution.ending, RunEnding::Cut(_) | RunEnding::Diverged);
    let mut runs = ConcurrentRuns::new(
        request,
        &checked.matrix,
        &checked.serial,
        &mut checked.results,
        false,
    );
    let _ = runs.add(execution)?;
    let ConcurrentRuns {
        phases,
        simplest,
        contended,
        races,
        ..
    } = runs;
    checked.phases = phases;
    let violation = match simplest {
        Some(violation) => Some(violation),
        None => contention::first_unexplained(executor, request, checked, contended)?.or(races.violation),
    };
    Ok(match violation {
        Some(violation) => return confirmed(executor, request, checked, violation, tick),
        None if is_inconclusive => MatrixVerdict::Unknown(Undecided::NotRepeated),
        None => MatrixVerdict::Passed,
    })
}

fn unchecked(matrix: &Matrix) -> Result<CheckedMatrix, LineupError> {
    Ok(CheckedMatrix {
        matrix: matrix.clone().checked()?,
        results: Results::default(),
        serial: SerialHistories::default(),
        serial_phase: PhaseFigures::default(),
        phases: Vec::new(),
        cut: None,
        suspected: None,
        redundant: 0,
        verdict: MatrixVerdict::Passed,
    })
}
