//! Histories of registers, queues, stacks, priority queues, sets and bags, decided by near-linear monitors.
//!
//! The monitors ([`omnilink_monitors`]) work on ranks and value ids, without models, parts or clocks. This module
//! translates: the model gives the effect of each operation on the collection ([`Observation`]), values get ids, and clock
//! readings become ranks. The order of a monitor is replayed through the model. The operations of a refutation are checked
//! once more by the general search, which gives the usual evidence.

mod law;
mod part;
mod stream;
mod unmonitored;
mod witness;

use omnilink_evidence::{BrokenRule, Counterexample, Decider, Limit, Linearization};
use omnilink_monitors::{Action, Collection, Refutation};
use omnilink_value::Value;

use crate::checker::check_from;
use crate::error::CheckError;
use crate::evidence::{CheckOutcome, Conclusion, SearchFigures};
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::{Consistency, Limits, Options, Strategy};
use part::{CollectionPart, PartDecision, parts_of};
pub use stream::CollectionStream;
pub use unmonitored::Unmonitored;

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
    /// A value is inside at most once.
    Set,
    /// A multiset.
    Bag,
}

impl CollectionKind {
    fn collection(self) -> Collection {
        match self {
            Self::Register => Collection::Register,
            Self::Queue => Collection::Queue,
            Self::Stack => Collection::Stack,
            Self::GreatestFirst | Self::LeastFirst => Collection::PriorityQueue,
            Self::Set => Collection::Set,
            Self::Bag => Collection::Bag,
        }
    }
}

impl std::fmt::Display for CollectionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Register => "register",
            Self::Queue => "queue",
            Self::Stack => "stack",
            Self::GreatestFirst => "priority queue (greatest first)",
            Self::LeastFirst => "priority queue (least first)",
            Self::Set => "set",
            Self::Bag => "bag",
        })
    }
}

