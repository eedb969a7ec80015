//! Checking many matrices: given ones, random ones (`RandomCheck`), or all small ones (`AutoCheck`), until one fails.

mod further;

use std::time::Instant;

use omnilink_evidence::Limit;
use omnilink_sched::Schedule;

use crate::call_id::CallId;
use crate::campaign_coverage::{PartCoverage, PassCoverage};
use crate::check::{check_deeper, check_matrix, check_schedule};
use crate::execution::RaceReport;
use crate::executor::MatrixExecutor;
use crate::failing_matrix::{FailingMatrix, failure};
use crate::lineup_error::LineupError;
use crate::matrices::{Matrices, Part};
use crate::matrix::Matrix;
use crate::options::{LineupOptions, RunSelection};
use crate::request::{Request, Tick};
use crate::scope::Scope;
use crate::verdict::{CheckedMatrix, MatrixVerdict, PhaseFigures, Undecided};

/// The result of checking many matrices.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Matrices checked, without those of shrinking.
    pub matrices: u64,
    /// Those of them about which nothing can be concluded.
    pub undecided: u64,
    /// The first of these.
    pub first_undecided: Option<Box<CheckedMatrix>>,
    /// Further random matrices, for which there was time left: all of them passed, and no other figure but that of the runs is about them.
    pub further: u64,
    /// Runs, without those of shrinking.
    pub executions: u64,
    /// Serial histories.
    pub serial_histories: u64,
    /// Serial histories that end in a stuck call.
    pub serial_stuck: u64,
    /// The concurrent runs of all matrices that were asked for, by their preemptions. A phase is complete if it is complete for all matrices.
    pub phases: Vec<PhaseFigures>,
    /// The number of matrices of which these are the runs.
    pub(crate) phases_of: u64,
    /// Which matrices were requested, in words.
    pub asked: String,
    /// A race that is only suspected.
    pub suspected: Option<RaceReport>,
    /// What the executor sees of the component.
    pub scope: Option<Scope>,
    /// How far it came, part by part.
    pub coverage: Vec<PartCoverage>,
    /// Whether all matrices that were requested were checked.
    pub is_complete: bool,
    /// The limit that ended the campaign, if one did.
    pub limit: Option<Limit>,
    /// How long it took, without shrinking.
    pub seconds: f64,
    /// The matrix that failed.
    pub failure: Option<Box<FailingMatrix>>,
}

/// Checks matrices until one fails, and shrinks that one. Calls `seen` with each check of a matrix, and whether it is the first of that
/// matrix.
///
/// # Errors
/// When a matrix cannot be run.
pub fn run_campaign(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    matrices: &Matrices,
    seen: &mut dyn FnMut(&CheckedMatrix, bool),
    tick: Tick<'_>,
) -> Result<Summary, LineupError> {
    let mut campaign = Campaign {
        executor,
        request,
        seen,
        tick,
        started: Instant::now(),
        unresponsive: Vec::new(),
        summary: Summary {
            is_complete: true,
            asked: matrices.to_string(),
            ..Summary::default()
        },
    };
    for part in matrices.parts() {
        campaign.check_part(part)?;
        if campaign.has_ended() {
            break;
        }
    }
    if !campaign.has_ended() {
        campaign.check_further(matrices)?;
    }
    Ok(campaign.summary)
}

/// A campaign in progress.
struct Campaign<'a> {
    executor: &'a mut dyn MatrixExecutor,
    request: Request<'a>,
    seen: &'a mut dyn FnMut(&CheckedMatrix, bool),
    tick: Tick<'a>,
    started: Instant,
    /// Calls that reach no scheduling point. Each run with such a call would take seconds and show nothing new.
    unresponsive: Vec<CallId>,
    summary: Summary,
}

/// The serial histories of this many, of all matrices of a part together, are kept for the next pass. Beyond that they are made again.
const KEPT_SERIAL_HISTORIES: u64 = 200_000;

