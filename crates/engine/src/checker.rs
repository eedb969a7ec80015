//! Checks a history as it comes in.

use std::time::Instant;

use omnilink_evidence::Limit;
use omnilink_trace::Time;
use rustc_hash::FxHashMap;

use crate::collections::check_as_collections;
use crate::course::Course;
use crate::evidence::Outcome;
use crate::interned::Interned;
use crate::ledger::Followed;
use crate::meter::Meter;
use crate::model::Model;
use crate::operation::Operation;
use crate::options::{Consistency, Limits, Options, Strategy};
use crate::partition::{Components, Partitioning};
use crate::progress::{CheckError, Progress};
use crate::search::Frontier;
use crate::space::Space;

/// Checks a history as it comes in: operations in order of start, each with its end and its result.
///
/// Memory is what is undecided, not what has been seen. For a live system, [`Monitor`](crate::Monitor) turns calls
/// and returns into such operations.
pub struct Checker<'m, M: Model> {
    space: Space<Interned<'m, M>>,
    course: Course,
}

impl<M: Model> std::fmt::Debug for Checker<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("figures", &self.course.figures)
            .finish_non_exhaustive()
    }
}

impl<'m, M: Model> Checker<'m, M> {
    /// A checker that takes each key of the model for a part of its own, until told otherwise.
    pub fn new(model: &'m M, options: Options) -> Self {
        Self::with_partitioning(model, options, Partitioning::PerKey)
    }

    /// A checker with given parts.
    pub fn with_partitioning(model: &'m M, options: Options, partitioning: Partitioning) -> Self {
        Self::starting_from(model, model.initial(), options, partitioning)
    }

    /// A checker of a history that begins in one of these states.
    pub(crate) fn starting_from(
        model: &'m M,
        initial: Vec<M::State>,
        options: Options,
        partitioning: Partitioning,
    ) -> Self {
        // Sequential consistency is not compositional: two parts may each have an order while the whole has none.
        let apart = options.reductions.partitions && options.consistency == Consistency::Linearizable;
        let partitioning = if apart { partitioning } else { Partitioning::Whole };
        let is_apart = !matches!(partitioning, Partitioning::Whole);
        let meter = Meter::new(options.limits);
        let mut interned = Interned::new(model, &meter, partitioning);
        let initial = initial
            .into_iter()
            .map(|state| interned.state_id(state))
            .collect();
        let mut course = Course::new(options, meter, initial);
        if is_apart && !options.async_threads {
            course.check_apart();
        }
        Self {
            space: Space::new(interned),
            course,
        }
    }

    /// A checker that keeps everything in one part and never puts operations off, so that its frontier can be asked for.
    pub(crate) fn whole_sweep(model: &'m M, options: Options) -> Self {
        let options = Options {
            strategy: Strategy::Sweep,
            ..options
        };
        Self::with_partitioning(model, options, Partitioning::Whole)
    }

    /// The partial explanations of what was given, once everything that returns before `time` has returned.
    pub(crate) fn frontier_at(&mut self, time: Time) -> Option<Frontier<M::State>> {
        let Frontier { open, configurations } = self.course.frontier_at(time, &mut self.space)?;
        let configurations = configurations
            .into_iter()
            .map(|(state, placed)| (self.space.source.state(state).clone(), placed))
            .collect();
        Some(Frontier { open, configurations })
    }

    /// Works on what could not be decided at once with each operation that comes in, instead of when the last one has.
    pub(crate) fn eager(mut self) -> Self {
        self.course.is_eager = true;
        self
    }

    /// The limit that was reached, if one was.
    pub(crate) fn exhausted(&self) -> Option<Limit> {
        self.course.meter.exhausted()
    }

    /// Whether some part of the history was too hard for the sweep alone, so that the answer waits for the last operation. A
    /// monitor may then decide the whole history at once: [`check`] and [`check_as_collections`](crate::check_as_collections).
    pub fn is_hard(&self) -> bool {
        self.course.is_hard()
    }

    /// Also keeps the explanation itself, to be read from the verdict. Its size is that of the history.
    pub fn keep_order(mut self) -> Self {
        self.course.keep_order();
        self
    }

    /// Answers without alternatives: for a model that keeps evidence of its own, or for who only wants to know whether.
    pub fn without_alternatives(mut self) -> Self {
        self.course.describes = false;
        self
    }

    /// Takes the next operation, in order of start.
    ///
    /// # Errors
    /// If it starts before the one given last.
    #[inline]
    pub fn push(&mut self, operation: Operation<M::Op>) -> Result<Progress, CheckError> {
        self.take(operation, Followed::Unknown)
    }

    /// The same, where it is known whether another operation of its thread starts where this one ends: see
    /// [`CheckError::Tied`]. `true` is always sound.
    ///
    /// # Errors
    /// If it starts before the one given last.
    #[inline]
    pub fn push_followed(
        &mut self,
        operation: Operation<M::Op>,
        is_followed: bool,
    ) -> Result<Progress, CheckError> {
        let followed = if is_followed { Followed::Yes } else { Followed::No };
        self.take(operation, followed)
    }