/// The effect of an operation, with its result, on an initially empty collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation<'a> {
    /// It added the value; in a register, wrote it; in a set, the value was absent before.
    Add(&'a Value),
    /// It added the value if that was absent. Only in sets.
    MayAdd(&'a Value),
    /// It removed the value if that was inside. Only in sets and bags.
    MayRemove(&'a Value),
    /// It added these values at once, in this order. Only in queues.
    AddAll(&'a [Value]),
    /// It removed the value.
    Remove(&'a Value),
    /// It removed these values at once, in this order. Only in queues.
    RemoveAll {
        /// The values.
        values: &'a [Value],
        /// Whether more values may be left; otherwise the collection was empty afterwards.
        rest: bool,
    },
    /// It observed that the value is next; in a register, read it; in a set or a bag, found it inside.
    Peek(&'a Value),
    /// It wrote a value if it found another one. Only in registers.
    Replace {
        /// The value that it was to find; `None` for the initial value.
        from: Option<&'a Value>,
        /// The value that it was to write.
        to: &'a Value,
        /// Whether it is known to have found the first and written the second.
        is_certain: bool,
    },
    /// It found that the value is not inside. Only in sets and bags.
    Miss(&'a Value),
    /// It found the collection empty; in a register, read the initial value.
    FindEmpty,
    /// It removes the next value, if there is one. Its result is unknown.
    RemoveAny,
    /// It changes nothing and can happen in every state.
    Nothing,
    /// It changes nothing, and the monitors do not know in which states it can happen. A valid history with such operations
    /// may be too hard for the monitors; a violation without them is one.
    Look,
    /// Anything else. The monitors do not apply.
    Other,
}

impl<'a> Observation<'a> {
    /// The values of the operation.
    fn values(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        let from = match *self {
            Self::Replace { from, .. } => from,
            _ => None,
        };
        from.into_iter().chain(self.value())
    }

    /// The value of the operation; of a replacement, the new one.
    fn value(&self) -> Option<&'a Value> {
        match *self {
            Self::Add(value) | Self::Remove(value) | Self::Peek(value) | Self::Miss(value) => Some(value),
            Self::MayAdd(value) | Self::MayRemove(value) | Self::Replace { to: value, .. } => Some(value),
            _ => None,
        }
    }

    fn action(&self, number: &dyn Fn(&Value) -> u32) -> Action {
        match *self {
            Self::Add(value) | Self::MayAdd(value) => Action::Add(number(value)),
            Self::Remove(value) | Self::MayRemove(value) => Action::Remove(number(value)),
            Self::Peek(value) => Action::Peek(number(value)),
            Self::Miss(value) => Action::Miss(number(value)),
            Self::Replace { from, to, .. } => Action::Replace {
                from: from.map(number),
                to: number(to),
            },
            Self::RemoveAny => Action::RemoveAny,
            _ => Action::FindEmpty,
        }
    }
}

/// Decides a history in memory, in order of start.
///
/// # Errors
/// If no monitor decides it. The inner error is one of the model: see [`CheckError`].
pub fn check_as_collections<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    options: &Options,
) -> Result<Result<CheckOutcome, CheckError>, Unmonitored> {
    let kind = model.collection_kind().ok_or(Unmonitored::NoCollection)?;
    if options.consistency != Consistency::Linearizable {
        return Err(Unmonitored::Level);
    }
    let parts = parts_of(model, history, kind, options)?;
    if let Some(sequence) = law::disagreement(model, kind, history) {
        let place = model.declared_at();
        return Ok(Err(CheckError::NoSuchCollection {
            place,
            kind,
            sequence,
        }));
    }
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
    let order = witness::merged(model, history, &parts, &orders, options);
    let looks: Vec<usize> = parts.iter().flat_map(|part| part.looks.iter().copied()).collect();
    let (placements, _) = witness::replayed(model, model.plain_initial(), history, &order, &looks, options)
        .ok_or(Unmonitored::Refused)?;
    let figures = figures(history, parts.len() as u64, SearchFigures::default());
    let witness = Linearization {
        replayed: placements.len() as u64,
        order: Some(placements),
    };
    Ok(Ok(CheckOutcome {
        conclusion: Conclusion::Valid(witness),
        figures,
    }))
}

/// Statistics of a check that a monitor decided; `searched` are those of the search that confirmed it.
fn figures<O>(history: &[TimedOp<O>], partitions: u64, searched: SearchFigures) -> SearchFigures {
    let pending = history
        .iter()
        .filter(|operation| operation.timebox.is_pending())
        .count();
    figures_of(history.len() as u64, pending as u64, partitions, searched)
}

fn figures_of(operations: u64, pending: u64, partitions: u64, searched: SearchFigures) -> SearchFigures {
    SearchFigures {
        operations,
        pending,
        partitions,
        decider: Some(Decider::Monitor),
        ..searched
    }
}

/// How many configurations the search of the operations of a refutation may explore.
const CONFIRMATION_MAX: u64 = 1 << 20;

/// The evidence of a violation: the operations that break the rule, checked by the general search.
fn refuted<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    options: &Options,
    part: &CollectionPart,
    refutation: &Refutation,
    partitions: u64,
) -> Result<Result<CheckOutcome, CheckError>, Unmonitored> {
    let mut positions: Vec<usize> = refutation.operations.iter().map(|at| part.members[*at]).collect();
    positions.sort_unstable();
    positions.dedup();
    let few: Vec<TimedOp<M::Op>> = positions
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
    let by_search = Options {
        strategy: Strategy::Portfolio,
        limits: Limits {
            configurations: options.limits.configurations.or(Some(CONFIRMATION_MAX)),
            ..options.limits
        },
        ..*options
    };
    let outcome = match check_from(model, model.initial(), few, by_search) {
        Ok(outcome) => outcome,
        Err(error) => return Ok(Err(error)),
    };
    let last = refutation.last.map(|at| part.members[at]);
    let last = last.and_then(|position| broken.operations.iter().find(|op| op.id == position as u64));
    let counterexample = match (outcome.conclusion, last) {
        (Conclusion::Violation(mut counterexample), _) => {
            counterexample.visit_operations(&mut |op| {
                if let Some(position) = positions.get(op.id as usize) {
                    op.id = *position as u64;
                }
            });
            // The prefix that explanations of these operations share is not shared by those of the whole history.
            counterexample.agreed = None;
            counterexample.broken = Some(broken);
            counterexample
        }
        // The rule is proved. Only the states in which the last operation is refused are not known.
        (Conclusion::Unknown(unknown), Some(last))
            if unknown.limit == Limit::Configurations
                && options.limits.configurations.is_none()
                && model.declared_at().is_none() =>
        {
            Box::new(Counterexample {
                op: last.clone(),
                alternatives_total: 0,
                alternatives: Vec::new(),
                agreed: None,
                broken: Some(broken),
            })
        }
        // The general search decides the whole history.
        _ => return Err(Unmonitored::Unconfirmed),
    };
    Ok(Ok(CheckOutcome {
        conclusion: Conclusion::Violation(counterexample),
        figures: figures(history, partitions, outcome.figures),
    }))
}
