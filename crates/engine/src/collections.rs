//! Histories of registers, queues, stacks and priority queues, decided by near-linear monitors.
//!
//! The monitors ([`omnilink_monitors`]) work on ranks and value ids, without models, parts or clocks. This module
//! translates: the model gives the effect of each operation on the collection ([`Observation`]), values get ids, and clock
//! readings become ranks. The order of a monitor is replayed through the model. The operations of a refutation are checked
//! once more by the general search, which gives the usual evidence.

use omnilink_evidence::{BrokenRule, Decider, Linearization, Placement};
use omnilink_monitors::{Action, Collection, Decision, Refutation, TimedAction};
use omnilink_trace::Time;
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Budget;
use crate::checker::check_from;
use crate::error::CheckError;
use crate::evidence::{Conclusion, Outcome, SearchFigures};
use crate::interned_model::InternedModel;
use crate::model::Model;
use crate::op_table::{Followed, OpRecord};
use crate::operation::Operation;
use crate::options::{Consistency, Options, Strategy};
use crate::partition::{Components, Partitioning};
use crate::replay::Replay;
use crate::state_space::{ClassId, ErasedModel};
use crate::ties::{PartOp, PartPosition, Ties};

/// The kinds of collections that monitors decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// A read returns the value written last. Each key of the model's footprints is a register of its own.
    Register,
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// The greatest value comes out first.
    GreatestFirst,
    /// The least value comes out first.
    LeastFirst,
}

