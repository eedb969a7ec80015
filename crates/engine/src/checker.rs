//! Checks a history as it comes in.

use omnilink_trace::Time;

use crate::course::Course;
use crate::evidence::Outcome;
use crate::interned::Interned;
use crate::meter::{Exhausted, Meter};
use crate::model::Model;
use crate::operation::Operation;
use crate::options::{Consistency, Options, Strategy};
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
        let meter = Meter::new(options.limits);
        let mut interned = Interned::new(model, &meter, partitioning);
        let initial = initial
            .into_iter()
            .map(|state| interned.state_id(state))
            .collect();
        Self {
            space: Space::new(interned),
            course: Course::new(options, meter, initial),
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

    /// The limit that was reached, if one was.
    pub(crate) fn exhausted(&self) -> Option<Exhausted> {
        self.course.meter.exhausted()
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
            .push(class, thread, timebox, optional, &mut self.space))
    }

    /// Ends the check because of a limit that whoever gives the operations has seen. What was given so far may still turn out to be
    /// a violation; otherwise the answer is `unknown`.
    pub fn stop(&mut self, limit: Exhausted) {
        self.course.meter.stop(limit);
    }

    /// The answer, after the last operation.
    ///
    /// # Errors
    /// If the model failed, or if an explanation was found that does not replay.
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
    check_from(model, model.initial(), history.into_iter().collect(), options)
}

/// Checks a history that begins in one of these states.
pub(crate) fn check_from<M: Model>(
    model: &M,
    initial: Vec<M::State>,
    mut history: Vec<Operation<M::Op>>,
    options: Options,
) -> Result<Outcome, CheckError> {
    if !history.is_sorted_by_key(|operation| operation.timebox.start) {
        history.sort_by_key(|operation| operation.timebox.start);
    }
    let mut components = Components::default();
    for operation in &history {
        components.observe(&model.footprint(&operation.op));
        if components.is_settled() {
            break;
        }
    }
    // Nothing has to be read ahead for depth-first search here, so it may join in early.
    let options = Options {
        patience: options.patience / 8,
        ..options
    };
    let mut checker = Checker::starting_from(model, initial, options, components.into_partitioning());
    for operation in history {
        if checker.push(operation)? != Progress::Going {
            break;
        }
    }
    checker.finish()
}
