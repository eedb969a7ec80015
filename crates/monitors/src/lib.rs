//! Near-linear linearizability monitors for registers, FIFO queues, stacks, priority queues, sets and bags.
//!
//! The general search keeps one configuration for each order of overlapping additions until the values come out again, so
//! it is exponential on collections. If each value is added at most once, or is gone before it is added again, histories of
//! these types can be decided in O(n log n). This crate decided to return evidence with every decision: a linearization that the caller can replay
//! ([`Decision::Linearizable`]), or a few operations without a linearization and the rule that they violate
//! ([`Decision::Violation`]), which [`confirm`] decides again by search. A monitor that does not apply returns [`Decision::Undecided`].
//!
//! What it gave up: most histories in which a value is inside twice at a time, and some violations that pending removals could
//! explain, are left to the general search. Each monitor's module and `docs/monitors.md` prove its rules, and the tests compare them
//! with a search of all orders on every small history.
//!
//! **Time.** The `2n` calls and returns of a history have distinct *ranks* `1..=2n`. *Position* `p` is the open interval
//! between the ranks `p` and `p + 1`. So an operation with call `s` and return `e` can take effect at the positions `s..e`.
//! A pending operation returns at the rank `2n + 1`.
//!
//! ```
//! use omnilink_monitors::{Action, Decision, Collection, TimedAction, check};
//!
//! // Two additions, one after the other, and the second value comes out first.
//! let operations = [
//!     TimedAction { action: Action::Add(0), call: 1, ret: Some(2) },
//!     TimedAction { action: Action::Add(1), call: 3, ret: Some(4) },
//!     TimedAction { action: Action::Remove(1), call: 5, ret: Some(6) },
//!     TimedAction { action: Action::Remove(0), call: 7, ret: Some(8) },
//! ];
//! assert!(matches!(check(Collection::Queue, &operations), Decision::Violation(_)));
//! assert_eq!(check(Collection::Stack, &operations), Decision::Linearizable(vec![0, 1, 2, 3]));
//! ```

#[cfg(test)]
extern crate self as omnilink_monitors;

mod action;
mod bag;
mod chains;
mod confirmation;
mod copies;
mod coverage;
mod decision;
mod depth;
mod earliest_after;
mod lists;
mod lives;
mod mutant;
mod numbering;
mod pending_removals;
mod priority_queue;
mod queue;
mod queue_search;
mod queue_violation;
mod register;
mod set;
mod stabbing;
mod stack;
mod stack_pairs;
mod value_history;

pub use action::{Action, Collection, Rank, TimedAction, ValueId};
pub use confirmation::{RefutationCheck, confirm};
pub use decision::{Decision, Refutation, Rule, UndecidedReason};

use lives::Lives;
use mutant::{Mutant, mutated};
use numbering::Numbering;
use value_history::{ValueHistories, are_ranks};

/// Decides whether a history of a collection is linearizable.
///
/// The ranks of calls and returns must be distinct and within `1..=2n`, and every call must come before its return.
/// Otherwise the history is [`Decision::Undecided`].
pub fn check(collection: Collection, operations: &[TimedAction]) -> Decision {
    let end = 2 * operations.len() as Rank + 1;
    if !are_ranks(operations, end) {
        return Decision::Undecided(UndecidedReason::Ranks);
    }
    if !operations.iter().all(|op| collection.has(op)) {
        return Decision::Undecided(UndecidedReason::ForeignOperation);
    }
    // In a priority queue, ids are priorities.
    match Numbering::of(operations).filter(|_| collection != Collection::PriorityQueue) {
        None => check_numbered(collection, operations, end),
        Some(numbering) => match check_numbered(collection, &numbering.operations, end) {
            Decision::Undecided(UndecidedReason::AddedTwice(value)) => {
                Decision::Undecided(UndecidedReason::AddedTwice(numbering.original(value)))
            }
            decision => decision,
        },
    }
}

/// Decides a history whose ranks and operations are those of the collection.
fn check_numbered(collection: Collection, operations: &[TimedAction], end: Rank) -> Decision {
    if collection == Collection::Set {
        return set::check(operations, end);
    }
    let is_replacement = |op: &TimedAction| matches!(op.action, Action::Replace { .. });
    if operations.iter().any(is_replacement) {
        return chains::check(operations, end);
    }
    match Lives::of(collection, operations, end) {
        Some(lives) => lives.check(collection),
        None => check_distinct(collection, operations, end),
    }
}

/// Decides a history in which each value is added at most once. `end` is a rank after all calls and returns.
fn check_distinct(collection: Collection, operations: &[TimedAction], end: Rank) -> Decision {
    let values = match ValueHistories::of(operations, end) {
        Ok(values) => values,
        Err(decision) => return decision,
    };
    match decide(collection, operations, &values) {
        // There is no linearization without the pending removals, but there may be one with them.
        Decision::Violation(_)
            if values.has_pending_removals
                && values.has_unremoved()
                && !mutated(Mutant::PendingTakeNothing) =>
        {
            match pending_removals::check(collection, operations, &values) {
                Decision::Undecided(_) if collection == Collection::Queue => queue_search::decide(operations)
                    .unwrap_or(Decision::Undecided(UndecidedReason::PendingRemovals)),
                decision => decision,
            }
        }
        decision => decision,
    }
}

/// Decides a history without its pending removals.
fn decide(collection: Collection, operations: &[TimedAction], values: &ValueHistories) -> Decision {
    match collection {
        Collection::Register => register::check(operations, values),
        Collection::Queue => queue::check(operations, values),
        Collection::Stack => stack::check(operations, values),
        Collection::PriorityQueue => priority_queue::check(operations, values),
        Collection::Bag => bag::check(operations, values),
        Collection::Set => set::check(operations, values.end),
    }
}
