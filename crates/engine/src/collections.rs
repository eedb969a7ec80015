//! Histories of registers, queues, stacks and priority queues, decided by near-linear monitors.
//!
//! The monitors ([`omnilink_monitors`]) know nothing of models, parts or clocks. Here operations become what the monitors
//! look at: a model says what an operation did to the collection ([`Observation`]), values get numbers, and clock readings
//! become ranks. An order that a monitor gives is replayed through the model before anybody is told; of a violation, the
//! operations that break the rule are checked once more by the general search, which gives the usual evidence.

use omnilink_evidence::{BrokenRule, Decider, Linearization, Placement};
use omnilink_monitors::{Action, Answer, Collection, Operation as Ranked, Refutation, check as check_ranked};
use omnilink_trace::Time;
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::checker::check_from;
use crate::evidence::{Conclusion, Outcome, SearchFigures};
use crate::interned::Interned;
use crate::ledger::{Entry, Followed};
use crate::meter::Meter;
use crate::model::Model;
use crate::operation::Operation;
use crate::options::{Consistency, Options, Strategy};
use crate::partition::{Components, Partitioning};
use crate::progress::CheckError;
use crate::replay::Replay;
use crate::space::{ClassId, Source};
use crate::ties::{Member, Placed, Ties};

/// What a model is, if histories of it may be decided by a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActsAs {
    /// The last value written is read. Each key of the model's footprints is a register of its own.
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