/// The effect of an operation, with its result, on an initially empty collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation<'a> {
    /// It added the value; in a register, wrote it.
    Add(&'a Value),
    /// It removed the value.
    Remove(&'a Value),
    /// It observed that the value is next; in a register, read it.
    Peek(&'a Value),
    /// It found the collection empty; in a register, read the initial value.
    FindEmpty,
    /// It removes the next value, if there is one. Its result is unknown.
    RemoveAny,
    /// It changes nothing and can happen in every state.
    Nothing,
    /// Anything else. The monitors do not apply.
    Other,
}

/// Decides a history in memory, in order of start. `None` if the model is no collection or a monitor cannot decide it.
pub fn check_as_collections<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    options: &Options,
) -> Option<Result<Outcome, CheckError>> {
    let collection_kind = model.collection_kind()?;
    if options.consistency != Consistency::Linearizable || options.strategy != Strategy::Portfolio {
        return None;
    }
    let parts = parts_of(model, history, collection_kind, options)?;
    let mut orders = Vec::with_capacity(parts.len());
    for part in &parts {
        match part.decide(options)? {
            PartDecision::Order(order) => orders.push(order),
            PartDecision::Refuted(refutation) => {
                let parts_checked = orders.len() as u64 + 1;
                return refuted(model, history, options, part, &refutation, parts_checked);
            }
        }
    }
    let order = merged(model, history, &parts, &orders, options);
    let placements = replayed(model, history, &order, options)?;
    let figures = figures(history, parts.len() as u64, SearchFigures::default());
    let witness = Linearization {
        replayed: placements.len() as u64,
        order: Some(placements),
    };
    Some(Ok(Outcome {
        conclusion: Conclusion::Valid(witness),
        figures,
    }))
}

/// Statistics of a check that a monitor decided; `searched` are those of the search that confirmed it.
fn figures<O>(history: &[Operation<O>], partitions: u64, searched: SearchFigures) -> SearchFigures {
    let pending = history
        .iter()
        .filter(|operation| operation.timebox.is_pending())
        .count();
    SearchFigures {
        operations: history.len() as u64,
        pending: pending as u64,
        partitions,
        decider: Some(Decider::Monitor),
        ..searched
    }
}

/// The operations of one collection.
struct CollectionPart {
    collection: Collection,
    /// Positions in the history.
    members: Vec<usize>,
    actions: Vec<Action>,
    /// Operations that can happen at any time.
    anywhere: Vec<usize>,
    /// Thread, start and end of each member.
    times: Vec<(u32, Time, Option<Time>)>,
}

enum PartDecision {
    /// An order, as positions in the history.
    Order(Vec<usize>),
    Refuted(Refutation),
}

fn parts_of<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    collection_kind: CollectionKind,
    options: &Options,
) -> Option<Vec<CollectionPart>> {
    let partitioning = if options.reductions.partitions {
        let footprints = history.iter().map(|operation| model.footprint(&operation.op));
        Components::of(footprints).into_partitioning()
    } else {
        Partitioning::Whole
    };
    let collection = match collection_kind {
        CollectionKind::Register => Collection::Register,
        CollectionKind::Queue => Collection::Queue,
        CollectionKind::Stack => Collection::Stack,
        CollectionKind::GreatestFirst | CollectionKind::LeastFirst => Collection::PriorityQueue,
    };
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    let mut parts: Vec<(CollectionPart, Vec<Observation<'_>>)> = Vec::new();
    for (position, operation) in history.iter().enumerate() {
        let part_id = partitioning.part_of(&model.footprint(&operation.op))?;
        let number = *numbers.entry(part_id).or_insert_with(|| {
            parts.push((
                CollectionPart {
                    collection,
                    members: Vec::new(),
                    actions: Vec::new(),
                    anywhere: Vec::new(),
                    times: Vec::new(),
                },
                Vec::new(),
            ));
            parts.len() - 1
        });
        let (part, observations) = &mut parts[number];
        let is_pending = operation.timebox.is_pending();
        match model.observe(&operation.op) {
            // The monitors do not handle optional operations that returned.
            _ if operation.optional && !is_pending => return None,
            Observation::Other => return None,
            Observation::RemoveAny if !is_pending => return None,
            Observation::Nothing if is_pending => {}
            Observation::Nothing => part.anywhere.push(position),
            observation => {
                part.members.push(position);
                part.times
                    .push((operation.thread, operation.timebox.start, operation.timebox.end));
                observations.push(observation);
            }
        }
    }
    let with_actions = |(mut part, observations): (CollectionPart, Vec<Observation<'_>>)| {
        part.actions = number_values(&observations, collection_kind);
        part
    };
    Some(parts.into_iter().map(with_actions).collect())
}

/// Gives values ids. In a priority queue, values that come out first have greater ids.
fn number_values(observations: &[Observation<'_>], collection_kind: CollectionKind) -> Vec<Action> {
    let value_of = |observation: &Observation<'_>| match *observation {
        Observation::Add(value) | Observation::Remove(value) | Observation::Peek(value) => {
            Some(value.clone())
        }
        _ => None,
    };
    let mut numbers: FxHashMap<Value, u32> = FxHashMap::default();
    for value in observations.iter().filter_map(value_of) {
        let next = numbers.len() as u32;
        numbers.entry(value).or_insert(next);
    }
    if matches!(
        collection_kind,
        CollectionKind::GreatestFirst | CollectionKind::LeastFirst
    ) {
        let mut values: Vec<Value> = numbers.keys().cloned().collect();
        values.sort_unstable();
        if collection_kind == CollectionKind::LeastFirst {
            values.reverse();
        }
        numbers = values.into_iter().zip(0..).collect();
    }
    let number = |value: &Value| numbers.get(value).copied().unwrap_or_default();
    let action = |observation: &Observation<'_>| match *observation {
        Observation::Add(value) => Action::Add(number(value)),
        Observation::Remove(value) => Action::Remove(number(value)),
        Observation::Peek(value) => Action::Peek(number(value)),
        Observation::RemoveAny => Action::RemoveAny,
        Observation::FindEmpty | Observation::Nothing | Observation::Other => Action::FindEmpty,
    };
    observations.iter().map(action).collect()
}

/// How equal clock readings become ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TieOrder {
    /// The operations of each thread keep their order. If several threads continue at one instant, this also orders
    /// overlapping operations of different threads. So the order is too strong, and only `Linearizable` counts.
    KeepThreads,
    /// Operations that touch overlap, also those of one thread. So the order is too weak, and only `Violation` counts.
    Overlap,
}

