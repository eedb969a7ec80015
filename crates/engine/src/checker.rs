//! The checker: checks a history operation by operation, or a history in memory.

use std::time::Instant;

use omnilink_evidence::{Decider, Limit};
use omnilink_trace::Time;
use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::check_run::CheckRun;
use crate::collections::check_as_collections;
use crate::error::{CheckError, Progress};
use crate::evidence::{CheckOutcome, SearchFigures};
use crate::interned_model::InternedModel;
use crate::model::Model;
use crate::op_table::Followed;
use crate::operation::TimedOp;
use crate::options::{Consistency, Limits, Options, Strategy};
use crate::part_search::Frontier;
use crate::partition::{Components, Partitioning};
use crate::plain_program_order::explain_program_order;
use crate::plain_search::PlainSearch;
use crate::state_space::StateSpace;

/// Where a history starts.
#[derive(Clone, Debug)]
enum Start<S> {
    /// In an initial state of the model.
    Initial,
    /// In one of these states.
    From(Vec<S>),
}

/// Checks a history operation by operation, in order of start, each with its end and its result.
///
/// Memory depends on the undecided operations, not on the length of the history. For a running system,
/// [`Monitor`](crate::Monitor) turns calls and returns into such operations.
pub struct Checker<'m, M: Model> {
    space: StateSpace<InternedModel<'m, M>>,
    run: CheckRun,
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
    fn starting_from(
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
        Ok(self
            .run
            .push(class, thread, timebox, optional, followed, &mut self.space))
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

/// Checks a history in memory, given in any order.
///
/// # Errors
/// If the model fails.
pub fn check<M: Model>(
    model: &M,
    history: impl IntoIterator<Item = TimedOp<M::Op>>,
    options: Options,
) -> Result<CheckOutcome, CheckError> {
    let history = in_order_of_start(history.into_iter().collect());
    check_sorted(model, Start::Initial, &history, options, CheckMode::Verdict)
}

/// Checks a history in order of start, and returns the order that explains it.
///
/// # Errors
/// If the model fails.
pub fn check_and_keep_order<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    options: Options,
) -> Result<CheckOutcome, CheckError> {
    check_sorted(model, Start::Initial, history, options, CheckMode::Order)
}

/// Checks a history by search alone, without monitors.
pub(crate) fn check_from<M: Model>(
    model: &M,
    initial: Vec<M::State>,
    history: Vec<TimedOp<M::Op>>,
    options: Options,
) -> Result<CheckOutcome, CheckError> {
    check_sorted(
        model,
        Start::From(initial),
        &in_order_of_start(history),
        options,
        CheckMode::Search,
    )
}

fn in_order_of_start<O>(mut history: Vec<TimedOp<O>>) -> Vec<TimedOp<O>> {
    if !history.is_sorted_by_key(|operation| operation.timebox.start) {
        history.sort_by_key(|operation| operation.timebox.start);
    }
    history
}

/// The mode of a check of a history in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckMode {
    /// By search or by a monitor.
    Verdict,
    /// The same, with the order that explains the history.
    Order,
    /// By search alone.
    Search,
}

/// Checks a history in order of start. Tries a monitor if the search is hard.
fn check_sorted<M: Model>(
    model: &M,
    start: Start<M::State>,
    history: &[TimedOp<M::Op>],
    options: Options,
    mode: CheckMode,
) -> Result<CheckOutcome, CheckError> {
    if options.naive {
        return check_plainly(model, start, history, options);
    }
    if options.strategy == Strategy::Monitor {
        return check_as_collections(model, history, &options)?;
    }
    let mut components = Components::of(history.iter().map(|operation| model.footprint(&operation.op)));
    let started = Instant::now();
    let mut may_use_monitors = mode != CheckMode::Search && options.strategy == Strategy::Portfolio;
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
            // The whole history is in memory, so depth-first search may join in early.
            sweep_budget: options.sweep_budget / 8,
            commit_after: None,
            limits,
            ..options
        };
        let partitioning = components.clone().into_partitioning();
        let mut checker = Checker::starting_from(model, start.clone(), options, partitioning);
        if mode == CheckMode::Order {
            checker = checker.keep_order();
        }
        for (operation, followed) in history.iter().zip(&followed) {
            if checker.push_followed(operation.clone(), *followed)? != Progress::Going {
                break;
            }
            if may_use_monitors && checker.is_hard() {
                may_use_monitors = false;
                if let Ok(outcome) = check_as_collections(model, history, &options) {
                    return outcome;
                }
            }
        }
        match checker.finish() {
            Err(CheckError::Entangled(links)) => components.join(&links),
            outcome => return outcome,
        }
    }
}

/// Checks a history in order of start by trying every order.
fn check_plainly<M: Model>(
    model: &M,
    start: Start<M::State>,
    history: &[TimedOp<M::Op>],
    options: Options,
) -> Result<CheckOutcome, CheckError> {
    let initial = match start {
        Start::Initial => model.plain_initial(),
        Start::From(states) => states,
    };
    let (verdict, configurations) = match options.consistency {
        Consistency::Sequential => {
            explain_program_order(model, initial, history, options.async_threads, options.limits)
        }
        Consistency::Linearizable => {
            let frontier = initial.into_iter().map(|state| (state, Vec::new()));
            let mut search = PlainSearch::starting_from(
                model,
                Vec::new(),
                frontier,
                options.async_threads,
                options.limits,
            );
            for (id, operation) in (0..).zip(history) {
                if !search.push(id, operation.clone()) {
                    break;
                }
            }
            (search.finish(), search.configurations)
        }
    };
    let figures = SearchFigures {
        operations: history.len() as u64,
        pending: history.iter().filter(|op| op.timebox.is_pending()).count() as u64,
        configurations,
        partitions: 1,
        decider: Some(Decider::Plain),
        ..SearchFigures::default()
    };
    let shown = |id: u64| {
        let operation = &history[id as usize];
        operation.shown(id, model.describe_op(&operation.op))
    };
    Ok(CheckOutcome {
        conclusion: verdict.into_conclusion(shown)?,
        figures,
    })
}

/// For each operation, whether another one of its thread starts where it ends.
pub(crate) fn followed<O>(history: &[TimedOp<O>], options: &Options) -> Vec<bool> {
    if options.async_threads || options.consistency == Consistency::Sequential {
        return vec![false; history.len()];
    }
    let starts: FxHashMap<(u32, Time), usize> = history
        .iter()
        .enumerate()
        .map(|(position, operation)| ((operation.thread, operation.timebox.start), position))
        .collect();
    let is_followed = |(position, operation): (usize, &TimedOp<O>)| {
        let end = operation.timebox.end?;
        starts.get(&(operation.thread, end)).map(|last| *last > position)
    };
    history
        .iter()
        .enumerate()
        .map(|operation| is_followed(operation).unwrap_or(false))
        .collect()
}
