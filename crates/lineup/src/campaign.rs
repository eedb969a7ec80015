//! Checking many matrices: given ones, random ones (`RandomCheck`), or all small ones (`AutoCheck`), until one fails.

use std::fmt;
use std::time::{Duration, Instant};

use omnilink_evidence::Limit;
use omnilink_sched::{Schedule, StopConditions};

use crate::alphabet::{Alphabet, CallId};
use crate::check::{LineupError, Request, Tick, check_matrix, check_schedule};
use crate::execution::RaceReport;
use crate::executor::MatrixExecutor;
use crate::history::CallHistory;
use crate::matrix::Matrix;
use crate::options::LineupOptions;
use crate::sample::{GrowingMatrices, RandomMatrices};
use crate::scope::Scope;
use crate::shrink::shrink;
use crate::verdict::{CheckedMatrix, MatrixVerdict, PhaseFigures, Undecided, Why};

/// Which matrices to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matrices {
    /// These.
    Given(Vec<Matrix>),
    /// Random ones of one shape, decided by the seed.
    Random {
        /// Threads.
        threads: usize,
        /// Entries of each thread.
        cells: usize,
        /// How many.
        samples: u64,
    },
    /// First these, then those.
    Then(Box<Matrices>, Box<Matrices>),
    /// All, small ones first, up to this number of threads with as many entries each.
    Growing {
        /// The largest.
        largest: usize,
    },
}

impl Default for Matrices {
    fn default() -> Self {
        Self::Random {
            threads: 3,
            cells: 3,
            samples: 100,
        }
    }
}

impl Matrices {
    /// The most matrices that these are, for an alphabet.
    pub fn at_most(&self, alphabet: &Alphabet) -> u64 {
        match self {
            Self::Given(matrices) => matrices.len() as u64,
            Self::Random { samples, .. } => *samples,
            Self::Growing { largest } => GrowingMatrices::total(alphabet, *largest),
            Self::Then(first, second) => first.at_most(alphabet).saturating_add(second.at_most(alphabet)),
        }
    }

    fn all<'a>(&'a self, alphabet: &'a Alphabet, seed: u64) -> Box<dyn Iterator<Item = Matrix> + 'a> {
        match self {
            Self::Given(matrices) => Box::new(matrices.iter().cloned()),
            Self::Random {
                threads,
                cells,
                samples,
            } => Box::new(RandomMatrices::new(alphabet, *threads, *cells, *samples, seed)),
            Self::Growing { largest } => Box::new(GrowingMatrices::new(alphabet, *largest)),
            Self::Then(first, second) => {
                Box::new(first.all(alphabet, seed).chain(second.all(alphabet, seed)))
            }
        }
    }
}

impl fmt::Display for Matrices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(matrices) if matrices.len() == 1 => f.write_str("1 given matrix"),
            Self::Given(matrices) => write!(f, "{} given matrices", matrices.len()),
            Self::Random {
                threads,
                cells,
                samples,
            } => write!(f, "up to {samples} random matrices of {threads} x {cells}"),
            Self::Growing { largest } => write!(f, "all matrices up to {largest} x {largest}"),
            Self::Then(first, second) if matches!(&**first, Self::Given(none) if none.is_empty()) => {
                second.fmt(f)
            }
            Self::Then(first, second) => write!(f, "{first}, {second}"),
        }
    }
}

/// The result of checking many matrices.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Matrices checked, without those of shrinking.
    pub matrices: u64,
    /// Those of them about which nothing can be concluded.
    pub undecided: u64,
    /// The first of these.
    pub first_undecided: Option<Box<CheckedMatrix>>,
    /// Runs, without those of shrinking.
    pub executions: u64,
    /// Serial histories.
    pub serial_histories: u64,
    /// Serial histories that end in a stuck call.
    pub serial_stuck: u64,
    /// The concurrent runs of all matrices by their preemptions. A phase is complete if it is complete for all matrices.
    pub phases: Vec<PhaseFigures>,
    /// Which matrices were requested, in words.
    pub asked: String,
    /// A race that is only suspected.
    pub suspected: Option<RaceReport>,
    /// What the executor sees of the component.
    pub scope: Option<Scope>,
    /// Whether all matrices that were requested were checked.
    pub is_complete: bool,
    /// The limit that ended the campaign, if one did.
    pub limit: Option<Limit>,
    /// How long it took, without shrinking.
    pub seconds: f64,
    /// The matrix that failed.
    pub failure: Option<Box<FailingMatrix>>,
}

/// A matrix that failed.
#[derive(Clone, Debug)]
pub struct FailingMatrix {
    /// The matrix as it was found.
    pub found: Matrix,
    /// The smallest matrix that fails in the same way.
    pub smallest: CheckedMatrix,
    /// Whether the run had the same history when it was repeated from its schedule. `None` if it is serial or cannot be repeated.
    pub is_repeatable: Option<bool>,
    /// How long shrinking took.
    pub shrink_seconds: f64,
}

