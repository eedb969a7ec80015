//! Shrinks a violation to the few operations that make it one.
//!
//! Leaving operations out is not sound by itself: without the write, every read of it is a violation. So a history is
//! only ever *relaxed*: whatever explains the original also explains the relaxed one, and a relaxed history without
//! explanation proves that the original has none. There are five relaxations:
//!
//! 1. *Cut the end.* What returns after the unexplained return may not have happened.
//! 2. *Cut the beginning.* Start from all the states that explain it. Operations that straddle the cut and were placed
//!    before it in some of these explanations may not happen any more.
//! 3. *Drop a read.* An operation that never changes anything can be deleted from any explanation.
//! 4. *Make an operation optional.* It may or may not have happened, within its timebox. Optional operations are not
//!    shown: the minimal history has no explanation whatever they did.
//! 5. *Widen a timebox.* Fewer operations precede each other; the order that remains is the order that matters. A tie within a
//!    thread is loosened too, and none is made: a start moves to the earliest and an end to the latest time there is, and
//!    whatever touches it there came before or after it all along.

use std::time::{Duration, Instant};

use omnilink_evidence::{Counterexample, MinimalHistory};
use omnilink_trace::{Time, Timebox};

use crate::checker::{Checker, check, check_from, followed};
use crate::evidence::{Conclusion, Outcome};
use crate::model::Model;
use crate::naive;
use crate::operation::Operation;
use crate::options::{Consistency, Limits, Options};
use crate::partition::Components;
use crate::progress::CheckError;
use crate::watch::Interrupt;

/// The few operations that make a history a violation.
#[derive(Clone, Debug)]
pub struct Minimal<O> {
    /// The operations, in order of start, their times replaced by ranks: only the order that matters is left.
    pub operations: Vec<Operation<O>>,
    /// For each, its position in the history given.
    pub ids: Vec<usize>,
    /// The states that the history may be in before them, in the model's words; `None` for the model's own initial
    /// states.
    pub from: Option<Vec<String>>,
    /// Operations that make no difference, whether they happened or not.
    pub left_out: usize,
    /// Why these operations have no explanation.
    pub counterexample: Counterexample,
    /// Whether the naive checker, too, finds no explanation. `None`: too many operations to ask it.
    pub confirmed: Option<bool>,
}

