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
    /// A value is inside at most once. `Add` and `Remove` changed something: an addition that found its value inside is a
    /// `Peek`, a removal that did not is a `Miss`.
    Set,
    /// A multiset. Values come out in any order.
    Bag,
}

impl Collection {
    /// Whether the collection has such an operation.
    pub(crate) fn has(self, op: &TimedAction) -> bool {
        match op.action {
            Action::Add(_) | Action::Peek(_) => true,
            Action::Remove(_) => self != Self::Register,
            Action::Replace { .. } => self == Self::Register,
            Action::Miss(_) => matches!(self, Self::Set | Self::Bag),
            Action::FindEmpty => self != Self::Set,
            // Its result is unknown, so it did not return.
            Action::RemoveAny => op.ret.is_none() && !matches!(self, Self::Register | Self::Set),
        }
    }
}

/// The effect of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It added the value.
    Add(ValueId),
    /// It removed the value.
    Remove(ValueId),
    /// It observed that the value is next; in a set or a bag, that it is inside.
    Peek(ValueId),
    /// It found one value and wrote another one, at once. Only in registers.
    Replace {
        /// What it found; `None` for the initial value.
        from: Option<ValueId>,
        /// What it wrote.
        to: ValueId,
    },
    /// It observed that the value is not inside. Only in sets and bags.
    Miss(ValueId),
    /// It found the collection empty.
    FindEmpty,
    /// It is pending, and removes the next value if there is one.
    RemoveAny,
}

impl Action {
    /// The value of the operation; of a replacement, the new one.
    pub fn value(self) -> Option<ValueId> {
        match self {
            Self::Add(value) | Self::Remove(value) | Self::Peek(value) | Self::Miss(value) => Some(value),
            Self::Replace { to, .. } => Some(to),
            Self::FindEmpty | Self::RemoveAny => None,
        }
    }

    /// The same effect on another value.
    pub fn on(self, value: ValueId) -> Self {
        match self {
            Self::Add(_) => Self::Add(value),
            Self::Remove(_) => Self::Remove(value),
            Self::Peek(_) => Self::Peek(value),
            Self::Miss(_) => Self::Miss(value),
            Self::Replace { from, .. } => Self::Replace { from, to: value },
            Self::FindEmpty | Self::RemoveAny => self,
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
