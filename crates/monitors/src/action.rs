//! The operations of a history of a collection.

/// The position of a call or return in the history: the calls and returns of `n` operations have the ranks `1..=2n`.
pub type Rank = u32;

/// The id of a value, from 0. The monitors compare values for equality and, in a priority queue, by their ids.
pub type ValueId = u32;

/// The kind of collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collection {
    /// An addition is a write, a peek is a read. A read of the initial value is `FindEmpty`.
    Register,
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// The greatest value comes out first.
    PriorityQueue,
}

/// The effect of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It added the value.
    Add(ValueId),
    /// It removed the value.
    Remove(ValueId),
    /// It observed that the value is next.
    Peek(ValueId),
    /// It found the collection empty.
    FindEmpty,
    /// It is pending, and removes the next value if there is one.
    RemoveAny,
}

impl Action {
    /// The value of the operation.
    pub fn value(self) -> Option<ValueId> {
        match self {
            Self::Add(value) | Self::Remove(value) | Self::Peek(value) => Some(value),
            Self::FindEmpty | Self::RemoveAny => None,
        }
    }
}

/// An operation of a history: its effect, its call and its return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimedAction {
    /// Its effect.
    pub action: Action,
    /// The rank of its call.
    pub call: Rank,
    /// The rank of its return; `None` for a pending operation, which may or may not have taken effect.
    pub ret: Option<Rank>,
}
