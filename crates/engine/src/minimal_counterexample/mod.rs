//! Minimal counterexamples: shrinks a violation to a few operations that have no explanation.
//!
//! Deleting operations is not sound by itself: without the write, every read of it is a violation. So a history is only
//! ever *relaxed*: every explanation of the original also explains the relaxed history. A relaxed history without an
//! explanation therefore proves that the original has none. There are five relaxations:
//!
//! 1. *Cut the end.* Operations that return after the unexplained return may not have happened.
//! 2. *Cut the beginning.* Start from all states that explain it. An operation that straddles the cut and that some of
//!    these explanations have placed becomes optional.
//! 3. *Drop a read.* An operation that never changes anything can be deleted from any explanation.
//! 4. *Make an operation optional.* It may or may not have happened within its timebox. Optional operations are hidden:
//!    the minimal history has no explanation whether they happened or not.
//! 5. *Widen a timebox.* Fewer operations precede each other; the order that remains is the one that matters. This can
//!    remove a tie within a thread and never adds one: a start moves to the earliest and an end to the latest time of the
//!    history, and an operation that touches it there already preceded or followed it.
//!
//! What is shown must end at the return at which the history with the hidden operations ends. With the write of 1 hidden, a read of 1 and a
//! later read of 0 are still a violation, but what is shown would blame the first read, which the hidden write explains. If that
//! happens, the history is shrunk again, and an operation is hidden only if what is shown still ends at the same return.

mod cuts;
mod shrinker;

use std::time::{Duration, Instant};

use omnilink_evidence::{Counterexample, MinimalHistory};
use omnilink_sorting::sort_by_key;

use self::cuts::{cut_beginning, cut_end, keep_component};
use self::shrinker::Shrinker;
use crate::check::check;
use crate::error::CheckError;
use crate::evidence::{CheckOutcome, Conclusion};
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::{Consistency, Limits, Options};

/// A few operations of a history that have no explanation, whatever the others did.
#[derive(Clone, Debug)]
pub struct MinimalCounterexample<O> {
    /// The operations in order of start, with ranks instead of times: only the order that matters is left.
    pub operations: Vec<TimedOp<O>>,
    /// The position of each operation in the given history.
    pub ids: Vec<usize>,
    /// The possible states before these operations as text; `None` for the model's initial states.
    pub from: Option<Vec<String>>,
    /// The number of operations that were left out.
    pub left_out: usize,
    /// Why these operations have no explanation.
    pub counterexample: Counterexample,
    /// Whether the naive checker finds no explanation either; `None` if there are too many operations for it.
    pub confirmed: Option<bool>,
}

impl<O> MinimalCounterexample<O> {
    /// The history as reports show it. `describe` gives the text of an operation.
    pub fn shown(self, describe: impl Fn(&O) -> String) -> MinimalHistory {
        let shown =
            |(operation, id): (&TimedOp<O>, &usize)| operation.shown(*id as u64, describe(&operation.op));
        let operations = self.operations.iter().zip(&self.ids).map(shown).collect();
        let mut counterexample = self.counterexample;
        counterexample.visit_operations(&mut |op| {
            if let Some(id) = self.ids.get(op.id as usize) {
                op.id = *id as u64;
            }
        });
        MinimalHistory {
            operations,
            left_out: self.left_out as u64,
            from: self.from,
            confirmed: self.confirmed,
            counterexample,
        }
    }
}

/// An operation of a history that is being shrunk.
#[derive(Clone, Debug)]
struct TrialOp<O> {
    operation: TimedOp<O>,
    /// The position in the given history.
    id: usize,
    /// Whether it is part of the minimal history. Hidden operations are optional.
    shown: bool,
}

impl<O> TrialOp<O> {
    fn hide(&mut self) {
        self.operation.optional = true;
        self.shown = false;
    }
}

fn trial_ops<O>(history: Vec<TimedOp<O>>) -> Vec<TrialOp<O>> {
    let trial_op = |(id, operation)| TrialOp {
        operation,
        id,
        shown: true,
    };
    history.into_iter().enumerate().map(trial_op).collect()
}

/// Shrinks `history`, which may be in any order. `None` if it is no violation, or if the limits do not allow to decide
/// that.
///
/// # Errors
/// Those of [`check`](crate::check).
pub fn minimize<M: Model>(
    model: &M,
    history: Vec<TimedOp<M::Op>>,
    options: Options,
) -> Result<Option<MinimalCounterexample<M::Op>>, CheckError> {
    let deadline = Instant::now() + options.limits.time.unwrap_or(DEFAULT_TIME);
    let total = history.len();
    let mut ops = trial_ops(history);
    sort_by_key(&mut ops, |op| op.operation.timebox.start);
    let outcome = check(model, operations(&ops), options)?;
    let Conclusion::Violation(found) = outcome.conclusion else {
        return Ok(None);
    };
    if let Some(broken) = &found.broken {
        // A monitor found a few operations that break a rule of the collection.
        let named = broken
            .operations
            .iter()
            .filter_map(|op| ops.get(op.id as usize).cloned());
        let shrinker = Shrinker {
            model,
            initial: model.initial(),
            options,
            deadline,
            ops: named.collect(),
            is_strict: false,
        };
        return shrinker.conclude(false, total);
    }
    let target = found.op.id as usize;
    let linearizable = options.consistency == Consistency::Linearizable;
    let mut initial = None;
    let mut uncut = Vec::new();
    if linearizable {
        keep_component(model, &mut ops, target, options)?;
        cut_end(&mut ops, found.op.end);
        uncut.clone_from(&ops);
        initial = cut_beginning(model, &mut ops, options, deadline)?;
    }
    let is_cut = initial.is_some();
    let initial = initial.unwrap_or_else(|| model.initial());
    let now = Instant::now();
    let half_time = now + deadline.saturating_duration_since(now) / 2;
    for (is_strict, deadline) in [(false, half_time), (true, deadline)] {
        let mut shrinker = Shrinker {
            model,
            initial: initial.clone(),
            options,
            deadline,
            ops: ops.clone(),
            is_strict,
        };
        let mut is_cut = is_cut;
        shrinker.hide_operations()?;
        if linearizable {
            is_cut |= shrinker.cut_before_shown(&uncut)?;
            shrinker.widen()?;
        }
        if is_strict || !linearizable || shrinker.is_told()? {
            return shrinker.conclude(is_cut, total);
        }
    }
    Ok(None)
}

/// The limits with the time that is left until `deadline`, and without a limit on configurations.
fn limits_until(deadline: Instant, limits: Limits) -> Limits {
    Limits {
        time: Some(deadline.saturating_duration_since(Instant::now())),
        configurations: None,
        ..limits
    }
}

/// The time limit of shrinking if the options have none.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Why there is certainly no explanation; `None` if there may be one. That is unknown where the model exceeds a limit of its own, or
/// fails: a relaxed history may reach states for which the model was not made.
fn found_in(outcome: Result<CheckOutcome, CheckError>) -> Result<Option<Box<Counterexample>>, CheckError> {
    match outcome {
        Err(CheckError::Exceeded(_) | CheckError::Model(_)) => Ok(None),
        outcome => Ok(match outcome?.conclusion {
            Conclusion::Violation(found) => Some(found),
            _ => None,
        }),
    }
}

fn operations<O: Clone>(ops: &[TrialOp<O>]) -> Vec<TimedOp<O>> {
    ops.iter().map(|op| op.operation.clone()).collect()
}
