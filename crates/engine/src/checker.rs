//! The checker: checks a history operation by operation, or a history in memory.

use omnilink_evidence::Limit;
use omnilink_trace::Time;

use crate::budget::Budget;
use crate::check_run::CheckRun;
use crate::error::{CheckError, Progress};
use crate::evidence::CheckOutcome;
use crate::footprint::Footprint;
use crate::interned_model::InternedModel;
use crate::model::Model;
use crate::op_table::Followed;
use crate::operation::TimedOp;
use crate::options::{Consistency, Options, Strategy};
use crate::part_search::Frontier;
use crate::partition::Partitioning;
use crate::state_space::StateSpace;

/// Where a history starts.
#[derive(Clone, Debug)]
pub(crate) enum Start<S> {
    /// In an initial state of the model.
    Initial,
    /// In one of these states.
    From(Vec<S>),
}

/// Checks a history operation by operation, in order of start, each with its end and its result.
///
/// Memory depends on the undecided operations, not on the length of the history. For a running system,
/// [`LiveCheck`](crate::LiveCheck) turns calls and returns into such operations.
pub struct Checker<'m, M: Model> {
    space: StateSpace<InternedModel<'m, M>>,
    run: CheckRun,
    /// What the operation touches that spans parts, if there was one.
    spanning: Option<Footprint>,
}

impl<M: Model> std::fmt::Debug for Checker<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("figures", &self.run.figures)
            .finish_non_exhaustive()
    }
}

impl<'m, M: Model> Checker<'m, M> {
    /// A checker that checks each key of the model separately.
    pub fn new(model: &'m M, options: Options) -> Self {
        Self::with_partitioning(model, options, Partitioning::PerKey)
    }

    /// A checker with these parts.
    pub fn with_partitioning(model: &'m M, options: Options, partitioning: Partitioning) -> Self {
        Self::starting_from(model, Start::Initial, options, partitioning)
    }

    /// A checker of a history that starts there.
    pub(crate) fn starting_from(
        model: &'m M,
        start: Start<M::State>,
        options: Options,
        partitioning: Partitioning,
    ) -> Self {
        let (initial, given) = match start {
            Start::Initial => (model.initial(), None),
            Start::From(states) => (states.clone(), Some(states)),
        };
        // Sequential consistency is not compositional: two parts may each have an order while the whole has none.
        // And each part might choose another one of several initial states.
        let can_partition = options.reductions.partitions
            && options.consistency == Consistency::Linearizable
            && initial.len() <= 1;
        let partitioning = if can_partition {
            partitioning
        } else {
            Partitioning::Whole
        };
        let is_partitioned = !matches!(partitioning, Partitioning::Whole);
        let budget = Budget::new(options.limits);
        let mut interned = InternedModel::new(model, &budget, partitioning);
        if let Some(given) = given {
            interned.replay_from(given);
        }
        let initial = initial
            .into_iter()
            .map(|state| interned.state_id(state))
            .collect();
        let mut run = CheckRun::new(options, budget, initial);
        if is_partitioned && !options.async_threads {
            run.track_ties();
        }
        Self {
            space: StateSpace::new(interned),
            run,
            spanning: None,
        }
    }

    /// A checker with one part and without a backlog, so that it always has a frontier.
    pub(crate) fn whole_sweep(model: &'m M, options: Options) -> Self {
        let options = Options {
            strategy: Strategy::Sweep,
            ..options
        };
        Self::with_partitioning(model, options, Partitioning::Whole)
    }

    /// The partial explanations of the operations given, after all returns before `time`.
    pub(crate) fn frontier_at(&mut self, time: Time) -> Option<Frontier<M::State>> {
        let Frontier { open, configurations } = self.run.frontier_at(time, &mut self.space)?;
        let configurations = configurations
            .into_iter()
            .map(|(state, placed)| (self.space.model.state(state).clone(), placed))
            .collect();
        Some(Frontier { open, configurations })
    }

    /// Processes a backlog with each operation instead of after the last one.
    pub(crate) fn eager(mut self) -> Self {
        self.run.is_eager = true;
        self
    }

    /// The limit that was reached, if one was.
    pub(crate) fn exhausted(&self) -> Option<Limit> {
        self.run.budget.exhausted()
    }

    /// Whether some part of the history was too hard for the sweep alone, so that operations wait. A monitor may then decide
    /// the whole history at once: see [`check_as_collections`](crate::check_as_collections).
    pub fn is_hard(&self) -> bool {
        self.run.has_backlog()
    }

    /// After the last operation of a hard history: lets the sweep process what waits, if it has caught up before. Returns whether
    /// nothing waits any more.
    pub fn catch_up(&mut self) -> bool {
        self.run.catch_up_at_end(&mut self.space)
    }

    /// Also returns the order of the explanation with the verdict. Its size is that of the history.
    pub fn keep_order(mut self) -> Self {
        self.run.keep_order();
        self
    }

    /// Leaves alternatives out of the evidence, for callers that need only the verdict.
    pub fn without_alternatives(mut self) -> Self {
        self.run.with_alternatives = false;
        self
    }

    /// Takes the next operation, in order of start.
    ///
    /// # Errors
    /// If it starts before the one given last.
    #[inline]
    pub fn push(&mut self, operation: TimedOp<M::Op>) -> Result<Progress, CheckError> {
        self.push_operation(operation, Followed::Unknown)
    }

    /// The same, for callers that know whether another operation of its thread starts where this one ends: see
    /// [`CheckError::Tied`]. `true` is always sound.
    ///
    /// # Errors
    /// If it starts before the one given last.
    #[inline]
    pub fn push_followed(
        &mut self,
        operation: TimedOp<M::Op>,
        is_followed: bool,
    ) -> Result<Progress, CheckError> {
        let followed = if is_followed { Followed::Yes } else { Followed::No };
        self.push_operation(operation, followed)
    }

    #[inline]
    fn push_operation(
        &mut self,
        operation: TimedOp<M::Op>,
        followed: Followed,
    ) -> Result<Progress, CheckError> {
        let TimedOp {
            op,
            thread,
            timebox,
            optional,
        } = operation;
        self.run.check_timebox(timebox)?;
        let class = self.space.model.class_id(op);
        let progress = self
            .run
            .push(class, thread, timebox, optional, followed, &mut self.space);
        if progress == Progress::Spans {
            self.spanning = Some(self.space.model.footprint(class));
        }
        Ok(progress)
    }

    /// What the operation touches that [spans](Progress::Spans) parts, if there was one.
    pub(crate) fn spanning(&mut self) -> Option<Footprint> {
        self.spanning.take()
    }

    /// Ends the check because of a limit that the caller found exceeded. The verdict is `violation` if the operations given
    /// so far have no explanation, and `unknown` otherwise.
    pub fn stop(&mut self, limit: Limit) {
        self.run.budget.stop(limit);
    }

    /// The outcome, after the last operation.
    ///
    /// # Errors
    /// If the model failed; if the check has to start over, because threads link parts ([`CheckError::Entangled`]) or
    /// because of a tie ([`CheckError::Tied`]) or dropped explanations ([`CheckError::Committed`]); or if an explanation does not replay.
    pub fn finish(mut self) -> Result<CheckOutcome, CheckError> {
        self.run.finish(&mut self.space)
    }
}