impl<O> Minimal<O> {
    /// The history as reports show it. `describe` gives the text of an operation.
    pub fn shown(self, describe: impl Fn(&O) -> String) -> MinimalHistory {
        let shown =
            |(operation, id): (&Operation<O>, &usize)| operation.shown(*id as u64, describe(&operation.op));
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

/// An operation with its position in the history given, and whether it is still shown.
#[derive(Clone, Debug)]
struct Piece<O> {
    operation: Operation<O>,
    id: usize,
    shown: bool,
}

/// Shrinks `history`, which may be in any order. `None` if it is no violation, or if that could not be found out within
/// the limits.
///
/// # Errors
/// Those of [`check`](crate::check).
pub fn minimize<M: Model>(
    model: &M,
    history: Vec<Operation<M::Op>>,
    options: Options,
) -> Result<Option<Minimal<M::Op>>, CheckError> {
    let deadline = Instant::now() + options.limits.time.unwrap_or(DEFAULT_TIME);
    let total = history.len();
    let mut pieces: Vec<Piece<M::Op>> = history
        .into_iter()
        .enumerate()
        .map(|(id, operation)| Piece {
            operation,
            id,
            shown: true,
        })
        .collect();
    pieces.sort_by_key(|piece| piece.operation.timebox.start);
    let outcome = check(model, operations(&pieces), options)?;
    let Conclusion::Violation(found) = outcome.conclusion else {
        return Ok(None);
    };
    if let Some(broken) = &found.broken {
        // A monitor has named the few operations that break a rule of the collection.
        let named = broken
            .operations
            .iter()
            .filter_map(|op| pieces.get(op.id as usize).cloned());
        let shrinker = Shrinker {
            model,
            initial: model.initial(),
            options,
            deadline,
            pieces: named.collect(),
        };
        return shrinker.conclude(false, total);
    }
    let target = found.op.id as usize;
    let linearizable = options.consistency == Consistency::Linearizable;
    let mut initial = None;
    let mut uncut = Vec::new();
    if linearizable {
        keep_component(model, &mut pieces, target, options)?;
        cut_end(&mut pieces, found.op.end);
        uncut.clone_from(&pieces);
        initial = cut_beginning(model, &mut pieces, options, deadline)?;
    }
    let mut cut = initial.is_some();
    let mut shrinker = Shrinker {
        model,
        initial: initial.unwrap_or_else(|| model.initial()),
        options,
        deadline,
        pieces,
    };
    shrinker.hide_operations()?;
    if linearizable {
        cut |= shrinker.cut_before_what_is_shown(&uncut)?;
        shrinker.widen()?;
    }
    shrinker.conclude(cut, total)
}

/// The limits, with the time that is left until a moment and as many configurations as it takes.
fn limits_until(deadline: Instant, limits: Limits) -> Limits {
    Limits {
        time: Some(deadline.saturating_duration_since(Instant::now())),
        configurations: None,
        ..limits
    }
}

/// How long shrinking may take where no time limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Whether there certainly is no explanation. A model that runs into a limit of its own does not tell.
fn is_violation(answer: Result<Outcome, CheckError>) -> Result<bool, CheckError> {
    match answer {
        Err(CheckError::Exceeded(_)) => Ok(false),
        answer => Ok(answer?.conclusion.is_violation()),
    }
}

fn operations<O: Clone>(pieces: &[Piece<O>]) -> Vec<Operation<O>> {
    pieces.iter().map(|piece| piece.operation.clone()).collect()
}

/// Drops what has nothing to do with the unexplained operation: parts of a history are explained apart, unless threads link
/// them.
fn keep_component<M: Model>(
    model: &M,
    pieces: &mut Vec<Piece<M::Op>>,
    target: usize,
    options: Options,
) -> Result<(), CheckError> {
    let mut components = Components::default();
    for piece in pieces.iter() {
        components.observe(&model.footprint(&piece.operation.op));
    }
    let partitioning = components.into_partitioning();
    let home = |piece: &Piece<M::Op>| partitioning.home(&model.footprint(&piece.operation.op));
    let target = home(&pieces[target]);
    let part: Vec<Piece<M::Op>> = pieces
        .iter()
        .filter(|piece| home(piece) == target)
        .cloned()
        .collect();
    if part.len() < pieces.len()
        && is_violation(check_from(model, model.initial(), operations(&part), options))?
    {
        *pieces = part;
    }
    Ok(())
}

fn cut_end<O>(pieces: &mut Vec<Piece<O>>, end: Option<Time>) {
    let last = end.unwrap_or(Time::MAX);
    pieces.retain(|piece| piece.operation.timebox.start <= last);
    for piece in pieces {
        if piece.operation.timebox.end.is_some_and(|end| end > last) {
            piece.operation.timebox.end = None;
        }
    }
}

/// Cuts as late as the violation allows, and gives the states to start from.
fn cut_beginning<M: Model>(
    model: &M,
    pieces: &mut Vec<Piece<M::Op>>,
    options: Options,
    deadline: Instant,
) -> Result<Option<Vec<M::State>>, CheckError> {
    let mut window = 16;
    while window < pieces.len() && Instant::now() < deadline {
        let limits = limits_until(deadline, options.limits);
        let options = Options { limits, ..options };
        let cut = pieces.len() - window;
        window *= 2;
        let Some((states, rest)) = restart_at(model, pieces, cut, options)? else {
            continue;
        };
        let limits = Limits {
            configurations: Some(1_000_000),
            ..limits_until(deadline, limits)
        };
        let options = Options { limits, ..options };
        if is_violation(check_from(model, states.clone(), operations(&rest), options))? {
            *pieces = rest;
            return Ok(Some(states));
        }
    }
    Ok(None)
}

/// The states and what is still to come of it, from all partial explanations of the operations before `cut`.
type Restart<M> = (Vec<<M as Model>::State>, Vec<Piece<<M as Model>::Op>>);

fn restart_at<M: Model>(
    model: &M,
    pieces: &[Piece<M::Op>],
    cut: usize,
    options: Options,
) -> Result<Option<Restart<M>>, CheckError> {
    let (before, after) = pieces.split_at(cut);
    let options = Options {
        witness: false,
        ..options
    };
    let mut checker = Checker::whole_sweep(model, options);
    for (piece, is_followed) in before.iter().zip(followed(&operations(pieces), &options)) {
        checker.push_followed(piece.operation.clone(), is_followed)?;
    }
    if checker.exhausted().is_some() {
        return Ok(None);
    }
    let Some(frontier) = checker.frontier_at(after[0].operation.timebox.start) else {
        return Ok(None);
    };
    let mut states: Vec<M::State> = Vec::new();
    let mut straddling: Vec<Piece<M::Op>> = frontier
        .open
        .iter()
        .map(|&id| before[id as usize].clone())
        .collect();
    for (state, placed) in frontier.configurations {
        if !states.contains(&state) {
            states.push(state);
        }
        for (piece, id) in straddling.iter_mut().zip(&frontier.open) {
            piece.operation.optional |= placed.contains(id);
        }
    }
    straddling.extend_from_slice(after);
    straddling.sort_by_key(|piece| piece.operation.timebox.start);
    Ok(Some((states, straddling)))
}

struct Shrinker<'m, M: Model> {
    model: &'m M,
    initial: Vec<M::State>,
    options: Options,
    deadline: Instant,
    pieces: Vec<Piece<M::Op>>,
}

impl<M: Model> Shrinker<'_, M> {
    /// A relaxation that makes the search this much harder is not worth it.
    const CONFIGURATIONS_MAX: u64 = 300_000;