    #[inline]
    fn take(&mut self, operation: Operation<M::Op>, followed: Followed) -> Result<Progress, CheckError> {
        let Operation {
            op,
            thread,
            timebox,
            optional,
        } = operation;
        self.course.admit(timebox)?;
        let class = self.space.source.class_id(op);
        Ok(self
            .course
            .push(class, thread, timebox, optional, followed, &mut self.space))
    }

    /// Ends the check because of a limit that the caller has seen. What was given so far may still turn out to be
    /// a violation; otherwise the answer is `unknown`.
    pub fn stop(&mut self, limit: Limit) {
        self.course.meter.stop(limit);
    }

    /// The answer, after the last operation.
    ///
    /// # Errors
    /// If the model failed; if it has to start over, because parts that were checked apart turn out to be linked
    /// ([`CheckError::Entangled`]) or because of a tie ([`CheckError::Tied`]); or if an explanation was found that does not
    /// replay.
    pub fn finish(mut self) -> Result<Outcome, CheckError> {
        self.course.finish(&mut self.space)
    }
}

/// Checks a history that is in memory, in any order.
///
/// # Errors
/// If the model fails.
pub fn check<M: Model>(
    model: &M,
    history: impl IntoIterator<Item = Operation<M::Op>>,
    options: Options,
) -> Result<Outcome, CheckError> {
    let history = in_order_of_start(history.into_iter().collect());
    check_sorted(model, model.initial(), &history, options, Asked::VERDICT)
}

/// Checks a history in order of start, and keeps the order that explains it.
///
/// # Errors
/// If the model fails.
pub fn check_and_keep_order<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    options: Options,
) -> Result<Outcome, CheckError> {
    let asked = Asked {
        keeps_order: true,
        ..Asked::VERDICT
    };
    check_sorted(model, model.initial(), history, options, asked)
}

/// Checks a history by searching, whatever the model acts as.
pub(crate) fn check_from<M: Model>(
    model: &M,
    initial: Vec<M::State>,
    history: Vec<Operation<M::Op>>,
    options: Options,
) -> Result<Outcome, CheckError> {
    check_sorted(
        model,
        initial,
        &in_order_of_start(history),
        options,
        Asked::SEARCH,
    )
}

fn in_order_of_start<O>(mut history: Vec<Operation<O>>) -> Vec<Operation<O>> {
    if !history.is_sorted_by_key(|operation| operation.timebox.start) {
        history.sort_by_key(|operation| operation.timebox.start);
    }
    history
}

/// What a check of a history in memory is asked for.
#[derive(Clone, Copy)]
struct Asked {
    keeps_order: bool,
    may_use_monitors: bool,
}

impl Asked {
    const VERDICT: Self = Self {
        keeps_order: false,
        may_use_monitors: true,
    };
    const SEARCH: Self = Self {
        keeps_order: false,
        may_use_monitors: false,
    };
}

/// Checks a history in order of start that begins in one of these states. Monitors may join in where the search is hard.
fn check_sorted<M: Model>(
    model: &M,
    initial: Vec<M::State>,
    history: &[Operation<M::Op>],
    options: Options,
    mut asked: Asked,
) -> Result<Outcome, CheckError> {
    let mut components = Components::default();
    for operation in history {
        components.observe(&model.footprint(&operation.op));
        if components.is_settled() {
            break;
        }
    }
    let started = Instant::now();
    let followed = followed(history, &options);
    loop {
        let limits = Limits {
            time: options
                .limits
                .time
                .map(|time| time.saturating_sub(started.elapsed())),
            ..options.limits
        };
        let options = Options {
            // Nothing has to be read ahead for depth-first search here, so it may join in early.
            patience: options.patience / 8,
            limits,
            ..options
        };
        let partitioning = components.clone().into_partitioning();
        let mut checker = Checker::starting_from(model, initial.clone(), options, partitioning);
        if asked.keeps_order {
            checker = checker.keep_order();
        }
        for (operation, followed) in history.iter().zip(&followed) {
            if checker.push_followed(operation.clone(), *followed)? != Progress::Going {
                break;
            }
            if asked.may_use_monitors && checker.is_hard() {
                asked.may_use_monitors = false;
                if let Some(answer) = check_as_collections(model, history, &options) {
                    return answer;
                }
            }
        }
        match checker.finish() {
            Err(CheckError::Entangled(links)) => components.join(&links),
            answer => return answer,
        }
    }
}

/// For each operation, whether another one of its thread starts where it ends.
pub(crate) fn followed<O>(history: &[Operation<O>], options: &Options) -> Vec<bool> {
    if options.async_threads || options.consistency == Consistency::Sequential {
        return vec![false; history.len()];
    }
    let starts: FxHashMap<(u32, Time), usize> = history
        .iter()
        .enumerate()
        .map(|(position, operation)| ((operation.thread, operation.timebox.start), position))
        .collect();
    let is_followed = |(position, operation): (usize, &Operation<O>)| {
        let end = operation.timebox.end?;
        starts.get(&(operation.thread, end)).map(|last| *last > position)
    };
    history
        .iter()
        .enumerate()
        .map(|operation| is_followed(operation).unwrap_or(false))
        .collect()
}
