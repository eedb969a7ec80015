//! Near-linear linearizability monitors for registers, FIFO queues, stacks and priority queues.
//!
//! The general search keeps one configuration for each order of overlapping additions until the values come out again,
//! so it is exponential on collections. Where each value is added at most once, these types can be decided in
//! O(n log n). This crate decides and gives evidence: an order of the operations ([`Answer::Linearizable`]) that a caller
//! can replay, or a small set of operations that already has no order, with the rule that it breaks
//! ([`Answer::Violation`]). Where a monitor does not apply it says so ([`Answer::Undecided`]) and never guesses.
//!
//! What it gives up: a value that is added twice, and pending removals that may have taken a value that nobody else took,
//! are left to the general search. The rules are proved in `docs/monitors.md`, and compared with a search of all orders
//! on every small history (`tests/all_small_histories.rs`).
//!
//! **Time.** The `2n` calls and returns of a history have distinct *ranks* `1..=2n`. *Position* `p` is the open unit
//! between the ranks `p` and `p + 1`, so an operation with call `s` and return `e` can take effect at the positions
//! `s..e`. A pending operation returns at the rank `2n + 1`.
//!
//! ```
//! use omnilink_monitors::{Action, Answer, Collection, Operation, check};
//!
//! // Two additions, one after the other, and the second value comes out first.
//! let operations = [
//!     Operation { action: Action::Add(0), call: 1, ret: Some(2) },
//!     Operation { action: Action::Add(1), call: 3, ret: Some(4) },
//!     Operation { action: Action::Remove(1), call: 5, ret: Some(6) },
//!     Operation { action: Action::Remove(0), call: 7, ret: Some(8) },
//! ];
//! assert!(matches!(check(Collection::Queue, &operations), Answer::Violation(_)));
//! assert_eq!(check(Collection::Stack, &operations), Answer::Linearizable(vec![0, 1, 2, 3]));
//! ```

mod answer;
mod depth;
mod lives;
mod operation;
mod pending;
mod positions;
mod priority_queue;
mod queue;
mod register;
mod stabbing;
mod stack;

pub use answer::{Answer, Reason, Refutation, Rule};
pub use operation::{Action, Collection, Operation, Rank, ValueId};

use lives::Lives;

/// Decides whether a history of a collection is linearizable.
///
/// The ranks of calls and returns must be distinct and within `1..=2n`; every call must come before its return. A history
/// that is not like this is [`Answer::Undecided`].
pub fn check(collection: Collection, operations: &[Operation]) -> Answer {
    let lives = match Lives::of(operations) {
        Ok(lives) => lives,
        Err(answer) => return answer,
    };
    match decide(collection, operations, &lives) {
        // Without the pending removals there is no order; with them there may be one.
        Answer::Violation(refutation) if lives.has_pending_removals && lives.has_unremoved() => {
            pending::check(collection, operations, &lives, refutation)
        }
        answer => answer,
    }
}

/// Decides without pending removals.
fn decide(collection: Collection, operations: &[Operation], lives: &Lives) -> Answer {
    match collection {
        Collection::Register => register::check(operations, lives),
        Collection::Queue => queue::check(operations, lives),
        Collection::Stack => stack::check(operations, lives),
        Collection::PriorityQueue => priority_queue::check(operations, lives),
    }
}
