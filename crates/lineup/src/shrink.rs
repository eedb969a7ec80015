//! Failing matrices made small: no call can be left out any more, and no preemption.
//!
//! Leaving a call out gives another test, so each smaller matrix is checked from scratch, serial runs included. What is
//! kept fails in the same way. Runs with fewer preemptions are made first, so the run that is reported has as few as any.
//!
//! Two threads are often what a matrix has, not what a failure needs: when no call can be left out any more, a thread is cut in
//! two, which only lets more calls overlap, and kept so if other calls can be left out then.

use rustc_hash::FxHashSet;

use crate::check::{LineupError, Request, Tick, check_matrix};
use crate::executor::MatrixExecutor;
use crate::matrix::Matrix;
use crate::options::{LineupOptions, Search};
use crate::verdict::{Checked, Verdict};

/// Preemptions that a search which is not bounded is repeated with, to find a simple run.
const PREEMPTIONS_MAX: u32 = 3;

/// The smallest matrix that is left of a failing one. It fails in the same way.
///
/// # Errors
/// When a matrix cannot be run.
pub(crate) fn shrink(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    failing: Checked,
    tick: Tick<'_>,
) -> Result<Checked, LineupError> {
    if !failing.verdict.is_failure() {
        return Ok(failing);
    }
    let mut smallest = failing;
    let options = simplest_search(executor, request, &mut smallest, tick)?;
    let request = Request {
        options: &options,
        ..request
    };
    let mut shrinking = Shrinking {
        executor,
        request,
        tick,
        tried: FxHashSet::default(),
    };
    smallest = shrinking.without_calls(smallest)?;
    while let Some(smaller) = shrinking.with_threads_cut(&smallest)? {
        smallest = smaller;
    }
    Ok(smallest)
}

struct Shrinking<'a> {
    executor: &'a mut dyn MatrixExecutor,
    request: Request<'a>,
    tick: Tick<'a>,
    tried: FxHashSet<Matrix>,
}

impl Shrinking<'_> {
    /// The first of these matrices that fails as `failing` does.
    fn first_failing(
        &mut self,
        matrices: Vec<Matrix>,
        failing: &Checked,
    ) -> Result<Option<Checked>, LineupError> {
        for matrix in matrices {
            if self.request.options.is_over() {
                break;
            }
            if !self.tried.insert(matrix.clone()) {
                continue;
            }
            let checked = check_matrix(self.executor, self.request, &matrix, self.tick)?;
            if checked.verdict.fails_like(&failing.verdict) {
                return Ok(Some(checked));
            }
        }
        Ok(None)
    }

    /// Leaves calls out until none can be left out.
    fn without_calls(&mut self, failing: Checked) -> Result<Checked, LineupError> {
        let mut smallest = failing;
        while let Some(smaller) = self.first_failing(smaller(&smallest.matrix), &smallest)? {
            smallest = smaller;
        }
        Ok(smallest)
    }

    /// Cuts a thread in two, if that allows to leave calls out.
    fn with_threads_cut(&mut self, failing: &Checked) -> Result<Option<Checked>, LineupError> {
        for matrix in cut(&failing.matrix) {
            if let Some(cut) = self.first_failing(vec![matrix], failing)? {
                let smaller = self.without_calls(cut)?;
                if smaller.matrix.len() < failing.matrix.len() {
                    return Ok(Some(smaller));
                }
            }
        }
        Ok(None)
    }
}

/// Random runs jump about. If a bounded search finds the failure too, its run is simpler, and it is the search to go on
/// with.
fn simplest_search(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    failing: &mut Checked,
    tick: Tick<'_>,
) -> Result<LineupOptions, LineupError> {
    let options = LineupOptions {
        count_all: false,
        ..*request.options
    };
    if !executor.decides() {
        return Ok(LineupOptions {
            search: sampled_like(failing),
            ..options
        });
    }
    if matches!(options.search, Search::Bounded { .. }) {
        return Ok(options);
    }
    let preemptions = match &failing.verdict {
        Verdict::Violation(violation) => violation.execution.preemptions.min(PREEMPTIONS_MAX),
        _ => 0,
    };
    let bounded = LineupOptions {
        search: Search::Bounded { preemptions },
        ..options
    };
    let request = Request {
        options: &bounded,
        ..request
    };
    let checked = check_matrix(executor, request, &failing.matrix, tick)?;
    if checked.verdict.fails_like(&failing.verdict) {
        *failing = checked;
        return Ok(bounded);
    }
    Ok(options)
}

/// Where nobody decides what is run, a smaller matrix is given so many times the runs that the one before it took to fail:
/// if it fails much more rarely, it is left aside.
fn sampled_like(failing: &Checked) -> Search {
    const TIMES: u64 = 3;
    const AT_LEAST: u64 = 2_000;
    let taken: u64 = failing.phases.iter().map(|phase| phase.executions).sum();
    Search::Random {
        executions: taken.saturating_mul(TIMES).max(AT_LEAST),
    }
}

/// Matrices in which one thread is cut in two.
fn cut(matrix: &Matrix) -> Vec<Matrix> {
    let mut candidates = Vec::new();
    for (thread, calls) in matrix.threads.iter().enumerate() {
        for at in 1..calls.len() {
            let mut candidate = matrix.clone();
            let (head, tail) = calls.split_at(at);
            candidate
                .threads
                .splice(thread..=thread, [head.to_vec(), tail.to_vec()]);
            candidates.extend(candidate.checked());
        }
    }
    candidates
}

/// Matrices with something left out, those with most left out first.
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
