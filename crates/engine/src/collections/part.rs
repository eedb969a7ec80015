//! The operations of one collection, with ranks for clock readings and ids for values.

use omnilink_monitors::{Action, Collection, Decision, Refutation, RefutationCheck, TimedAction};
use omnilink_trace::Time;
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Model;
use crate::observation::{CollectionKind, Observation};
use crate::operation::TimedOp;
use crate::options::Options;
use crate::partition::{Components, Partitioning};
use crate::unmonitored::Unmonitored;

/// The operations of one collection. An operation on several values has several effects.
pub(super) struct CollectionPart {
    collection: Collection,
    /// The operation of each effect, as a position in the history.
    pub members: Vec<usize>,
    actions: Vec<Action>,
    /// Operations that can happen in every state and change nothing.
    pub anywhere: Vec<usize>,
    /// Operations that change nothing and that the monitor does not understand. They are placed when the order of the others
    /// is replayed.
    pub looks: Vec<usize>,
    /// Thread, start and end of the operation of each effect.
    times: Vec<(u32, Time, Option<Time>)>,
    /// The values by id.
    values: Vec<Value>,
}

pub(super) enum PartDecision {
    /// An order, as positions in the history.
    Order(Vec<usize>),
    Refuted(Refutation),
}

/// Splits a history into its collections.
pub(super) fn parts_of<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    kind: CollectionKind,
    options: &Options,
) -> Result<Vec<CollectionPart>, Unmonitored> {
    let partitioning = if options.reductions.partitions {
        let footprints = history.iter().map(|operation| model.footprint(&operation.op));
        Components::of(footprints).into_partitioning()
    } else {
        Partitioning::Whole
    };
    let collection = kind.collection();
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    let mut parts: Vec<(CollectionPart, Vec<Observation<'_>>)> = Vec::new();
    let added_once = match kind {
        CollectionKind::Set => added_once(model, history, &partitioning),
        _ => FxHashSet::default(),
    };
    for (position, operation) in history.iter().enumerate() {
        let foreign = || Unmonitored::Operation(model.describe_op(&operation.op));
        let part_id = partitioning
            .part_of(&model.footprint(&operation.op))
            .ok_or_else(foreign)?;
        let number = *numbers.entry(part_id).or_insert_with(|| {
            let part = CollectionPart {
                collection,
                members: Vec::new(),
                actions: Vec::new(),
                anywhere: Vec::new(),
                looks: Vec::new(),
                times: Vec::new(),
                values: Vec::new(),
            };
            parts.push((part, Vec::new()));
            parts.len() - 1
        });
        let (part, observations) = &mut parts[number];
        let is_pending = operation.timebox.is_pending();
        let mut effect = |observation| {
            part.members.push(position);
            part.times
                .push((operation.thread, operation.timebox.start, operation.timebox.end));
            observations.push(observation);
        };
        match model.observe(&operation.op) {
            // The monitors do not handle optional operations that returned.
            _ if operation.optional && !is_pending => {
                return Err(Unmonitored::Optional(model.describe_op(&operation.op)));
            }
            Observation::Other => return Err(foreign()),
            Observation::RemoveAny if !is_pending => return Err(foreign()),
            // Of pending operations, those that changed nothing can be left out. An operation that returned changed something
            // for certain only if no other one adds its value.
            Observation::MayAdd(value) if !is_pending && !added_once.contains(&(part_id, value)) => {
                return Err(foreign());
            }
            Observation::MayRemove(_) if !is_pending => return Err(foreign()),
            Observation::Replace {
                is_certain: false, ..
            } if !is_pending => return Err(foreign()),
            // Of several values, a pending operation may have added or removed all or none.
            Observation::AddAll(_) | Observation::RemoveAll { .. } if is_pending => return Err(foreign()),
            Observation::AddAll(values) => values.iter().map(Observation::Add).for_each(effect),
            Observation::RemoveAll { values, rest } => {
                values.iter().map(Observation::Remove).for_each(&mut effect);
                if !rest {
                    effect(Observation::FindEmpty);
                }
            }
            Observation::Nothing | Observation::Look if is_pending => {}
            Observation::Nothing => part.anywhere.push(position),
            Observation::Look => part.looks.push(position),
            observation => effect(observation),
        }
    }
    let with_actions = |(mut part, observations): (CollectionPart, Vec<Observation<'_>>)| {
        (part.actions, part.values) = number_values(&observations, kind);
        part
    };
    Ok(parts.into_iter().map(with_actions).collect())
}

/// The values that one operation adds, with their parts, for kinds of operations that may find their value inside.
fn added_once<'h, M: Model>(
    model: &M,
    history: &'h [TimedOp<M::Op>],
    partitioning: &Partitioning,
) -> FxHashSet<(u64, &'h Value)> {
    let mut additions: FxHashMap<(u64, &Value), u32> = FxHashMap::default();
    for operation in history {
        let observation = model.observe(&operation.op);
        if let Observation::Add(value) | Observation::MayAdd(value) = observation
            && let Some(part_id) = partitioning.part_of(&model.footprint(&operation.op))
        {
            *additions.entry((part_id, value)).or_default() += 1;
        }
    }
    let once = additions.into_iter().filter(|(_, count)| *count == 1);
    once.map(|(value, _)| value).collect()
}

