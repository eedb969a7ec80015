//! The decision of a monitor, with its evidence.

use std::fmt;

/// The decision of a monitor. Operations are given by their position in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A linearization: all operations that returned, and the pending ones that must have taken effect.
    Linearizable(Vec<usize>),
    /// There is no linearization.
    Violation(Refutation),
    /// The monitor does not apply. The general search has to decide.
    Undecided(UndecidedReason),
}

/// Why a history is not linearizable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The violated rule.
    pub rule: Rule,
    /// The operations that violate it, in order of call. They have no linearization, because no other operation adds or
    /// removes their values.
    pub operations: Vec<usize>,
    /// The operation among them whose return cannot be explained, although all earlier returns can, where that is known.
    pub last: Option<usize>,
}

/// The rules that every linearizable history of a collection satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// A value is used that no operation adds.
    NeverAdded,
    /// A value is used before its addition begins.
    UsedBeforeAdded,
    /// A value is removed twice.
    RemovedTwice,
    /// A value is used after its removal has ended.
    UsedAfterRemoved,
    /// An operation found the collection empty, but some value was inside all the time.
    NeverEmpty,
    /// Values of a queue must be ahead of each other in a cycle.
    OutOfOrder,
    /// Each of these values of a stack needs a moment at which none of the others is above it, and there is none.
    NoneOutermost,
    /// A value was next while greater ones were inside all the time.
    GreaterInside,
    /// A register held a value before and after a moment at which it certainly held another one.
    Overwritten,
    /// Values that nothing removed must have been removed by a moment, by more pending removals than were called before it.
    NotGone,
    /// A value was found to be absent while it was certainly inside.
    NeverAbsent,
    /// The additions and removals of a value of a set cannot alternate as the other operations observed it.
    NoAlternation,
    /// A value of a register is replaced twice, and was written once.
    ReplacedTwice,
    /// Values of a register were written only by replacing each other.
    Circular,
    /// An operation on a register returned before one was called that replacements put before it.
    ChainOutOfOrder,
    /// A value is removed more often than it was added.
    RemovedTooOften,
    /// Whichever of equal values each removal took, there is no order of a queue or a stack.
    NoOrderOfItems,
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
            Self::NotGone => {
                "more of these values must have left by some moment than removals without a result were called before it"
            }
            Self::NeverAbsent => {
                "a value was not found, but at every moment of the call it was surely inside"
            }
            Self::NoAlternation => {
                "the additions and removals of a value alternate, and no such order fits what these operations saw"
            }
            Self::ReplacedTwice => "a value that was written once is replaced twice",
            Self::Circular => "each of these values was written only in place of another one of them",
            Self::ChainOutOfOrder => {
                "an operation returned before one was called that must come before it, because values replaced each other"
            }
            Self::RemovedTooOften => "a value is removed more often than additions of it were called before",
            Self::NoOrderOfItems => {
                "whichever of equal values each removal took, no order of these operations fits"
            }
        };
        f.write_str(text)
    }
}

/// Why a monitor cannot decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UndecidedReason {
    /// A value is added again while it may still be inside, so a removal does not determine which one it removed.
    AddedTwice(crate::ValueId),
    /// There is no linearization without the pending removals, but there may be one with them.
    PendingRemovals,
    /// The collection has no such operation.
    ForeignOperation,
    /// The ranks of calls and returns are not distinct or not in order.
    Ranks,
}

impl UndecidedReason {
    /// The reason in words. `show` names the value of an id.
    pub fn describe(self, show: impl FnOnce(crate::ValueId) -> String) -> String {
        match self {
            Self::AddedTwice(value) => format!(
                "{} is added again while it may still be inside, so that a removal does not tell which one it took",
                show(value)
            ),
            Self::PendingRemovals => {
                "removals without a result may have taken values that nothing else removed, and \
                                      no rule tells which"
                    .to_owned()
            }
            Self::ForeignOperation => "an operation is not one of this kind of collection".to_owned(),
            Self::Ranks => "calls and returns have no order".to_owned(),
        }
    }
}
