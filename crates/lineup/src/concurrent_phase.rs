//! The second phase of a check: concurrent runs of a matrix.

use std::ops::ControlFlow;
use std::time::Instant;

use omnilink_evidence::Limit;
use rustc_hash::FxHashSet;

use crate::contention;
use crate::execution::{Cut, MatrixRun, RaceReport};
use crate::executor::{MatrixExecutor, RunPlan};
use crate::explanation::explain;
use crate::history::{CallHistory, HistoryEnding, Results};
use crate::lineup_error::LineupError;
use crate::matrix::Matrix;
use crate::request::{Request, Tick};
use crate::serial::SerialHistories;
use crate::verdict::count_inconclusive;
use crate::verdict::{CheckedMatrix, PhaseFigures, RunViolation, Why};
use crate::words::Words;

/// Makes concurrent runs. When accesses race, the runs are made again with scheduling points at these accesses: a violation that a
/// race causes says more than the race itself, which is reported only if it causes none.
pub(crate) fn explore_with_races(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut CheckedMatrix,
    plan: RunPlan,
    tick: Tick<'_>,
) -> Result<Option<RunViolation>, LineupError> {
    /// New scheduling points may reveal other races.
    const ROUNDS_MAX: usize = 4;
    let (mut all, mut limit) = (Races::default(), None);
    for _ in 0..ROUNDS_MAX {
        let (violation, races, reached) = explore(executor, request, checked, plan, tick)?;
        if violation.is_some() {
            return Ok(violation);
        }
        all.violation = all.violation.or(races.violation);
        all.freed = all.freed.or(races.freed);
        limit = reached;
        if limit.is_some() || !executor.add_racy_accesses(&races.accesses) {
            break;
        }
    }
    let Some(mut race) = all.violation else {
        if let Some(limit) = limit {
            return Err(LineupError::Limit(limit));
        }
        // No run used the memory after it was freed, but no order that forbids it was seen; or an order may be one that is not seen.
        if let Some(mut execution) = all.freed {
            executor.locate(&mut execution);
            checked.suspected = execution.races.into_iter().find(RaceReport::is_suspicious);
        }
        return Ok(None);
    };
    if executor.scope().is_some_and(|scope| scope.may_hide_order()) {
        executor.locate(&mut race.execution);
        checked.suspected = race
            .execution
            .races
            .into_iter()
            .find(|race| !race.is_inconclusive);
        return match limit {
            Some(limit) => Err(LineupError::Limit(limit)),
            None => Ok(None),
        };
    }
    Ok(Some(race))
}

/// Makes the concurrent runs of a plan once. Also returns the limit that ended them.
fn explore(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut CheckedMatrix,
    plan: RunPlan,
    tick: Tick<'_>,
) -> Result<(Option<RunViolation>, Races, Option<Limit>), LineupError> {
    let is_bounded = matches!(plan, RunPlan::Bounded { .. });
    let mut runs = ConcurrentRuns::new(
        request,
        &checked.matrix,
        &checked.serial,
        &mut checked.results,
        is_bounded,
    );
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
    let allowance = request.options.concurrent_allowance();
    let coverage = executor.explore(&checked.matrix, plan, allowance, visit)?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    // A number of preemptions that no run has is complete too.
    if let Some(completed) = coverage.bound_completed {
        runs.add_phases_to(completed);
    }
    for (bound, diverged) in coverage
        .diverged
        .iter()
        .enumerate()
        .filter(|(_, diverged)| **diverged > 0)
    {
        runs.add_phases_to(bound as u32);
        if let Some(phase) = runs.phases.get_mut(bound) {
            phase.diverged += diverged;
        }
    }
    for phase in &mut runs.phases {
        let is_completed = |bound| {
            coverage
                .bound_completed
                .is_some_and(|completed| bound <= completed)
        };
        phase.is_complete = coverage.is_complete || phase.bound.is_some_and(is_completed);
    }
    let ConcurrentRuns {
        phases,
        simplest,
        cut,
        contended,
        races,
        ..
    } = runs;
    checked.phases = phases;
    checked.redundant = coverage.redundant;
    checked.cut = checked.cut.or(cut);
    let violation = match simplest {
        Some(violation) => Some(violation),
        None => contention::first_unexplained(executor, request, checked, contended)?,
    };
    Ok((violation, races, coverage.limit))
}

/// The races of concurrent runs.
#[derive(Debug, Default)]
pub(crate) struct Races {
    /// The first run with a race that is a bug by itself.
    pub(crate) violation: Option<RunViolation>,
    /// The first run in which a block is freed that another thread has accessed, with nothing to order the two.
    freed: Option<MatrixRun>,
    /// The code addresses of the accesses.
    accesses: Vec<u64>,
}

