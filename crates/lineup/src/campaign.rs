//! Many matrices: given ones, random ones (`RandomCheck`), or all small ones (`AutoCheck`), until one fails.

use std::fmt;
use std::time::{Duration, Instant};

use omnilink_sched::Schedule;

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
use crate::verdict::{Checked, Phase, Undecided, Verdict, Why};

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
    /// These, then those.
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
    /// How many matrices these are at most, for an alphabet.
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

/// What came of many matrices.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Matrices checked, those of shrinking left out.
    pub matrices: u64,
    /// Of these, those about which nothing can be concluded.
    pub undecided: u64,
    /// The first of these.
    pub first_undecided: Option<Box<Checked>>,
    /// Runs, those of shrinking left out.
    pub executions: u64,
    /// Serial histories.
    pub serial_histories: u64,
    /// Serial histories that end in a call that is stuck.
    pub serial_stuck: u64,
    /// The concurrent runs, by preemptions, all matrices together. Complete where all matrices are.
    pub phases: Vec<Phase>,
    /// Which matrices were asked for, in words.
    pub asked: String,
    /// A race that may be none.
    pub suspected: Option<RaceReport>,
    /// What the executor sees of the component.
    pub scope: Option<Scope>,
    /// Whether the matrices that were asked for ran out before the time did.
    pub is_complete: bool,
    /// How long it took, without shrinking.
    pub seconds: f64,
    /// What failed.
    pub failure: Option<Box<Failure>>,
}

/// A matrix that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// As it was found.
    pub found: Matrix,
    /// As small as it gets, with what became of it.
    pub smallest: Checked,
    /// Whether the run was repeated from its schedule and had the same history. `None` if it cannot be repeated or was
    /// serial.
    pub is_repeatable: Option<bool>,
    /// How long shrinking took.
    pub shrink_seconds: f64,
}

/// Checks matrices until one fails, and shrinks that one. `seen` is told about each matrix that was checked.
///
/// # Errors
/// When a matrix cannot be run.
pub fn run_campaign(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    matrices: &Matrices,
    seen: &mut dyn FnMut(&Checked),
    tick: Tick<'_>,
) -> Result<Summary, LineupError> {
    let started = Instant::now();
    let all = matrices.all(request.alphabet, request.options.seed);
    let mut summary = Summary {
        is_complete: true,
        asked: matrices.to_string(),
        ..Summary::default()
    };
    // Calls that never came to a step: each run that makes them takes seconds, and tells nothing new.
    let mut silent: Vec<CallId> = Vec::new();
    for matrix in all {
        if request.options.is_over() {
            summary.is_complete = false;
            break;
        }
        if matrix
            .slots()
            .filter_map(|slot| matrix.call(slot))
            .any(|call| silent.contains(&call))
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
        if matches!(checked.verdict, Verdict::Unknown(_)) {
            summary.undecided += 1;
            silent.extend(silent_call(&checked));
            summary.first_undecided.get_or_insert_with(|| Box::new(checked));
        }
    }
    Ok(summary)
}

/// What came of the run of one schedule, told as a campaign of one matrix.
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
        Verdict::Passed => {}
        Verdict::Unknown(_) => {
            summary.undecided = 1;
            summary.first_undecided = Some(Box::new(checked));
        }
        Verdict::Violation(_) | Verdict::Nondeterministic(_) => {
            summary.failure = Some(Box::new(Failure {
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
    checked: Checked,
    found_in: Duration,
    tick: Tick<'_>,
) -> Result<Failure, LineupError> {
    let started = Instant::now();
    let found = checked.matrix.clone();
    // A budget of its own: a finding is there already, and the time limit is for finding.
    let options = LineupOptions {
        deadline: started.checked_add(found_in.max(SHRINK_AT_LEAST)),
        ..*request.options
    };
    let request = Request {
        options: &options,
        ..request
    };
    let mut smallest = shrink(executor, request, checked, tick)?;
    let is_repeatable = repeat(executor, &mut smallest)?;
    Ok(Failure {
        found,
        smallest,
        is_repeatable,
        shrink_seconds: started.elapsed().as_secs_f64(),
    })
}

/// Shrinking may take as long as finding took, and where that was quick, so long.
pub const SHRINK_AT_LEAST: Duration = Duration::from_secs(10);

/// The call that came to no step in a serial run.
fn silent_call(checked: &Checked) -> Option<CallId> {
    match checked.verdict {
        Verdict::Unknown(Undecided::SerialRunCut(cut)) => checked.matrix.call(cut.silent_call()?),
        _ => None,
    }
}

/// Makes the run of a violation once more, which also tells where in the source threads took turns.
fn repeat(executor: &mut dyn MatrixExecutor, smallest: &mut Checked) -> Result<Option<bool>, LineupError> {
    let Checked {
        matrix,
        results,
        verdict: Verdict::Violation(violation),
        ..
    } = smallest
    else {
        return Ok(None);
    };
    if violation.is_serial || violation.execution.schedule.is_empty() {
        executor.locate(&mut violation.execution);
        return Ok(None);
    }
    let again = executor.replay(matrix, &violation.execution.schedule, &violation.execution.places)?;
    let history = CallHistory::of(&again, results);
    let is_same = history.is_some_and(|history| history.canonical() == violation.history.canonical());
    if is_same {
        violation.execution = again;
        // The places of the race are known now.
        if let Why::Race(race) = &mut violation.why
            && let Some(located) = violation.execution.races.iter().find(|other| other.is_like(race))
        {
            *race = located.clone();
        }
    }
    Ok(Some(is_same))
}

impl Summary {
    fn add(&mut self, checked: &Checked) {
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
                self.phases.push(Phase {
                    bound: phase.bound.map(|_| self.phases.len() as u32),
                    is_complete: true,
                    ..Phase::default()
                });
            }
            if let Some(total) = self.phases.get_mut(at) {
                total.add(phase);
            }
        }
    }
}
