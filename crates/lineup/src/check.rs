//! `Check(X, m)`: does the component do concurrently what it does serially?
//!
//! Two phases. All serial runs of the matrix are made and kept: they are the only deterministic specification that the
//! component could have for these calls. Then concurrent runs are made, and each new history is explained by a serial
//! one, or is a violation: the component is not linearizable, whatever its specification.

use std::ops::ControlFlow;
use std::time::Instant;

use omnilink_engine::{CheckError, Consistency};
use omnilink_sched::Schedule;
use rustc_hash::FxHashSet;
use thiserror::Error;

use crate::alphabet::Alphabet;
use crate::contention;
use crate::execution::{Cut, MatrixRun, RunEnding};
use crate::executor::{ExecutorError, MatrixExecutor, RunPlan};
use crate::history::{CallHistory, Close, Results};
use crate::matrix::{Matrix, MatrixError};
use crate::options::{Blocking, Criterion, LineupOptions, Search};
use crate::serial::{NotSerial, SerialHistories};
use crate::specification::{Specification, SpecificationError};
use crate::verdict::{Checked, Phase, Undecided, Verdict, Violation, Why};
use crate::witness::Witnesses;
use crate::words::Words;

/// Why a check ended without an answer.
#[derive(Debug, Error)]
pub enum LineupError {
    /// The component cannot be run.
    #[error(transparent)]
    MatrixExecutor(#[from] ExecutorError),
    /// The matrix cannot be run.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The search for explanations failed.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The specification does not fit the component.
    #[error(transparent)]
    Specification(#[from] SpecificationError),
    /// What ran the matrix interrupted a call although it was asked not to.
    #[error("internal error, please report it: a serial run of {0} has calls that overlap")]
    NotSerial(String),
}

/// What to check, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What may be called.
    pub alphabet: &'a Alphabet,
    /// How.
    pub options: &'a LineupOptions,
    /// What explains a history, if not the component's serial runs.
    pub specification: Option<&'a Specification>,
}

/// Tells after each run how many there have been, for whoever waits.
pub type Tick<'a> = &'a mut (dyn FnMut() + Send);

/// Checks one matrix.
///
/// # Errors
/// When it cannot be run. Whatever the component does is an answer, not an error.
pub fn check_matrix(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    matrix: &Matrix,
    tick: Tick<'_>,
) -> Result<Checked, LineupError> {
    let mut checked = unchecked(matrix)?;
    checked.verdict = match check_phases(executor, request, &mut checked, tick) {
        Err(LineupError::Specification(SpecificationError::TimeIsUp)) => {
            Verdict::Unknown(Undecided::TimeIsUp)
        }
        verdict => verdict?,
    };
    Ok(checked)
}

fn check_phases(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut Checked,
    tick: Tick<'_>,
) -> Result<Verdict, LineupError> {
    if let Some(verdict) = serial_phase(executor, request, checked, tick)? {
        return Ok(verdict);
    }
    let options = request.options;
    let seed = options.seed;
    let plan = match options.search {
        Search::Bounded { preemptions } => RunPlan::Bounded { preemptions },
        Search::Random { executions } => RunPlan::Random { seed, executions },
        Search::Pct { executions, depth } => RunPlan::Pct {
            seed,
            executions,
            depth,
        },
    };
    let violation = with_races(executor, request, checked, plan, tick)?;
    Ok(match violation {
        Some(violation) => Verdict::Violation(Box::new(violation)),
        None if options.is_over() && checked.phases.iter().any(|phase| !phase.is_complete) => {
            Verdict::Unknown(Undecided::TimeIsUp)
        }
        // What it would have come to is not known, so that nothing can be said about all runs.
        None => match checked.cut {
            Some(cut) => Verdict::Unknown(Undecided::RunCut(cut)),
            None => Verdict::Passed,
        },
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
) -> Result<Checked, LineupError> {
    let mut checked = unchecked(matrix)?;
    if let Some(verdict) = serial_phase(executor, request, &mut checked, tick)? {
        checked.verdict = verdict;
        return Ok(checked);
    }
    let execution = executor.replay(&checked.matrix, schedule, &executor.switched())?;
    let is_useless = matches!(execution.ending, RunEnding::Cut(_) | RunEnding::Diverged);
    let mut runs = Concurrent::new(
        request,
        &checked.matrix,
        &checked.serial,
        &mut checked.results,
        false,
    );
    let _ = runs.take(execution)?;
    let Concurrent {
        phases,
        simplest,
        contended,
        racing,
        ..
    } = runs;
    checked.phases = phases;
    let simplest = match simplest {
        Some(violation) => Some(violation),
        None => contention::first_unexplained(executor, request, &mut checked, contended)?.or(racing.told),
    };
    checked.verdict = match simplest {
        Some(violation) => Verdict::Violation(Box::new(violation)),
        None if is_useless => Verdict::Unknown(Undecided::NotRepeated),
        None => Verdict::Passed,
    };
    Ok(checked)
}

fn unchecked(matrix: &Matrix) -> Result<Checked, LineupError> {
    Ok(Checked {
        matrix: matrix.clone().checked()?,
        results: Results::default(),
        serial: SerialHistories::default(),
        serial_phase: Phase::default(),
        phases: Vec::new(),
        cut: None,
        suspected: None,
        redundant: 0,
        verdict: Verdict::Passed,
    })
}

/// Makes all serial runs. Gives the verdict if it is known after that.
fn serial_phase(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut Checked,
    tick: Tick<'_>,
) -> Result<Option<Verdict>, LineupError> {
    let started = Instant::now();
    let options = request.options;
    let mut phase = Phase {
        is_complete: true,
        ..Phase::default()
    };
    let mut verdict = None;
    let mut failure = None;
    let mut silence = None;
    let Checked {
        matrix,
        results,
        serial,
        cut,
        ..
    } = checked;
    // Another surrounding can only add contradictions: the first alone decides whether there are all serial runs.
    for environment in 0..options.environments.max(1) {
        let visit = &mut |execution: MatrixRun| {
            tick();
            phase.executions += 1;
            let Some(history) = CallHistory::of(&execution, results) else {
                count_useless(&mut phase, cut, &execution);
                // The next run that makes this call would take as long to tell, and the answer is known.
                if let RunEnding::Cut(cut) = execution.ending
                    && cut.silent_call().is_some()
                {
                    silence = Some(cut);
                    return ControlFlow::Break(());
                }
                return ControlFlow::Continue(());
            };
            let is_new = match serial.insert(&history) {
                Ok(is_new) => is_new,
                // What a specification allows, it may allow in several ways.
                Err(NotSerial::Nondeterministic(_)) if request.specification.is_some() => true,
                Err(NotSerial::Nondeterministic(nondeterminism)) => {
                    verdict = Some(Verdict::Nondeterministic(nondeterminism));
                    return ControlFlow::Break(());
                }
                Err(NotSerial::Overlap) => {
                    failure = Some(LineupError::NotSerial(
                        matrix.display(request.alphabet).to_string(),
                    ));
                    return ControlFlow::Break(());
                }
            };
            if !is_new {
                return ControlFlow::Continue(());
            }
            let words = Words {
                alphabet: request.alphabet,
                matrix,
                results,
            };
            match trouble(request, words, &history, true) {
                Ok(None) => ControlFlow::Continue(()),
                Ok(Some(why)) => {
                    verdict = Some(Verdict::Violation(Box::new(Violation {
                        history,
                        execution,
                        is_serial: true,
                        why,
                    })));
                    ControlFlow::Break(())
                }
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let coverage = executor.explore(
            matrix,
            RunPlan::Serial { environment },
            options.serial_allowance(environment),
            visit,
        )?;
        if environment == 0 {
            phase.is_complete = coverage.is_complete;
        }
        if verdict.is_some() || failure.is_some() || silence.is_some() {
            break;
        }
    }
    phase.histories = serial.len();
    phase.checked = serial.len();
    phase.stuck = serial.stuck();
    phase.crashed = serial.crashed();
    phase.seconds = started.elapsed().as_secs_f64();
    checked.serial_phase = phase;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if verdict.is_some() {
        return Ok(verdict);
    }
    if let Some(cut) = silence {
        return Ok(Some(Verdict::Unknown(Undecided::SerialRunCut(cut))));
    }
    // With a specification of its own, the component's serial runs are runs like all others: a missing one is no excuse.
    if request.specification.is_some() {
        return Ok(None);
    }
    Ok(if let Some(cut) = silence.or(checked.cut) {
        Some(Verdict::Unknown(Undecided::SerialRunCut(cut)))
    } else if phase.diverged > 0 {
        Some(Verdict::Unknown(Undecided::SerialRunsDiverged))
    } else if !phase.is_complete {
        let is_over = options.is_over();
        Some(Verdict::Unknown(match is_over {
            true => Undecided::TimeIsUp,
            false => Undecided::TooManySerialRuns,
        }))
    } else {
        None
    })
}

/// Makes concurrent runs. When two accesses race, the runs are made once more with switches at these accesses: what comes of a
/// race tells more than the race, which is told if nothing comes of it.
fn with_races(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut Checked,
    plan: RunPlan,
    tick: Tick<'_>,
) -> Result<Option<Violation>, LineupError> {
    /// Switching at some races shows others.
    const TIMES: usize = 4;
    let (mut race, mut freed) = (None, None);
    for _ in 0..TIMES {
        let (violation, racing) = concurrent_phases(executor, request, checked, plan, tick)?;
        if violation.is_some() {
            return Ok(violation);
        }
        race = race.or(racing.told);
        freed = freed.or(racing.freed);
        if !executor.switch_at(&racing.places) {
            break;
        }
    }
    let Some(mut race) = race else {
        // No run used the memory after that, but nothing was seen that forbids it.
        if let Some(mut execution) = freed {
            executor.locate(&mut execution);
            checked.suspected = execution.races.into_iter().find(|race| race.frees);
        }
        return Ok(None);
    };
    if executor.scope().is_some_and(|scope| scope.may_hide_order()) {
        executor.locate(&mut race.execution);
        checked.suspected = race.execution.races.into_iter().find(|race| !race.is_meant);
        return Ok(None);
    }
    Ok(Some(race))
}

/// The races of concurrent runs.
#[derive(Debug, Default)]
struct Racing {
    /// The first run with a race that is wrong in itself.
    told: Option<Violation>,
    /// The first run in which memory is given back that another thread has used, with nothing in between.
    freed: Option<MatrixRun>,
    /// Where the accesses are.
    places: Vec<u64>,
}

/// Concurrent runs that are being made.
struct Concurrent<'a> {
    request: Request<'a>,
    matrix: &'a Matrix,
    serial: &'a SerialHistories,
    results: &'a mut Results,
    phases: Vec<Phase>,
    cut: Option<Cut>,
    /// Histories that can be explained only if calls that may fail did so because of others.
    contended: Vec<Violation>,
    racing: Racing,
    histories: FxHashSet<CallHistory>,
    checked: FxHashSet<CallHistory>,
    simplest: Option<Violation>,
    is_bounded: bool,
    last: Instant,
}

fn concurrent_phases(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut Checked,
    plan: RunPlan,
    tick: Tick<'_>,
) -> Result<(Option<Violation>, Racing), LineupError> {
    let is_bounded = matches!(plan, RunPlan::Bounded { .. });
    let mut runs = Concurrent::new(
        request,
        &checked.matrix,
        &checked.serial,
        &mut checked.results,
        is_bounded,
    );
    let mut failure = None;
    let visit = &mut |execution: MatrixRun| {
        tick();
        match runs.take(execution) {
            Ok(flow) => flow,
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let coverage = executor.explore(
        &checked.matrix,
        plan,
        request.options.concurrent_allowance(),
        visit,
    )?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    // A number of preemptions that no run has is dealt with too.
    if let Some(completed) = coverage.bound_completed {
        runs.reach(completed);
    }
    for phase in &mut runs.phases {
        let is_done = |bound| {
            coverage
                .bound_completed
                .is_some_and(|completed| bound <= completed)
        };
        phase.is_complete = coverage.is_complete || phase.bound.is_some_and(is_done);
    }
    let Concurrent {
        phases,
        simplest,
        cut,
        contended,
        racing,
        ..
    } = runs;
    checked.phases = phases;
    checked.redundant = coverage.redundant;
    checked.cut = checked.cut.or(cut);
    match simplest {
        Some(violation) => Ok((Some(violation), racing)),
        None => Ok((
            contention::first_unexplained(executor, request, checked, contended)?,
            racing,
        )),
    }
}

impl<'a> Concurrent<'a> {
    fn new(
        request: Request<'a>,
        matrix: &'a Matrix,
        serial: &'a SerialHistories,
        results: &'a mut Results,
        is_bounded: bool,
    ) -> Self {
        Self {
            request,
            matrix,
            serial,
            results,
            phases: Vec::new(),
            cut: None,
            contended: Vec::new(),
            racing: Racing::default(),
            histories: FxHashSet::default(),
            checked: FxHashSet::default(),
            simplest: None,
            is_bounded,
            last: Instant::now(),
        }
    }

    /// Looks at the history of a run, if it is a new one.
    fn take(&mut self, execution: MatrixRun) -> Result<ControlFlow<()>, LineupError> {
        let at = self.phase_of(&execution);
        let now = Instant::now();
        let Some(phase) = self.phases.get_mut(at) else {
            return Ok(ControlFlow::Continue(()));
        };
        phase.seconds += (now - self.last).as_secs_f64();
        self.last = now;
        phase.executions += 1;
        let Some(history) = CallHistory::of(&execution, self.results) else {
            count_useless(phase, &mut self.cut, &execution);
            return Ok(ControlFlow::Continue(()));
        };
        if !self.histories.insert(history.clone()) {
            return Ok(self.look_for_races(history, execution));
        }
        phase.histories += 1;
        phase.stuck += u64::from(history.close == Close::Stuck);
        phase.crashed += u64::from(matches!(history.close, Close::Crashed(..)));
        if !self.checked.insert(history.canonical()) {
            return Ok(self.look_for_races(history, execution));
        }
        phase.checked += 1;
        let words = Words {
            alphabet: self.request.alphabet,
            matrix: self.matrix,
            results: self.results,
        };
        let Some(why) = explain(self.request, self.serial, words, &history)? else {
            return Ok(self.look_for_races(history, execution));
        };
        let found = Violation {
            history,
            execution,
            is_serial: false,
            why,
        };
        if !contention::failed_calls(&found.history, words).is_empty() {
            self.contended.push(found);
            return Ok(ControlFlow::Continue(()));
        }
        phase.unexplained += 1;
        let is_simpler = |known: &Violation| found.execution.preemptions < known.execution.preemptions;
        if self.simplest.as_ref().is_none_or(is_simpler) {
            self.simplest = Some(found);
        }
        Ok(match self.request.options.count_all {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    }

    /// A run whose history is explained may still have races.
    fn look_for_races(&mut self, history: CallHistory, execution: MatrixRun) -> ControlFlow<()> {
        for access in execution.races.iter().flat_map(|race| &race.accesses) {
            if !self.racing.places.contains(&access.code) {
                self.racing.places.push(access.code);
            }
        }
        if self.racing.freed.is_none() && execution.races.iter().any(|race| race.frees) {
            self.racing.freed = Some(execution.clone());
        }
        let told = execution.races.iter().find(|race| !race.is_meant).cloned();
        if let (Some(race), None) = (told, &self.racing.told) {
            self.racing.told = Some(Violation {
                history,
                execution,
                is_serial: false,
                why: Why::Race(race),
            });
        }
        ControlFlow::Continue(())
    }

    /// The phase that a run belongs to: one for each number of preemptions where these are bounded.
    fn phase_of(&mut self, execution: &MatrixRun) -> usize {
        let at = if self.is_bounded { execution.preemptions } else { 0 };
        self.reach(at);
        at as usize
    }

    fn reach(&mut self, bound: u32) {
        while self.phases.len() <= bound as usize {
            let bound = self.is_bounded.then_some(self.phases.len() as u32);
            self.phases.push(Phase {
                bound,
                ..Phase::default()
            });
        }
    }
}

/// What is wrong with a run whatever serial runs do: it blocks where nothing may, or contradicts the specification.
fn trouble(
    request: Request<'_>,
    words: Words<'_>,
    history: &CallHistory,
    is_serial: bool,
) -> Result<Option<Why>, LineupError> {
    // Nobody means a component to die, and no specification says that it may.
    if let Close::Crashed(slot, reason) = history.close
        && (is_serial || request.specification.is_some())
    {
        return Ok(Some(Why::CrashAlone(slot, reason)));
    }
    if history.close == Close::Stuck && request.options.blocking == Blocking::Never {
        return Ok(Some(Why::Blocked(history.pending())));
    }
    match request.specification {
        Some(specification) => Ok(specification.explain(history, words)?),
        None => Ok(None),
    }
}

pub(crate) fn explain(
    request: Request<'_>,
    serial: &SerialHistories,
    words: Words<'_>,
    history: &CallHistory,
) -> Result<Option<Why>, LineupError> {
    let why = trouble(request, words, history, false)?;
    if why.is_some() || request.specification.is_some() {
        return Ok(why);
    }
    let consistency = match request.options.criterion {
        Criterion::Linearizable => Consistency::Linearizable,
        Criterion::Sequential => Consistency::Sequential,
    };
    Ok(Witnesses::new(serial, words, consistency).explain(history)?)
}

fn count_useless(phase: &mut Phase, first: &mut Option<Cut>, execution: &MatrixRun) {
    match execution.ending {
        RunEnding::Cut(cut) => {
            phase.cut += 1;
            // A call that is to blame says more than a number of steps.
            if first.is_none_or(|first| first.silent_call().is_none()) {
                *first = Some(cut);
            }
        }
        _ => phase.diverged += 1,
    }
}
