//! Shrinking of failing matrices, until no call can be removed.
//!
//! A matrix without a call is another test, so each candidate is checked from scratch, serial runs included. It is kept if it fails
//! in the same way. Runs with fewer preemptions are made first, so the reported run has as few as possible.
//!
//! When no call can be removed, a thread is split in two, which only lets more calls overlap. That is kept if other calls can be
//! removed then.

use rustc_hash::FxHashSet;

use crate::alphabet::Alphabet;
use crate::check::check_matrix;
use crate::executor::MatrixExecutor;
use crate::lineup_error::LineupError;
use crate::matrix::Matrix;
use crate::options::{LineupOptions, RunSelection};
use crate::played_roles::check_roles;
use crate::request::{Request, Tick};
use crate::verdict::{CheckedMatrix, MatrixVerdict};

/// The preemption bound with which a random search is repeated, to find a simple run.
const PREEMPTIONS_MAX: u32 = 3;

/// The smallest matrix that fails in the same way, as far as a number of executions allows; and how many were made.
///
/// # Errors
/// When a matrix cannot be run.
pub(crate) fn shrink(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    failing: CheckedMatrix,
    executions_max: u64,
    tick: Tick<'_>,
) -> Result<(CheckedMatrix, u64), LineupError> {
    if !failing.verdict.is_failure() {
        return Ok((failing, 0));
    }
    let mut smallest = failing;
    let mut executions = 0;
    let options = simplest_search(executor, request, &mut smallest, &mut executions, tick)?;
    let request = Request {
        options: &options,
        ..request
    };
    let mut shrinking = Shrinking {
        executor,
        request,
        tick,
        tried: FxHashSet::default(),
        executions,
        executions_max,
    };
    smallest = shrinking.without_calls(smallest)?;
    while let Some(smaller) = shrinking.with_split_thread(&smallest)? {
        smallest = smaller;
    }
    Ok((smallest, shrinking.executions))
}

struct Shrinking<'a> {
    executor: &'a mut dyn MatrixExecutor,
    request: Request<'a>,
    tick: Tick<'a>,
    /// Matrices that were explored before: exploring is deterministic, so a second time finds nothing new.
    tried: FxHashSet<Matrix>,
    /// Runs so far.
    executions: u64,
    executions_max: u64,
}

impl Shrinking<'_> {
    /// The first of these matrices that fails as `failing` does.
    fn first_failing(
        &mut self,
        matrices: Vec<Matrix>,
        failing: &CheckedMatrix,
    ) -> Result<Option<CheckedMatrix>, LineupError> {
        for matrix in matrices {
            // Half for serial runs, half for concurrent ones.
            let left = self.executions_max.saturating_sub(self.executions) / 2;
            if left == 0 || self.request.options.reached().is_some() {
                break;
            }
            if !self.tried.insert(matrix.clone()) {
                continue;
            }
            // A matrix that cannot be decided with what is left is not used.
            let options = LineupOptions {
                serial_max: self.request.options.serial_max.min(left),
                executions_max: self.request.options.executions_max.min(left),
                ..*self.request.options
            };
            let request = Request {
                options: &options,
                ..self.request
            };
            let checked = check_matrix(self.executor, request, &matrix, self.tick)?;
            self.executions += checked.executions();
            if checked.verdict.fails_like(&failing.verdict) {
                return Ok(Some(checked));
            }
        }
        Ok(None)
    }

    /// Removes calls until none can be removed.
    fn without_calls(&mut self, failing: CheckedMatrix) -> Result<CheckedMatrix, LineupError> {
        let mut smallest = failing;
        while let Some(smaller) = self.first_failing(smaller(&smallest.matrix), &smallest)? {
            smallest = smaller;
        }
        Ok(smallest)
    }

    /// Splits a thread in two, if calls can be removed then.
    fn with_split_thread(&mut self, failing: &CheckedMatrix) -> Result<Option<CheckedMatrix>, LineupError> {
        for matrix in with_one_split(self.request.alphabet, &failing.matrix) {
            if let Some(split) = self.first_failing(vec![matrix], failing)? {
                let smaller = self.without_calls(split)?;
                if smaller.matrix.len() < failing.matrix.len() {
                    return Ok(Some(smaller));
                }
            }
        }
        Ok(None)
    }
}

