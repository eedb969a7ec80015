//! `Check(X, m)` of the Line-Up paper: does the component behave concurrently as it does serially?
//!
//! There are two phases. All serial runs of the matrix are made and kept: they are the only deterministic specification that the
//! component could have for these calls. Then concurrent runs are made. Each new history is explained by a serial one, or is a
//! violation: the component is not linearizable, whatever its specification.

use omnilink_engine::{CheckError, Consistency};
use omnilink_evidence::Limit;
use omnilink_sched::Schedule;
use thiserror::Error;

use crate::alphabet::Alphabet;
use crate::concurrent_phase::{ConcurrentRuns, explore_with_races};
use crate::confirmation::confirmed;
use crate::contention;
use crate::execution::{Cut, MatrixRun, RunEnding};
use crate::executor::{ExecutorError, MatrixExecutor, RunPlan};
use crate::history::{CallHistory, HistoryEnding, Results};
use crate::matrix::{Matrix, MatrixError};
use crate::options::{Blocking, LineupOptions, RunSelection, SerialCriterion, search_limits};
use crate::serial::SerialHistories;
use crate::serial_phase::serial_phase;
use crate::specification::{Specification, SpecificationError};
use crate::verdict::{CheckedMatrix, MatrixVerdict, PhaseFigures, Undecided, Why};
use crate::witness::Witnesses;
use crate::words::Words;

/// Why a check failed.
#[derive(Debug, Error)]
pub enum LineupError {
    /// The component cannot be run.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// The matrix cannot be run.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The search for explanations failed.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The specification does not fit the component.
    #[error(transparent)]
    Specification(#[from] SpecificationError),
    /// A limit or an interrupt ended the search for an explanation.
    #[error("the {} limit ended the search for an explanation", .0.word())]
    Limit(Limit),
    /// The executor switched threads inside a call of a serial run.
    #[error("internal error, please report it: a serial run of {0} has calls that overlap")]
    NotSerial(String),
    /// Serial runs are missing.
    #[error(
        "internal error, please report it: {made} serial runs of {matrix} were made, and there are {all}"
    )]
    SerialRunsMissing {
        /// The matrix.
        matrix: String,
        /// How many were made.
        made: u64,
        /// How many there are.
        all: u64,
    },
    /// A serial run explains what is about to be reported as a violation.
    #[error(
        "internal error, please report it: a run of {matrix} counts as a violation, but these calls, one after the other, explain \
         it: {order}"
    )]
    Explained {
        /// The matrix.
        matrix: String,
        /// The calls.
        order: String,
    },
}

/// What to check, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The calls of the component.
    pub alphabet: &'a Alphabet,
    /// The options.
    pub options: &'a LineupOptions,
    /// The specification, if it is not the component's serial runs.
    pub specification: Option<&'a Specification>,
}

/// Called after each run, to show progress.
pub type Tick<'a> = &'a mut (dyn FnMut() + Send);

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

/// A violation that does not depend on serial runs: the run crashes alone, blocks where nothing may block, or contradicts the
/// specification.
pub(crate) fn violation_without_serial_runs(
    request: Request<'_>,
    words: Words<'_>,
    history: &CallHistory,
    is_serial: bool,
) -> Result<Option<Why>, LineupError> {
    // No component is meant to crash, and no specification allows it.
    if let HistoryEnding::Crashed(slot, reason) = history.ending
        && (is_serial || request.specification.is_some())
    {
        return Ok(Some(Why::CrashAlone(slot, reason)));
    }
    if history.ending == HistoryEnding::Stuck && request.options.blocking == Blocking::Never {
        return Ok(Some(Why::Blocked(history.pending())));
    }
    match request.specification {
        Some(specification) => Ok(specification.explain(history, words)?),
        None => Ok(None),
    }
}

/// Why nothing explains a history of a concurrent run, or `None` if something does.
pub(crate) fn explain(
    request: Request<'_>,
    serial: &SerialHistories,
    words: Words<'_>,
    history: &CallHistory,
) -> Result<Option<Why>, LineupError> {
    let why = violation_without_serial_runs(request, words, history, false)?;
    if why.is_some() || request.specification.is_some() {
        return Ok(why);
    }
    let consistency = match request.options.criterion {
        SerialCriterion::Linearizable => Consistency::Linearizable,
        SerialCriterion::Sequential => Consistency::Sequential,
    };
    let limits = search_limits(&request.options.stop);
    Witnesses::new(serial, words, consistency, limits).explain(history)
}

/// Counts a run from which nothing follows, and keeps the first reason.
pub(crate) fn count_inconclusive(phase: &mut PhaseFigures, first: &mut Option<Cut>, execution: &MatrixRun) {
    match execution.ending {
        RunEnding::Cut(cut) => {
            phase.cut += 1;
            // A call that is to blame is a better reason than a number of steps.
            if first.is_none_or(|first| first.unresponsive_call().is_none()) {
                *first = Some(cut);
            }
        }
        _ => phase.diverged += 1,
    }
}