/// Gives values ids. In a priority queue, values that come out first have greater ids.
fn number_values(observations: &[Observation<'_>], kind: CollectionKind) -> (Vec<Action>, Vec<Value>) {
    let mut numbers: FxHashMap<Value, u32> = FxHashMap::default();
    let mut values: Vec<Value> = Vec::new();
    for value in observations.iter().flat_map(Observation::values) {
        numbers.entry(value.clone()).or_insert_with(|| {
            values.push(value.clone());
            values.len() as u32 - 1
        });
    }
    if matches!(kind, CollectionKind::GreatestFirst | CollectionKind::LeastFirst) {
        values.sort_unstable();
        if kind == CollectionKind::LeastFirst {
            values.reverse();
        }
        numbers = values.iter().cloned().zip(0..).collect();
    }
    let number = |value: &Value| numbers.get(value).copied().unwrap_or_default();
    let actions = observations.iter().map(|observation| observation.action(&number));
    (actions.collect(), values)
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
    pub fn decide(&self, options: &Options) -> Result<PartDecision, Unmonitored> {
        let is_async = options.async_threads;
        let (ranked, is_exact) = self.ranked(TieOrder::KeepThreads, is_async);
        match omnilink_monitors::check(self.collection, &ranked) {
            Decision::Linearizable(found) => Ok(PartDecision::Order(self.in_order(&found))),
            Decision::Violation(refutation) if is_exact => self.refuted(&ranked, refutation),
            Decision::Undecided(reason) => {
                let show = |value: u32| self.values[value as usize].to_string();
                Err(Unmonitored::Undecided(reason.describe(show)))
            }
            Decision::Violation(_) => {
                let (ranked, _) = self.ranked(TieOrder::Overlap, is_async);
                match omnilink_monitors::check(self.collection, &ranked) {
                    Decision::Violation(refutation) => self.refuted(&ranked, refutation),
                    Decision::Linearizable(_) | Decision::Undecided(_) => Err(Unmonitored::Ties),
                }
            }
        }
    }

    /// A refutation, unless a search over the operations that it is about contradicts it: then the general search decides.
    fn refuted(&self, ranked: &[TimedAction], refutation: Refutation) -> Result<PartDecision, Unmonitored> {
        match omnilink_monitors::confirm(self.collection, ranked, &refutation) {
            RefutationCheck::Confirmed { .. } | RefutationCheck::NotConfirmed { .. } => {
                Ok(PartDecision::Refuted(refutation))
            }
            RefutationCheck::Contradicted { .. } => Err(Unmonitored::Unconfirmed),
        }
    }

    /// The operations in the order of their effects. An operation on several values takes effect with the last value that it
    /// adds, or the first that it removes: this is a guess, which the replay checks.
    fn in_order(&self, effects: &[usize]) -> Vec<usize> {
        let mut left: FxHashMap<usize, usize> = FxHashMap::default();
        for at in effects {
            *left.entry(self.members[*at]).or_default() += 1;
        }
        let mut order = Vec::with_capacity(left.len());
        let mut is_placed: FxHashSet<usize> = FxHashSet::default();
        for at in effects {
            let position = self.members[*at];
            let Some(left) = left.get_mut(&position) else {
                continue;
            };
            *left -= 1;
            let is_last = *left == 0;
            if (is_last || !matches!(self.actions[*at], Action::Add(_))) && is_placed.insert(position) {
                order.push(position);
            }
        }
        order
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
            if *is_return {
                ranked[*at].ret = Some(rank)
            } else {
                ranked[*at].call = rank
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
                let is_later = |last: &&usize| self.members[**last] > self.members[at];
                starts.get(&tied).filter(is_later).map(|_| tied)
            });
        continuing.collect()
    }
}