impl CollectionPart {
    fn decide(&self, options: &Options) -> Option<PartDecision> {
        let order =
            |order: Vec<usize>| PartDecision::Order(order.iter().map(|at| self.members[*at]).collect());
        let is_async = options.async_threads;
        let (ranked, is_exact) = self.ranked(TieOrder::KeepThreads, is_async);
        match omnilink_monitors::check(self.collection, &ranked) {
            Decision::Linearizable(found) => Some(order(found)),
            Decision::Violation(refutation) if is_exact => Some(PartDecision::Refuted(refutation)),
            Decision::Undecided(_) => None,
            Decision::Violation(_) => {
                let (ranked, _) = self.ranked(TieOrder::Overlap, is_async);
                match omnilink_monitors::check(self.collection, &ranked) {
                    Decision::Violation(refutation) => Some(PartDecision::Refuted(refutation)),
                    Decision::Linearizable(_) | Decision::Undecided(_) => None,
                }
            }
        }
    }

    /// The operations with ranks, and whether the ranks express exactly the order of the clock and the threads.
    fn ranked(&self, tie_order: TieOrder, is_async: bool) -> (Vec<TimedAction>, bool) {
        // Calls and returns by time. At one instant, calls come before returns, because timeboxes that touch overlap. But a
        // thread that continues at that instant returns from one operation before it calls the next. Such threads come
        // between the calls and the returns of all others, one thread after the other.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum Step {
            Call,
            Thread(u32, usize, bool),
            Return,
        }
        let continuing = match tie_order {
            TieOrder::KeepThreads if !is_async => self.continuing(),
            _ => FxHashSet::default(),
        };
        let mut instants = FxHashSet::default();
        let is_exact = continuing.iter().all(|(_, time)| instants.insert(*time));
        let mut events: Vec<(Time, Step, usize, bool)> = Vec::with_capacity(2 * self.times.len());
        for (at, (thread, start, end)) in self.times.iter().enumerate() {
            let step = |time: Time, is_return: bool| match continuing.contains(&(*thread, time)) {
                true => Step::Thread(*thread, at, is_return),
                false if is_return => Step::Return,
                false => Step::Call,
            };
            events.push((*start, step(*start, false), at, false));
            events.extend(end.map(|end| (end, step(end, true), at, true)));
        }
        events.sort_unstable();
        let mut ranked: Vec<TimedAction> = self
            .actions
            .iter()
            .map(|action| TimedAction {
                action: *action,
                call: 0,
                ret: None,
            })
            .collect();
        for (rank, (_, _, at, is_return)) in (1..).zip(&events) {
            match is_return {
                true => ranked[*at].ret = Some(rank),
                false => ranked[*at].call = rank,
            }
        }
        (ranked, is_exact)
    }

    /// The threads that call an operation at the time at which they returned from another one, with these times.
    fn continuing(&self) -> FxHashSet<(u32, Time)> {
        let starts: FxHashMap<(u32, Time), usize> = self
            .times
            .iter()
            .enumerate()
            .map(|(at, (thread, start, _))| ((*thread, *start), at))
            .collect();
        let continuing = self
            .times
            .iter()
            .enumerate()
            .filter_map(|(at, (thread, _, end))| {
                let tied = (*thread, (*end)?);
                starts.get(&tied).filter(|last| **last > at).map(|_| tied)
            });
        continuing.collect()
    }
}