/// The concurrent runs of a matrix, while they are made.
pub(crate) struct ConcurrentRuns<'a> {
    request: Request<'a>,
    matrix: &'a Matrix,
    serial: &'a SerialHistories,
    results: &'a mut Results,
    pub(crate) phases: Vec<PhaseFigures>,
    cut: Option<Cut>,
    /// Violations that may be explained by calls that failed because of contention.
    pub(crate) contended: Vec<RunViolation>,
    pub(crate) races: Races,
    /// The histories seen so far, to count them.
    histories: FxHashSet<CallHistory>,
    /// The canonical forms that were compared with the serial histories of this matrix. Whether one of those explains a history depends on its
    /// precedence and results only, and that is what the canonical form keeps.
    checked: FxHashSet<CallHistory>,
    /// The violation with the fewest preemptions.
    pub(crate) simplest: Option<RunViolation>,
    is_bounded: bool,
    last: Instant,
}

impl<'a> ConcurrentRuns<'a> {
    pub(crate) fn new(
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
            races: Races::default(),
            histories: FxHashSet::default(),
            checked: FxHashSet::default(),
            simplest: None,
            is_bounded,
            last: Instant::now(),
        }
    }

    /// Adds a run, and checks its history if it is new.
    pub(crate) fn add(&mut self, execution: MatrixRun) -> Result<ControlFlow<()>, LineupError> {
        let at = self.phase_of(&execution);
        let now = Instant::now();
        let Some(phase) = self.phases.get_mut(at) else {
            return Ok(ControlFlow::Continue(()));
        };
        phase.seconds += (now - self.last).as_secs_f64();
        self.last = now;
        phase.executions += 1;
        let Some(history) = CallHistory::of(&execution, self.results) else {
            count_inconclusive(phase, &mut self.cut, &execution);
            return Ok(ControlFlow::Continue(()));
        };
        if !self.histories.insert(history.clone()) {
            self.add_races(history, execution);
            return Ok(ControlFlow::Continue(()));
        }
        phase.histories += 1;
        phase.stuck += u64::from(history.ending == HistoryEnding::Stuck);
        phase.crashed += u64::from(matches!(history.ending, HistoryEnding::Crashed(..)));
        if !self.checked.insert(history.canonical()) {
            self.add_races(history, execution);
            return Ok(ControlFlow::Continue(()));
        }
        phase.checked += 1;
        let words = Words {
            alphabet: self.request.alphabet,
            matrix: self.matrix,
            results: self.results,
        };
        let Some(why) = explain(self.request, self.serial, words, &history)? else {
            self.add_races(history, execution);
            return Ok(ControlFlow::Continue(()));
        };
        let violation = RunViolation {
            history,
            execution,
            is_serial: false,
            why,
        };
        if !contention::failed_calls(&violation.history, words).is_empty() {
            self.contended.push(violation);
            return Ok(ControlFlow::Continue(()));
        }
        phase.unexplained += 1;
        let is_simpler = |known: &RunViolation| violation.execution.preemptions < known.execution.preemptions;
        if self.simplest.as_ref().is_none_or(is_simpler) {
            self.simplest = Some(violation);
        }
        Ok(if self.request.options.count_all {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    }

    /// Adds the races of a run whose history is explained.
    fn add_races(&mut self, history: CallHistory, execution: MatrixRun) {
        for access in execution.races.iter().flat_map(|race| &race.accesses) {
            if !self.races.accesses.contains(&access.code) {
                self.races.accesses.push(access.code);
            }
        }
        if self.races.freed.is_none() && execution.races.iter().any(RaceReport::is_suspicious) {
            self.races.freed = Some(execution.clone());
        }
        let conclusive = execution.races.iter().find(|race| !race.is_inconclusive);
        if let (Some(race), None) = (conclusive.cloned(), &self.races.violation) {
            self.races.violation = Some(RunViolation {
                history,
                execution,
                is_serial: false,
                why: Why::Race(race),
            });
        }
    }

    /// The index of the phase of a run: one phase for each number of preemptions if these are bounded.
    fn phase_of(&mut self, execution: &MatrixRun) -> usize {
        let at = if self.is_bounded { execution.preemptions } else { 0 };
        self.add_phases_to(at);
        at as usize
    }

    fn add_phases_to(&mut self, bound: u32) {
        while self.phases.len() <= bound as usize {
            let bound = self.is_bounded.then_some(self.phases.len() as u32);
            self.phases.push(PhaseFigures {
                bound,
                ..PhaseFigures::default()
            });
        }
    }
}