impl Campaign<'_> {
    /// Checks the matrices of a part, with one bound after the other.
    fn check_part(&mut self, part: Part<'_>) -> Result<(), LineupError> {
        let request = self.request;
        let passes = part.passes(request.alphabet, request.options.search);
        // What was found out about each matrix so far; `None` if it need not, or cannot, be checked with a larger bound.
        let mut states: Vec<Option<MatrixState>> = Vec::new();
        let mut coverage = PartCoverage {
            name: part.to_string(),
            passes: Vec::new(),
        };
        for (pass, search) in passes.into_iter().enumerate() {
            let options = LineupOptions {
                search,
                ..*request.options
            };
            let request = Request {
                options: &options,
                ..request
            };
            let (mut checked_now, mut kept) = (0, 0);
            for (index, matrix) in part.all(request.alphabet, options.seed).enumerate() {
                if let Some(limit) = options.reached() {
                    self.stop(limit);
                    break;
                }
                if pass == 0 {
                    let state = self.check_first(request, &matrix, &mut kept)?;
                    states.push(state);
                } else if let Some(state) = states.get_mut(index).and_then(Option::take) {
                    let state = self.check_deeper(request, &matrix, state, &mut kept)?;
                    states[index] = state;
                }
                if self.has_ended() {
                    break;
                }
                checked_now += 1;
            }
            let has_ended = self.has_ended();
            coverage.passes.push(PassCoverage {
                bound: match search {
                    RunSelection::Bounded { preemptions } => Some(preemptions),
                    RunSelection::Random { .. }
                    | RunSelection::Pct { .. }
                    | RunSelection::PartialOrders { .. } => None,
                },
                matrices: checked_now,
                of: match has_ended {
                    false => checked_now,
                    // All matrices are known after the first pass.
                    true if pass > 0 => states.len() as u64,
                    true => part.at_most(request.alphabet),
                },
            });
            if has_ended {
                break;
            }
        }
        for state in states.iter().flatten() {
            self.summary.add_phases(&state.phases);
        }
        self.summary.coverage.push(coverage);
        Ok(())
    }

    /// Checks a matrix for the first time.
    fn check_first(
        &mut self,
        request: Request<'_>,
        matrix: &Matrix,
        kept: &mut u64,
    ) -> Result<Option<MatrixState>, LineupError> {
        self.summary.matrices += 1;
        if self.has_unresponsive_call(matrix) {
            self.summary.undecided += 1;
            return Ok(None);
        }
        let checked = check_matrix(self.executor, request, matrix, self.tick)?;
        self.summary.add_serial(&checked);
        self.summary.executions += checked.executions();
        self.settle(checked, true, kept)
    }

    /// Checks a matrix with a larger bound than before.
    fn check_deeper(
        &mut self,
        request: Request<'_>,
        matrix: &Matrix,
        state: MatrixState,
        kept: &mut u64,
    ) -> Result<Option<MatrixState>, LineupError> {
        let checked = match state.checked {
            Some(checked) => {
                let checked = check_deeper(self.executor, request, checked, self.tick)?;
                self.summary.executions += checked.executions() - checked.serial_phase.executions;
                checked
            }
            None => {
                let checked = check_matrix(self.executor, request, matrix, self.tick)?;
                self.summary.executions += checked.executions();
                checked
            }
        };
        let checked = CheckedMatrix {
            phases: at_least(checked.phases, &state.phases),
            ..checked
        };
        self.settle(checked, false, kept)
    }

    /// Takes a checked matrix into account. Returns what the next pass needs; `None` if there is nothing left to check.
    fn settle(
        &mut self,
        checked: CheckedMatrix,
        is_first: bool,
        kept: &mut u64,
    ) -> Result<Option<MatrixState>, LineupError> {
        self.summary.scope = self.executor.scope();
        if self.summary.suspected.is_none() {
            self.summary.suspected.clone_from(&checked.suspected);
        }
        (self.seen)(&checked, is_first);
        self.summary.seconds = self.started.elapsed().as_secs_f64();
        match checked.verdict {
            MatrixVerdict::Violation(_) | MatrixVerdict::Nondeterministic(_) => {
                self.summary.add_phases(&checked.phases);
                let found_in = self.started.elapsed();
                let found_by = (found_in, self.summary.executions);
                let failing = failure(self.executor, self.request, checked, found_by, self.tick)?;
                self.summary.failure = Some(Box::new(failing));
                return Ok(None);
            }
            MatrixVerdict::Unknown(undecided) => {
                if let Undecided::Limit(limit) = undecided {
                    self.stop(limit);
                }
                self.summary.undecided += 1;
                self.summary.add_phases(&checked.phases);
                self.unresponsive.extend(unresponsive_call(&checked));
                let first = &mut self.summary.first_undecided;
                first.get_or_insert_with(|| Box::new(checked));
                return Ok(None);
            }
            MatrixVerdict::Passed => {}
        }
        // A larger bound would only repeat the runs that there were too many of.
        let concurrent = checked.executions() - checked.serial_phase.executions;
        if concurrent >= self.request.options.executions_max {
            self.summary.add_phases(&checked.phases);
            return Ok(None);
        }
        *kept += checked.serial.len();
        Ok(Some(MatrixState {
            phases: checked.phases.clone(),
            checked: (*kept <= KEPT_SERIAL_HISTORIES).then_some(checked),
        }))
    }

    fn stop(&mut self, limit: Limit) {
        self.summary.is_complete = false;
        self.summary.limit = Some(limit);
    }

    fn has_unresponsive_call(&self, matrix: &Matrix) -> bool {
        let mut calls = matrix.slots().filter_map(|slot| matrix.call(slot));
        calls.any(|call| self.unresponsive.contains(&call))
    }

    /// Whether a violation, a limit or an interrupt has ended the campaign.
    fn has_ended(&self) -> bool {
        self.summary.failure.is_some() || self.summary.limit.is_some()
    }
}