/// Checks matrices until one fails, and shrinks that one. Calls `seen` with each matrix that was checked.
///
/// # Errors
/// When a matrix cannot be run.
pub fn run_campaign(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    matrices: &Matrices,
    seen: &mut dyn FnMut(&CheckedMatrix),
    tick: Tick<'_>,
) -> Result<Summary, LineupError> {
    let started = Instant::now();
    let all = matrices.all(request.alphabet, request.options.seed);
    let mut summary = Summary {
        is_complete: true,
        asked: matrices.to_string(),
        ..Summary::default()
    };
    // Calls that reach no scheduling point. Each run with such a call would take seconds and show nothing new.
    let mut unresponsive: Vec<CallId> = Vec::new();
    for matrix in all {
        if let Some(limit) = request.options.reached() {
            summary.is_complete = false;
            summary.limit = Some(limit);
            break;
        }
        if matrix
            .slots()
            .filter_map(|slot| matrix.call(slot))
            .any(|call| unresponsive.contains(&call))
        {
            summary.matrices += 1;
            summary.undecided += 1;
            continue;
        }
        let checked = check_matrix(executor, request, &matrix, tick)?;
        summary.add(&checked);
        summary.scope = executor.scope();
        seen(&checked);
        summary.seconds = started.elapsed().as_secs_f64();
        if checked.verdict.is_failure() {
            let found_in = started.elapsed();
            summary.failure = Some(Box::new(failure(executor, request, checked, found_in, tick)?));
            break;
        }
        if let MatrixVerdict::Unknown(undecided) = checked.verdict {
            if let Undecided::Limit(limit) = undecided {
                summary.is_complete = false;
                summary.limit = Some(limit);
            }
            summary.undecided += 1;
            unresponsive.extend(unresponsive_call(&checked));
            summary.first_undecided.get_or_insert_with(|| Box::new(checked));
            if summary.limit.is_some() {
                break;
            }
        }
    }
    Ok(summary)
}

/// Checks the run of one schedule, as a campaign of one matrix.
///
/// # Errors
/// When the matrix cannot be run.
pub fn run_schedule(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    matrix: &Matrix,
    schedule: &Schedule,
    tick: Tick<'_>,
) -> Result<Summary, LineupError> {
    let started = Instant::now();
    let checked = check_schedule(executor, request, matrix, schedule, tick)?;
    let mut summary = Summary {
        is_complete: true,
        ..Summary::default()
    };
    summary.add(&checked);
    summary.seconds = started.elapsed().as_secs_f64();
    match checked.verdict {
        MatrixVerdict::Passed => {}
        MatrixVerdict::Unknown(undecided) => {
            if let Undecided::Limit(limit) = undecided {
                summary.limit = Some(limit);
            }
            summary.undecided = 1;
            summary.first_undecided = Some(Box::new(checked));
        }
        MatrixVerdict::Violation(_) | MatrixVerdict::Nondeterministic(_) => {
            summary.failure = Some(Box::new(FailingMatrix {
                found: checked.matrix.clone(),
                smallest: checked,
                is_repeatable: Some(true),
                shrink_seconds: 0.0,
            }));
        }
    }
    Ok(summary)
}

fn failure(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: CheckedMatrix,
    found_in: Duration,
    tick: Tick<'_>,
) -> Result<FailingMatrix, LineupError> {
    let started = Instant::now();
    let found = checked.matrix.clone();
    // Shrinking has a time limit of its own: the limit of the user is for finding a violation.
    let options = LineupOptions {
        stop: StopConditions {
            deadline: started.checked_add(found_in.max(SHRINK_AT_LEAST)),
            ..request.options.stop
        },
        ..*request.options
    };
    let request = Request {
        options: &options,
        ..request
    };
    let mut smallest = shrink(executor, request, checked, tick)?;
    let is_repeatable = repeat(executor, &mut smallest)?;
    Ok(FailingMatrix {
        found,
        smallest,
        is_repeatable,
        shrink_seconds: started.elapsed().as_secs_f64(),
    })
}

/// Shrinking may take as long as finding the violation took, and at least this long.
pub const SHRINK_AT_LEAST: Duration = Duration::from_secs(10);

/// The call that reached no scheduling point in a serial run.
fn unresponsive_call(checked: &CheckedMatrix) -> Option<CallId> {
    match checked.verdict {
        MatrixVerdict::Unknown(Undecided::SerialRunCut(cut)) => checked.matrix.call(cut.unresponsive_call()?),
        _ => None,
    }
}

/// Repeats the run of a violation, and looks up its source lines.
fn repeat(
    executor: &mut dyn MatrixExecutor,
    smallest: &mut CheckedMatrix,
) -> Result<Option<bool>, LineupError> {
    let CheckedMatrix {
        matrix,
        results,
        verdict: MatrixVerdict::Violation(violation),
        ..
    } = smallest
    else {
        return Ok(None);
    };
    if violation.is_serial || violation.execution.schedule.is_empty() {
        executor.locate(&mut violation.execution);
        return Ok(None);
    }
    let again = executor.replay(
        matrix,
        &violation.execution.schedule,
        &violation.execution.racy_accesses,
    )?;
    let history = CallHistory::of(&again, results);
    let is_same = history.is_some_and(|history| history.canonical() == violation.history.canonical());
    if is_same {
        violation.execution = again;
        // The source lines of the race are known now.
        if let Why::Race(race) = &mut violation.why
            && let Some(located) = violation
                .execution
                .races
                .iter()
                .find(|other| other.has_same_code(race))
        {
            *race = located.clone();
        }
    }
    Ok(Some(is_same))
}

impl Summary {
    fn add(&mut self, checked: &CheckedMatrix) {
        self.matrices += 1;
        if self.suspected.is_none() {
            self.suspected.clone_from(&checked.suspected);
        }
        self.executions += checked.executions();
        self.serial_histories += checked.serial.len();
        self.serial_stuck += checked.serial.stuck();
        for phase in &checked.phases {
            let at = phase.bound.unwrap_or(0) as usize;
            while self.phases.len() <= at {
                self.phases.push(PhaseFigures {
                    bound: phase.bound.map(|_| self.phases.len() as u32),
                    is_complete: true,
                    ..PhaseFigures::default()
                });
            }
            if let Some(total) = self.phases.get_mut(at) {
                total.add(phase);
            }
        }
    }
}