    fn out_of_time(&self) -> bool {
        Instant::now() >= self.deadline || self.options.limits.interrupt.is_some_and(Interrupt::is_raised)
    }

    /// Whether `pieces` certainly have no explanation.
    fn violates(&self, pieces: &[Piece<M::Op>]) -> Result<bool, CheckError> {
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
            operations(pieces),
            options,
        ))
    }

    /// Hides as many operations as possible: in large groups first, then one by one until nothing changes.
    fn hide_operations(&mut self) -> Result<(), CheckError> {
        let mut group = self.pieces.len().div_ceil(2);
        loop {
            let mut changed = false;
            let mut from = 0;
            while from < self.pieces.len() && !self.out_of_time() {
                let to = (from + group).min(self.pieces.len());
                let trial = self.without(from, to);
                let hides_more = self.pieces[from..to].iter().any(|piece| piece.shown);
                if hides_more && self.violates(&trial)? {
                    from = to - (self.pieces.len() - trial.len());
                    self.pieces = trial;
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

    /// Starts from the states directly before the first operation that is shown, if the rest is still a violation: what
    /// happened between the last cut and that operation is then part of these states. Says whether it does.
    fn cut_before_what_is_shown(&mut self, uncut: &[Piece<M::Op>]) -> Result<bool, CheckError> {
        let shown: Vec<usize> = self
            .pieces
            .iter()
            .filter(|piece| piece.shown)
            .map(|piece| piece.id)
            .collect();
        let Some(cut) = uncut.iter().position(|piece| shown.contains(&piece.id)) else {
            return Ok(false);
        };
        if cut == 0 || self.out_of_time() {
            return Ok(false);
        }
        let Some((states, mut rest)) = restart_at(self.model, uncut, cut, self.options)? else {
            return Ok(false);
        };
        for piece in &mut rest {
            piece.shown = shown.contains(&piece.id);
            piece.operation.optional |= !piece.shown;
        }
        rest.retain(|piece| piece.shown || !self.model.is_pure(&piece.operation.op));
        let before = std::mem::replace(&mut self.initial, states);
        if self.violates(&rest)? {
            self.pieces = rest;
            return Ok(true);
        }
        self.initial = before;
        Ok(false)
    }

    /// Reads in the range dropped, everything else there optional.
    fn without(&self, from: usize, to: usize) -> Vec<Piece<M::Op>> {
        let mut trial = self.pieces.clone();
        for piece in &mut trial[from..to] {
            piece.operation.optional = true;
            piece.shown = false;
        }
        trial.retain(|piece| piece.shown || !self.model.is_pure(&piece.operation.op));
        trial
    }

    /// Widens the timeboxes of what is shown, as far as the violation allows.
    fn widen(&mut self) -> Result<(), CheckError> {
        let first = self
            .pieces
            .iter()
            .map(|piece| piece.operation.timebox.start)
            .min()
            .unwrap_or(0);
        let last = self
            .pieces
            .iter()
            .filter_map(|piece| piece.operation.timebox.end)
            .max()
            .unwrap_or(0);
        for index in 0..self.pieces.len() {
            if !self.pieces[index].shown || self.out_of_time() {
                continue;
            }
            let Timebox { start, end } = self.pieces[index].operation.timebox;
            let wider = [
                (start > first).then_some(Timebox { start: first, end }),
                end.filter(|end| *end < last).map(|_| Timebox {
                    start,
                    end: Some(last),
                }),
            ];
            for timebox in wider.into_iter().flatten() {
                let mut trial = self.pieces.clone();
                let kept = trial[index].operation.timebox;
                trial[index].operation.timebox = Timebox {
                    start: timebox.start.min(kept.start),
                    end: kept.end.zip(timebox.end).map(|(a, b)| a.max(b)),
                };
                if self.violates(&trial)? {
                    self.pieces = trial;
                }
            }
        }
        Ok(())
    }

    fn conclude(self, cut: bool, total: usize) -> Result<Option<Minimal<M::Op>>, CheckError> {
        let mut shown: Vec<Piece<M::Op>> = self.pieces.iter().filter(|piece| piece.shown).cloned().collect();
        // Of equal starts the one given first stays first: it may be tied before the other.
        shown.sort_by_key(|piece| piece.operation.timebox.start);
        replace_times_by_ranks(&mut shown);
        let history = operations(&shown);
        let options = Options {
            limits: Limits::default(),
            // What came before the unexplained operation is to be told.
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
        Ok(Some(Minimal {
            left_out: total - history.len(),
            ids: shown.iter().map(|piece| piece.id).collect(),
            operations: history,
            from,
            counterexample: *counterexample,
            confirmed,
        }))
    }
}

/// Up to here the naive checker answers at once.
const NAIVE_MAX: usize = 9;

/// Equal times stay equal and every order stays as it is, in the smallest numbers.
fn replace_times_by_ranks<O>(pieces: &mut [Piece<O>]) {
    let mut times: Vec<Time> = pieces
        .iter()
        .flat_map(|piece| [Some(piece.operation.timebox.start), piece.operation.timebox.end])
        .flatten()
        .collect();
    times.sort_unstable();
    times.dedup();
    let rank = |time: Time| times.binary_search(&time).map_or(0, |rank| rank as Time);
    for piece in pieces {
        let Timebox { start, end } = piece.operation.timebox;
        piece.operation.timebox = Timebox {
            start: rank(start),
            end: end.map(rank),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, operations, restart_at};
    use crate::checker::check_from;
    use crate::options::{Consistency, Options};
    use crate::toys::{self, Dice, Toy, Weather};
    use crate::{Operation, naive};

    fn pieces<O>(history: Vec<Operation<O>>) -> Vec<Piece<O>> {
        let piece = |(id, operation)| Piece {
            operation,
            id,
            shown: true,
        };
        history.into_iter().enumerate().map(piece).collect()
    }

    /// Cutting the beginning off relaxes a history: what has an explanation still has one, wherever it is cut.
    fn cuts_keep_explanations<T: Toy>(seed: u64) {
        let (toy, mut dice) = (T::new(), Dice::new(seed));
        let mut straddled = 0;
        for _ in 0..4_000 {
            let weather = Weather::any(&mut dice);
            let history = toys::history_of(&toy, 9, weather, &mut dice);
            if naive::explain(&toy, &history, Consistency::Linearizable).is_none() {
                continue;
            }
            let pieces = pieces(history);
            for cut in 1..pieces.len() {
                let options = Options::default();
                let Some((states, rest)) = restart_at(&toy, &pieces, cut, options).expect("toys do not fail")
                else {
                    continue;
                };
                straddled += usize::from(rest.len() > pieces.len() - cut);
                let outcome = check_from(&toy, states, operations(&rest), options).expect("toys do not fail");
                assert!(outcome.conclusion.is_valid(), "cut at {cut}: {pieces:?}");
            }
        }
        assert!(straddled > 1_000, "only {straddled} cuts with operations across");
    }

    #[test]
    fn a_cut_with_operations_across_it_relaxes_registers() {
        cuts_keep_explanations::<toys::Register>(21);
    }

    #[test]
    fn a_cut_with_operations_across_it_relaxes_queues() {
        cuts_keep_explanations::<toys::Queue>(22);
    }
}