/// Merges the orders of all parts. Each operation gets the earliest moment that the order of its part allows. Operations
/// with the same moment keep the order of their part and of their thread, if that is possible.
fn merged<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    parts: &[CollectionPart],
    orders: &[Vec<usize>],
    options: &Options,
) -> Vec<usize> {
    let member = |position: usize, part_id: usize| PartOp {
        record: record_of(&history[position], position, 0, options),
        part_id: part_id as u64,
    };
    let mut moments: Vec<(PartPosition, PartOp)> = Vec::with_capacity(history.len());
    for (part_id, order) in orders.iter().enumerate() {
        let mut placed = PartPosition {
            at: Time::MIN,
            layer: 0,
        };
        for position in order {
            let operation = &history[*position];
            placed.at = placed.at.max(operation.timebox.start);
            let is_pure = model.is_pure(&operation.op);
            placed.layer += u64::from(!is_pure);
            moments.push((placed, member(*position, part_id)));
            placed.layer += u64::from(!is_pure);
        }
    }
    // An operation that can happen at any time is a part of its own.
    let anywhere = parts.iter().flat_map(|part| &part.anywhere);
    for (part_id, position) in (orders.len()..).zip(anywhere) {
        let at = history[*position].timebox.start;
        moments.push((PartPosition { at, layer: 0 }, member(*position, part_id)));
    }
    moments.sort_by_key(|(placed, _)| placed.at);
    Ties::put_in_order(&mut moments);
    moments
        .into_iter()
        .map(|(_, member)| member.record.id as usize)
        .collect()
}

fn record_of<O>(operation: &Operation<O>, position: usize, class: ClassId, options: &Options) -> OpRecord {
    OpRecord {
        id: position as u64,
        class,
        thread: operation.thread,
        start: operation.timebox.start,
        end: operation.timebox.end.unwrap_or(OpRecord::NEVER),
        optional: operation.optional || operation.timebox.is_pending(),
        in_order: !options.async_threads,
        followed: Followed::Unknown,
    }
}

/// Replays an order through the model. `None` if the model rejects it: then the general search decides.
fn replayed<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    order: &[usize],
    options: &Options,
) -> Option<Vec<Placement>> {
    let budget = Budget::new(options.limits);
    let mut source = InternedModel::new(model, &budget, Partitioning::Whole);
    let initial: Vec<_> = model
        .initial()
        .into_iter()
        .map(|state| source.state_id(state))
        .collect();
    let mut replay = Replay::new(source.start_replay(&initial));
    let mut placements = Vec::with_capacity(order.len());
    for position in order {
        let operation = &history[*position];
        let class = source.class_id(operation.op.clone());
        let record = record_of(operation, *position, class, options);
        placements.push(replay.place(&record, &mut source).ok()?);
    }
    let mandatory = history
        .iter()
        .filter(|operation| !operation.timebox.is_pending())
        .count();
    (replay.mandatory == mandatory as u64).then_some(placements)
}

/// The evidence of a violation: the operations that break the rule, checked by the general search.
fn refuted<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    options: &Options,
    part: &CollectionPart,
    refutation: &Refutation,
    partitions: u64,
) -> Option<Result<Outcome, CheckError>> {
    let mut positions: Vec<usize> = refutation.operations.iter().map(|at| part.members[*at]).collect();
    positions.sort_unstable();
    let few: Vec<Operation<M::Op>> = positions
        .iter()
        .map(|position| history[*position].clone())
        .collect();
    let views = few
        .iter()
        .zip(&positions)
        .map(|(operation, position)| operation.shown(*position as u64, model.describe_op(&operation.op)));
    let broken = BrokenRule {
        rule: refutation.rule.to_string(),
        operations: views.collect(),
    };
    let outcome = match check_from(model, model.initial(), few, *options) {
        Ok(outcome) => outcome,
        Err(error) => return Some(Err(error)),
    };
    let Conclusion::Violation(mut counterexample) = outcome.conclusion else {
        // The search does not confirm the refutation, so the general search decides the whole history.
        return None;
    };
    counterexample.visit_operations(&mut |op| {
        if let Some(position) = positions.get(op.id as usize) {
            op.id = *position as u64;
        }
    });
    // The prefix that explanations of these operations share is not shared by those of the whole history.
    counterexample.agreed = None;
    counterexample.broken = Some(broken);
    Some(Ok(Outcome {
        conclusion: Conclusion::Violation(counterexample),
        figures: figures(history, partitions, outcome.figures),
    }))
}
