//! The shrinker: hides operations and widens timeboxes while the history stays a violation.

use std::time::Instant;

use omnilink_trace::{Time, Timebox};

use super::cuts::restart_at;
use super::{MinimalCounterexample, TrialOp, is_violation, limits_until, operations};
use crate::checker::check_from;
use crate::error::CheckError;
use crate::evidence::Conclusion;
use crate::limit_watch::Interrupt;
use crate::model::Model;
use crate::naive;
use crate::options::{Limits, Options};

/// A history that is being shrunk.
pub(super) struct Shrinker<'m, M: Model> {
    pub model: &'m M,
    pub initial: Vec<M::State>,
    pub options: Options,
    pub deadline: Instant,
    pub ops: Vec<TrialOp<M::Op>>,
}

impl<M: Model> Shrinker<'_, M> {
    /// A relaxation that makes the search harder than this is not used.
    const CONFIGURATIONS_MAX: u64 = 300_000;

    fn out_of_time(&self) -> bool {
        Instant::now() >= self.deadline || self.options.limits.interrupt.is_some_and(Interrupt::is_raised)
    }

    /// Whether `ops` certainly have no explanation.
    fn violates(&self, ops: &[TrialOp<M::Op>]) -> Result<bool, CheckError> {
        let limits = Limits {
            configurations: Some(Self::CONFIGURATIONS_MAX),
            ..limits_until(self.deadline, self.options.limits)
        };
        let options = Options {
            limits,
            witness: false,
            ..self.options
        };
        is_violation(check_from(
            self.model,
            self.initial.clone(),
            operations(ops),
            options,
        ))
    }

    /// Hides as many operations as possible: large groups first, then single operations until nothing changes.
    pub fn hide_operations(&mut self) -> Result<(), CheckError> {
        let mut group = self.ops.len().div_ceil(2);
        loop {
            let mut changed = false;
            let mut from = 0;
            while from < self.ops.len() && !self.out_of_time() {
                let to = (from + group).min(self.ops.len());
                let trial = self.without(from, to);
                let hides_more = self.ops[from..to].iter().any(|op| op.shown);
                if hides_more && self.violates(&trial)? {
                    from = to - (self.ops.len() - trial.len());
                    self.ops = trial;
                    changed = true;
                } else {
                    from = to;
                }
            }
            if self.out_of_time() || group == 1 && !changed {
                return Ok(());
            }
            group = (group / 2).max(1);
        }
    }

    /// Starts from the states directly before the first shown operation, if the rest is still a violation. Returns whether
    /// it is.
    pub fn cut_before_shown(&mut self, uncut: &[TrialOp<M::Op>]) -> Result<bool, CheckError> {
        let shown: Vec<usize> = self.ops.iter().filter(|op| op.shown).map(|op| op.id).collect();
        let Some(cut) = uncut.iter().position(|op| shown.contains(&op.id)) else {
            return Ok(false);
        };
        if cut == 0 || self.out_of_time() {
            return Ok(false);
        }
        let Some((states, mut rest)) = restart_at(self.model, uncut, cut, self.options)? else {
            return Ok(false);
        };
        for op in &mut rest {
            op.shown = shown.contains(&op.id);
            op.operation.optional |= !op.shown;
        }
        rest.retain(|op| op.shown || !self.model.is_pure(&op.operation.op));
        let before = std::mem::replace(&mut self.initial, states);
        if self.violates(&rest)? {
            self.ops = rest;
            return Ok(true);
        }
        self.initial = before;
        Ok(false)
    }

    /// The operations with those in the range hidden: reads are dropped, all others become optional.
    fn without(&self, from: usize, to: usize) -> Vec<TrialOp<M::Op>> {
        let mut trial = self.ops.clone();
        for op in &mut trial[from..to] {
            op.operation.optional = true;
            op.shown = false;
        }
        trial.retain(|op| op.shown || !self.model.is_pure(&op.operation.op));
        trial
    }

    /// Widens the timeboxes of the shown operations as far as the violation allows.
    pub fn widen(&mut self) -> Result<(), CheckError> {
        let first = self
            .ops
            .iter()
            .map(|op| op.operation.timebox.start)
            .min()
            .unwrap_or(0);
        let last = self
            .ops
            .iter()
            .filter_map(|op| op.operation.timebox.end)
            .max()
            .unwrap_or(0);
        for index in 0..self.ops.len() {
            if !self.ops[index].shown || self.out_of_time() {
                continue;
            }
            let Timebox { start, end } = self.ops[index].operation.timebox;
            let wider = [
                (start > first).then_some(Timebox { start: first, end }),
                end.filter(|end| *end < last).map(|_| Timebox {
                    start,
                    end: Some(last),
                }),
            ];
            for timebox in wider.into_iter().flatten() {
                let mut trial = self.ops.clone();
                let kept = trial[index].operation.timebox;
                trial[index].operation.timebox = Timebox {
                    start: timebox.start.min(kept.start),
                    end: kept.end.zip(timebox.end).map(|(a, b)| a.max(b)),
                };
                if self.violates(&trial)? {
                    self.ops = trial;
                }
            }
        }
        Ok(())
    }

    /// The minimal counterexample, if the shown operations alone are a violation. `cut`: the history does not start in the
    /// initial states.
    pub fn conclude(
        self,
        cut: bool,
        total: usize,
    ) -> Result<Option<MinimalCounterexample<M::Op>>, CheckError> {
        let mut shown: Vec<TrialOp<M::Op>> = self.ops.iter().filter(|op| op.shown).cloned().collect();
        // The sort is stable: of equal starts, the first one may be tied before the other.
        shown.sort_by_key(|op| op.operation.timebox.start);
        replace_times_by_ranks(&mut shown);
        let history = operations(&shown);
        let options = Options {
            limits: Limits::default(),
            // Evidence contains the operations placed before the unexplained one.
            witness: true,
            ..self.options
        };
        let outcome = check_from(self.model, self.initial.clone(), history.clone(), options)?;
        let Conclusion::Violation(counterexample) = outcome.conclusion else {
            return Ok(None);
        };
        let confirmed = (history.len() <= NAIVE_MAX).then(|| {
            let mut labelled = history.clone();
            if self.options.async_threads {
                labelled
                    .iter_mut()
                    .zip(0..)
                    .for_each(|(operation, thread)| operation.thread = thread);
            }
            naive::explain_from(self.model, &self.initial, &labelled, self.options.consistency).is_none()
        });
        let from = cut.then(|| {
            self.initial
                .iter()
                .map(|state| self.model.describe_state(state))
                .collect::<Vec<_>>()
        });
        Ok(Some(MinimalCounterexample {
            left_out: total - history.len(),
            ids: shown.iter().map(|op| op.id).collect(),
            operations: history,
            from,
            counterexample: *counterexample,
            confirmed,
        }))
    }
}

/// The naive checker is fast up to this number of operations.
const NAIVE_MAX: usize = 9;

/// Replaces times by ranks: equal times stay equal, and the order of times stays the same.
fn replace_times_by_ranks<O>(ops: &mut [TrialOp<O>]) {
    let mut times: Vec<Time> = ops
        .iter()
        .flat_map(|op| [Some(op.operation.timebox.start), op.operation.timebox.end])
        .flatten()
        .collect();
    times.sort_unstable();
    times.dedup();
    let rank = |time: Time| times.binary_search(&time).map_or(0, |rank| rank as Time);
    for op in ops {
        let Timebox { start, end } = op.operation.timebox;
        op.operation.timebox = Timebox {
            start: rank(start),
            end: end.map(rank),
        };
    }
}