/// What an operation with its result did to a collection that is empty at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation<'a> {
    /// It added the value; in a register, wrote it.
    Add(&'a Value),
    /// It took the value out.
    Remove(&'a Value),
    /// It saw that the value is next; in a register, read it.
    Peek(&'a Value),
    /// It found the collection empty; in a register, read the initial value.
    FindEmpty,
    /// It takes out whatever is next, if anything: its result is not known.
    RemoveAny,
    /// It changes nothing and may happen in every state.
    Nothing,
    /// Something else: the monitors do not apply.
    Other,
}

/// Decides a history in memory, in order of start, if it is one of collections and monitors can decide all of them.
pub fn check_as_collections<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    options: &Options,
) -> Option<Result<Outcome, CheckError>> {
    let acts_as = model.acts_as()?;
    if options.consistency != Consistency::Linearizable || options.strategy != Strategy::Portfolio {
        return None;
    }
    let mut parts = parts_of(model, history, acts_as, options)?;
    let mut orders = Vec::with_capacity(parts.len());
    for part in &mut parts {
        match part.decide(options)? {
            Decided::Order(order) => orders.push(order),
            Decided::Refuted(refutation) => {
                return refuted(model, history, options, part, &refutation, parts_len(&orders));
            }
        }
    }
    let order = merged(model, history, &parts, &orders, options);
    let placements = replayed(model, history, &order, options)?;
    let pending = history
        .iter()
        .filter(|operation| operation.timebox.is_pending())
        .count();
    let figures = SearchFigures {
        operations: history.len() as u64,
        pending: pending as u64,
        partitions: parts.len() as u64,
        decider: Some(Decider::Monitor),
        ..SearchFigures::default()
    };
    let witness = Linearization {
        replayed: placements.len() as u64,
        order: Some(placements),
    };
    Some(Ok(Outcome {
        conclusion: Conclusion::Valid(witness),
        figures,
    }))
}

fn parts_len<T>(orders: &[T]) -> u64 {
    orders.len() as u64 + 1
}

/// The operations of one collection, as a monitor sees them.
struct Part {
    collection: Collection,
    /// Positions in the history.
    members: Vec<usize>,
    actions: Vec<Action>,
    /// Operations that may happen anywhere.
    anywhere: Vec<usize>,
    /// Thread, start and end of each member.
    times: Vec<(u32, Time, Option<Time>)>,
}

enum Decided {
    /// Positions in the history.
    Order(Vec<usize>),
    Refuted(Refutation),
}

fn parts_of<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    acts_as: ActsAs,
    options: &Options,
) -> Option<Vec<Part>> {
    let partitioning = if options.reductions.partitions {
        let mut components = Components::default();
        for operation in history {
            components.observe(&model.footprint(&operation.op));
            if components.is_settled() {
                break;
            }
        }
        components.into_partitioning()
    } else {
        Partitioning::Whole
    };
    let collection = match acts_as {
        ActsAs::Register => Collection::Register,
        ActsAs::Queue => Collection::Queue,
        ActsAs::Stack => Collection::Stack,
        ActsAs::GreatestFirst | ActsAs::LeastFirst => Collection::PriorityQueue,
    };
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    let mut parts: Vec<(Part, Vec<Observation<'_>>)> = Vec::new();
    for (position, operation) in history.iter().enumerate() {
        let home = partitioning.home(&model.footprint(&operation.op))?;
        let number = *numbers.entry(home).or_insert_with(|| {
            parts.push((
                Part {
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
            // What may not have happened although it returned is for the search.
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
    let mut numbered = Vec::with_capacity(parts.len());
    for (mut part, observations) in parts {
        part.actions = number_values(&observations, acts_as);
        numbered.push(part);
    }
    Some(numbered)
}

/// Gives values numbers: in a priority queue those that come out first have the greater ones.
fn number_values(observations: &[Observation<'_>], acts_as: ActsAs) -> Vec<Action> {
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
    if matches!(acts_as, ActsAs::GreatestFirst | ActsAs::LeastFirst) {
        let mut values: Vec<Value> = numbers.keys().cloned().collect();
        values.sort_unstable();
        if acts_as == ActsAs::LeastFirst {
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

/// How clock readings that are equal become ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtTies {
    /// Each thread's operations keep their order. Where several threads go on at one instant, that orders operations of
    /// different threads that overlap: more order than there is, so that only "linearizable" counts.
    KeepThreads,
    /// Operations that touch overlap, also those of one thread: less order than there is, so that only "violation" counts.
    Overlap,
}

impl Part {
    fn decide(&self, options: &Options) -> Option<Decided> {
        let order = |order: Vec<usize>| Decided::Order(order.iter().map(|at| self.members[*at]).collect());
        let is_async = options.async_threads;
        let (ranked, is_exact) = self.ranked(AtTies::KeepThreads, is_async);
        match check_ranked(self.collection, &ranked) {
            Answer::Linearizable(found) => Some(order(found)),
            Answer::Violation(refutation) if is_exact => Some(Decided::Refuted(refutation)),
            Answer::Undecided(_) => None,
            Answer::Violation(_) => {
                let (ranked, _) = self.ranked(AtTies::Overlap, is_async);
                match check_ranked(self.collection, &ranked) {
                    Answer::Violation(refutation) => Some(Decided::Refuted(refutation)),
                    Answer::Linearizable(_) | Answer::Undecided(_) => None,
                }
            }
        }
    }

    /// Operations with ranks, and whether the ranks say exactly what the clock and the threads do.
    fn ranked(&self, at_ties: AtTies, is_async: bool) -> (Vec<Ranked>, bool) {
        // Calls and returns by time. At one instant, calls come before returns, because timeboxes that touch overlap; but a
        // thread that goes on at that instant returns from one operation before it calls the next. Such threads come
        // between the calls and the returns of all others, one thread after the other.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum Step {
            Call,
            Thread(u32, usize, bool),
            Return,
        }
        let goes_on = match at_ties {
            AtTies::KeepThreads if !is_async => self.goes_on(),
            _ => FxHashSet::default(),
        };
        let mut instants = FxHashSet::default();
        let is_exact = goes_on.iter().all(|(_, time)| instants.insert(*time));
        let mut events: Vec<(Time, Step, usize, bool)> = Vec::with_capacity(2 * self.times.len());
        for (at, (thread, start, end)) in self.times.iter().enumerate() {
            let step = |time: Time, is_return: bool| match goes_on.contains(&(*thread, time)) {
                true => Step::Thread(*thread, at, is_return),
                false if is_return => Step::Return,
                false => Step::Call,
            };
            events.push((*start, step(*start, false), at, false));
            events.extend(end.map(|end| (end, step(end, true), at, true)));
        }
        events.sort_unstable();
        let mut ranked: Vec<Ranked> = self
            .actions
            .iter()
            .map(|action| Ranked {
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

    /// The threads that call an operation at the very time at which they returned from another one, and when.
    fn goes_on(&self) -> FxHashSet<(u32, Time)> {
        let starts: FxHashMap<(u32, Time), usize> = self
            .times
            .iter()
            .enumerate()
            .map(|(at, (thread, start, _))| ((*thread, *start), at))
            .collect();
        let goes_on = self
            .times
            .iter()
            .enumerate()
            .filter_map(|(at, (thread, _, end))| {
                let tied = (*thread, (*end)?);
                starts.get(&tied).filter(|last| **last > at).map(|_| tied)
            });
        goes_on.collect()
    }
}

/// The orders of all parts as one. Each operation gets the earliest moment that the order of its part allows; of operations
/// with the same moment, those of one part and those of one thread keep their order, if that is possible.
fn merged<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    parts: &[Part],
    orders: &[Vec<usize>],
    options: &Options,
) -> Vec<usize> {
    let member = |position: usize, home: usize| Member {
        entry: entry_of(&history[position], position, 0, options),
        home: home as u64,
    };
    let mut moments: Vec<(Placed, Member)> = Vec::with_capacity(history.len());
    for (home, order) in orders.iter().enumerate() {
        let mut placed = Placed {
            at: Time::MIN,
            layer: 0,
        };
        for position in order {
            let operation = &history[*position];
            placed.at = placed.at.max(operation.timebox.start);
            let is_pure = model.is_pure(&operation.op);
            placed.layer += u64::from(!is_pure);
            moments.push((placed, member(*position, home)));
            placed.layer += u64::from(!is_pure);
        }
    }
    // What may happen anywhere is a part of its own.
    let anywhere = parts.iter().flat_map(|part| &part.anywhere);
    for (home, position) in (orders.len()..).zip(anywhere) {
        let at = history[*position].timebox.start;
        moments.push((Placed { at, layer: 0 }, member(*position, home)));
    }
    moments.sort_by_key(|(placed, _)| placed.at);
    Ties::put_in_order(&mut moments);
    moments
        .into_iter()
        .map(|(_, member)| member.entry.id as usize)
        .collect()
}

fn entry_of<O>(operation: &Operation<O>, position: usize, class: ClassId, options: &Options) -> Entry {
    Entry {
        id: position as u64,
        class,
        thread: operation.thread,
        start: operation.timebox.start,
        end: operation.timebox.end.unwrap_or(Entry::NEVER),
        optional: operation.optional || operation.timebox.is_pending(),
        in_order: !options.async_threads,
        followed: Followed::Unknown,
    }
}

/// Replays an order through the model. `None` if it does not stand up: then the general search decides.
fn replayed<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    order: &[usize],
    options: &Options,
) -> Option<Vec<Placement>> {
    let meter = Meter::new(options.limits);
    let mut source = Interned::new(model, &meter, Partitioning::Whole);
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
        let entry = entry_of(operation, *position, class, options);
        placements.push(replay.place(&entry, &mut source).ok()?);
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
    part: &Part,
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
        // The search explains what the monitor does not, or does not get that far: it decides the whole.
        return None;
    };
    counterexample.visit_operations(&mut |op| {
        if let Some(position) = positions.get(op.id as usize) {
            op.id = *position as u64;
        }
    });
    // Where explanations of these few agree says nothing about the whole history.
    counterexample.agreed = None;
    counterexample.broken = Some(broken);
    let pending = history
        .iter()
        .filter(|operation| operation.timebox.is_pending())
        .count();
    Some(Ok(Outcome {
        conclusion: Conclusion::Violation(counterexample),
        figures: SearchFigures {
            operations: history.len() as u64,
            pending: pending as u64,
            partitions,
            decider: Some(Decider::Monitor),
            ..outcome.figures
        },
    }))
}
