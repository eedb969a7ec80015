//! Histories of registers, queues, stacks, priority queues, sets and bags, decided by near-linear monitors.
//!
//! The monitors ([`omnilink_monitors`]) work on ranks and value ids, without models, parts or clocks. This module
//! translates: the model gives the effect of each operation on the collection ([`Observation`]), values get ids, and clock
//! readings become ranks. The order of a monitor is replayed through the model. The operations of a refutation are checked
//! once more by the general search, which gives the usual evidence.

mod law;
mod part;
mod stream;
mod witness;

use omnilink_evidence::{BrokenRule, Counterexample, Decider, Limit, Linearization};
use omnilink_monitors::Refutation;

use crate::check::check_from;
use crate::error::CheckError;
use crate::evidence::{CheckOutcome, Conclusion, SearchFigures};
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::{Consistency, Limits, Options, Strategy};
use crate::unmonitored::Unmonitored;
use part::{CollectionPart, PartDecision, parts_of};
pub use stream::CollectionStream;

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
