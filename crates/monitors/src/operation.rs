//! The operations of a history.

/// A moment of the history: the calls and returns of `n` operations have the ranks `1..=2n`.
pub type Rank = u32;

/// A value. Values are numbered from 0; the monitors look at nothing but whether two are equal, and at which one is
/// greater in a priority queue.
pub type ValueId = u32;

/// What kind of object the history is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collection {
    /// An addition is a write, a peek is a read. It begins empty: a read that found nothing read the initial value.
    Register,
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// The greatest value comes out first.
    PriorityQueue,
}

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It added the value.
    Add(ValueId),
    /// It took the value out.
    Remove(ValueId),
    /// It saw that the value is next.
    Peek(ValueId),
    /// It found nothing.
    FindEmpty,
    /// It is pending, and would have taken out whatever is next, if anything.
    RemoveAny,
}

impl Action {
    /// The value that is named.
    pub fn value(self) -> Option<ValueId> {
        match self {
            Self::Add(value) | Self::Remove(value) | Self::Peek(value) => Some(value),
            Self::FindEmpty | Self::RemoveAny => None,
        }
    }
}

/// An operation of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// What it did.
    pub action: Action,
    /// The rank of its call.
    pub call: Rank,
    /// The rank of its return. `None`: it is pending, and may have taken effect or not.
    pub ret: Option<Rank>,
}