/// The search for shrinking. No more preemptions are needed than the failure took. Random runs have many switches: if a bounded
/// search finds the failure too, its run is simpler, and it is used from then on.
fn simplest_search(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    failing: &mut CheckedMatrix,
    executions: &mut u64,
    tick: Tick<'_>,
) -> Result<LineupOptions, LineupError> {
    let options = LineupOptions {
        count_all: false,
        ..*request.options
    };
    if !executor.controls_threads() {
        return Ok(LineupOptions {
            search: sampled_like(failing),
            ..options
        });
    }
    let taken = match &failing.verdict {
        MatrixVerdict::Violation(violation) => violation.execution.preemptions,
        _ => 0,
    };
    let bounded_by = |preemptions| LineupOptions {
        search: RunSelection::Bounded { preemptions },
        ..options
    };
    if let RunSelection::Bounded { preemptions } = options.search {
        return Ok(bounded_by(preemptions.min(taken)));
    }
    let bounded = bounded_by(taken.min(PREEMPTIONS_MAX));
    let request = Request {
        options: &bounded,
        ..request
    };
    let checked = check_matrix(executor, request, &failing.matrix, tick)?;
    *executions += checked.executions();
    if checked.verdict.fails_like(&failing.verdict) {
        *failing = checked;
        return Ok(bounded);
    }
    Ok(options)
}

/// With native threads, a smaller matrix gets a multiple of the runs that the failing one took: if it fails much more rarely, it is
/// not used.
fn sampled_like(failing: &CheckedMatrix) -> RunSelection {
    const TIMES: u64 = 3;
    const AT_LEAST: u64 = 2_000;
    let taken: u64 = failing.phases.iter().map(|phase| phase.executions).sum();
    RunSelection::Random {
        executions: taken.saturating_mul(TIMES).max(AT_LEAST),
    }
}

/// Matrices in which one thread is split in two, as far as roles allow.
fn with_one_split(alphabet: &Alphabet, matrix: &Matrix) -> Vec<Matrix> {
    let mut candidates = Vec::new();
    for (thread, calls) in matrix.threads.iter().enumerate() {
        for at in 1..calls.len() {
            let mut candidate = matrix.clone();
            let (head, tail) = calls.split_at(at);
            candidate
                .threads
                .splice(thread..=thread, [head.to_vec(), tail.to_vec()]);
            candidates.extend(
                candidate
                    .checked()
                    .ok()
                    .filter(|candidate| check_roles(alphabet, &candidate.threads).is_ok()),
            );
        }
    }
    candidates
}

/// Matrices without a thread, without initial or final calls, or without one call; the smallest first.
fn smaller(matrix: &Matrix) -> Vec<Matrix> {
    let mut candidates = Vec::new();
    let mut without = |change: &dyn Fn(&mut Matrix)| {
        let mut candidate = matrix.clone();
        change(&mut candidate);
        candidate.threads.retain(|thread| !thread.is_empty());
        if let Ok(candidate) = candidate.checked() {
            candidates.push(candidate);
        }
    };
    for thread in 0..matrix.threads.len() {
        without(&|matrix| drop(matrix.threads.remove(thread)));
    }
    if !matrix.finals.is_empty() {
        without(&|matrix| matrix.finals.clear());
    }
    if !matrix.initial.is_empty() {
        without(&|matrix| matrix.initial.clear());
    }
    for (thread, calls) in matrix.threads.iter().enumerate() {
        for call in (0..calls.len()).rev() {
            without(&|matrix| {
                if let Some(calls) = matrix.threads.get_mut(thread) {
                    calls.remove(call);
                }
            });
        }
    }
    for call in (0..matrix.finals.len()).rev() {
        without(&|matrix| {
            matrix.finals.remove(call);
        });
    }
    for call in (0..matrix.initial.len()).rev() {
        without(&|matrix| {
            matrix.initial.remove(call);
        });
    }
    candidates
}