/// What is known of a matrix between two passes.
struct MatrixState {
    phases: Vec<PhaseFigures>,
    /// Its serial histories, if they are kept.
    checked: Option<CheckedMatrix>,
}

/// Phases of which those stay complete that were complete before: a search that is stopped has not made all runs again.
fn at_least(phases: Vec<PhaseFigures>, before: &[PhaseFigures]) -> Vec<PhaseFigures> {
    let mut phases = phases;
    for (index, known) in before.iter().enumerate() {
        match phases.get_mut(index) {
            Some(phase) if phase.is_complete || !known.is_complete => {}
            Some(phase) => *phase = *known,
            None => phases.push(*known),
        }
    }
    phases
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
    summary.matrices = 1;
    summary.executions = checked.executions();
    summary.suspected.clone_from(&checked.suspected);
    summary.add_serial(&checked);
    summary.add_phases(&checked.phases);
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
                shrink_executions: 0,
            }));
        }
    }
    Ok(summary)
}

/// The call that reached no scheduling point in a serial run.
fn unresponsive_call(checked: &CheckedMatrix) -> Option<CallId> {
    match checked.verdict {
        MatrixVerdict::Unknown(Undecided::SerialRunCut(cut)) => checked.matrix.call(cut.unresponsive_call()?),
        _ => None,
    }
}

impl Summary {
    /// How far the campaign came, in words, if it was stopped.
    pub fn reached(&self) -> Option<String> {
        let parts: Vec<String> = self.coverage.iter().filter_map(PartCoverage::text).collect();
        (!self.is_complete && !parts.is_empty()).then(|| parts.join("; "))
    }

    /// Adds the serial runs of a matrix.
    fn add_serial(&mut self, checked: &CheckedMatrix) {
        self.serial_histories += checked.serial.len();
        self.serial_stuck += checked.serial.stuck();
    }

    /// Adds the concurrent runs of a matrix.
    fn add_phases(&mut self, phases: &[PhaseFigures]) {
        for phase in phases {
            let at = phase.bound.unwrap_or(0) as usize;
            while self.phases.len() <= at {
                self.phases.push(PhaseFigures {
                    bound: phase.bound.map(|_| self.phases.len() as u32),
                    // Matrices before this one have no such runs.
                    is_complete: self.phases_of == 0,
                    ..PhaseFigures::default()
                });
            }
            if let Some(total) = self.phases.get_mut(at) {
                total.add(phase);
            }
        }
        let known = phases.len();
        self.phases
            .iter_mut()
            .skip(known)
            .for_each(|phase| phase.is_complete = false);
        self.phases_of += 1;
    }
}
