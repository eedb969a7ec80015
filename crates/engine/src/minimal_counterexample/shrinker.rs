//! The shrinker: hides operations and widens timeboxes while the history stays a violation.

use std::time::Instant;

use omnilink_evidence::Counterexample;
use omnilink_sorting::sort_by_key;
use omnilink_trace::{Time, Timebox};

use super::cuts::{cut_end, drop_hidden_reads, restart_at};
use super::{MinimalCounterexample, TrialOp, found_in, limits_until, operations};
use crate::check::check_from;
use crate::error::CheckError;
use crate::evidence::Conclusion;
use crate::interrupt::Interrupt;
use crate::model::Model;
use crate::naive;
use crate::options::{Consistency, Limits, Options};

/// A history that is being shrunk.
pub(super) struct Shrinker<'m, M: Model> {
    pub model: &'m M,
    pub initial: Vec<M::State>,
    pub options: Options,
    pub deadline: Instant,
    pub ops: Vec<TrialOp<M::Op>>,
    /// Whether an operation is hidden only if what is shown still ends at the same return.
    pub is_strict: bool,
}

impl<M: Model> Shrinker<'_, M> {
    /// A relaxation that makes the search harder than this is not used.
    const CONFIGURATIONS_MAX: u64 = 300_000;

    fn out_of_time(&self) -> bool {
        Instant::now() >= self.deadline || self.options.limits.interrupt.is_some_and(Interrupt::is_raised)
    }

    fn is_linearizable(&self) -> bool {
        self.options.consistency == Consistency::Linearizable
    }

    /// Why `ops` certainly have no explanation.
    fn counterexample(&self, ops: &[TrialOp<M::Op>]) -> Result<Option<Box<Counterexample>>, CheckError> {
        let limits = Limits {
            configurations: Some(Self::CONFIGURATIONS_MAX),
            ..limits_until(self.deadline, self.options.limits)
        };
        let options = Options {
            limits,
            witness: false,
            ..self.options
        };
        found_in(check_from(
            self.model,
            self.initial.clone(),
            operations(ops),
            options,
        ))
    }

    /// The trial without what comes after its unexplained return, if it certainly has one.
    fn violating(&self, mut trial: Vec<TrialOp<M::Op>>) -> Result<Option<Vec<TrialOp<M::Op>>>, CheckError> {
        // The sort is stable: of equal starts, the first one may be tied before the other.
        sort_by_key(&mut trial, |op| op.operation.timebox.start);
        let Some(found) = self.counterexample(&trial)? else {
            return Ok(None);
        };
        if !self.is_linearizable() || found.broken.is_some() {
            return Ok(Some(trial));
        }
        let unexplained = id(&trial, &found);
        cut_end(&mut trial, found.op.end);
        let is_told = !self.is_strict || self.is_told_by_shown(&trial, unexplained)?;
        Ok(is_told.then_some(trial))
    }

    /// Whether what is shown of a history ends at this operation.
    fn is_told_by_shown(
        &self,
        ops: &[TrialOp<M::Op>],
        unexplained: Option<usize>,
    ) -> Result<bool, CheckError> {
        let shown: Vec<TrialOp<M::Op>> = ops.iter().filter(|op| op.shown).cloned().collect();
        let found = self.counterexample(&shown)?;
        Ok(found.is_some_and(|found| id(&shown, &found) == unexplained))
    }

    /// Whether what is shown ends at the operation at which all of the history ends.
    pub fn is_told(&self) -> Result<bool, CheckError> {
        match self.counterexample(&self.ops)? {
            Some(found) => self.is_told_by_shown(&self.ops, id(&self.ops, &found)),
            None => Ok(false),
        }
    }

    /// Hides as many operations as possible: large groups first, then single operations until nothing changes.
    pub fn hide_operations(&mut self) -> Result<(), CheckError> {
        let mut group = self.ops.len().div_ceil(2);
        loop {
            let mut changed = false;
            let mut from = 0;
            while from < self.ops.len() && !self.out_of_time() {
                let to = (from + group).min(self.ops.len());
                let hides_more = self.ops[from..to].iter().any(|op| op.shown);
                let next = self.ops.get(to).map(|op| op.id);
                let trial = self.without(from, to);
                from = to;
                if hides_more && let Some(trial) = self.violating(trial)? {
                    self.ops = trial;
                    changed = true;
                    // What was next may have been cut off with all that follows.
                    let place = self.ops.iter().position(|op| Some(op.id) == next);
                    from = place.unwrap_or(self.ops.len());
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
        drop_hidden_reads(self.model, &mut rest);
        let before = std::mem::replace(&mut self.initial, states);
        if let Some(rest) = self.violating(rest)? {
            self.ops = rest;
            return Ok(true);
        }
        self.initial = before;
        Ok(false)
    }

    /// The operations with those in the range hidden: reads are dropped, all others become optional.
    fn without(&self, from: usize, to: usize) -> Vec<TrialOp<M::Op>> {
        let mut trial = self.ops.clone();
        trial[from..to].iter_mut().for_each(TrialOp::hide);
        drop_hidden_reads(self.model, &mut trial);
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
        let shown: Vec<usize> = self.ops.iter().filter(|op| op.shown).map(|op| op.id).collect();
        for id in shown {
            for widens_start in [true, false] {
                let mut trial = self.ops.clone();
                // A wider timebox may have shown that this operation is not needed.
                let Some(op) = trial.iter_mut().find(|op| op.id == id && op.shown) else {
                    continue;
                };
                let timebox = &mut op.operation.timebox;
                let kept = *timebox;
                if widens_start {
                    timebox.start = first
                } else {
                    timebox.end = timebox.end.map(|_| last)
                }
                if *timebox != kept
                    && !self.out_of_time()
                    && let Some(trial) = self.violating(trial)?
                {
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
        sort_by_key(&mut shown, |op| op.operation.timebox.start);
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

/// The position in the given history of the operation at which one ends.
fn id<O>(ops: &[TrialOp<O>], found: &Counterexample) -> Option<usize> {
    ops.get(found.op.id as usize).map(|op| op.id)
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
