//! What a monitor has to show.

use std::fmt;

/// The answer of a monitor. Operations are named by their position in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Here is an order. It has all operations that returned, and the pending ones that must have taken effect.
    Linearizable(Vec<usize>),
    /// There is no order, because of these operations.
    Violation(Refutation),
    /// The monitor does not apply: ask the general search.
    Undecided(Reason),
}

/// Why a history is not linearizable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The rule that is broken.
    pub rule: Rule,
    /// The operations that break it, in order of call. No order of these exists, given that no other operation adds or
    /// removes their values.
    pub operations: Vec<usize>,
}

/// The rules that histories of collections keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// A value is used that nobody added.
    NeverAdded,
    /// A value is used before its addition begins.
    UsedBeforeAdded,
    /// A value is taken out twice.
    RemovedTwice,
    /// A value is used after its removal has ended.
    UsedAfterRemoved,
    /// Something found nothing, but some value was inside all the time.
    NeverEmpty,
    /// Values of a queue must be ahead of each other in a cycle.
    OutOfOrder,
    /// Each of these values of a stack needs a moment at which none of the others is above it, and there is none.
    NoneOutermost,
    /// This value was seen or taken out while greater ones were inside all the time.
    GreaterInside,
    /// A register held a value before and after a moment at which it surely held another one.
    Overwritten,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::NeverAdded => "a value is used that nothing added",
            Self::UsedBeforeAdded => "a value is used before its addition begins",
            Self::RemovedTwice => "a value is added once and removed twice",
            Self::UsedAfterRemoved => "a value is used after its removal has returned",
            Self::NeverEmpty => {
                "it was found empty, but at every moment of the call some value was surely inside"
            }
            Self::OutOfOrder => {
                "each of these values of a queue must be ahead of the next, and the last of the first"
            }
            Self::NoneOutermost => {
                "each of these values must be on top at a moment at which another one is surely above it"
            }
            Self::GreaterInside => {
                "a value was next, but at every moment of the call a greater value was surely inside"
            }
            Self::Overwritten => "a value was read before and after another one was surely in its place",
        };
        f.write_str(text)
    }
}

/// Why a monitor does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// This value is added twice, so a removal does not say which of them it took.
    AddedTwice(crate::ValueId),
    /// Without pending removals there is no order; with them there may be one.
    PendingRemovals,
    /// The collection has no such operation.
    ForeignOperation,
    /// The ranks of calls and returns are not distinct or not in order.
    Ranks,
    /// The monitor found neither an order nor a rule that is broken. This does not happen to our knowledge; the general
    /// search decides.
    NoEvidence,
}
