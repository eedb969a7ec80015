//! What operations observe of a collection, and which kinds of collections there are.

use omnilink_monitors::{Action, Collection};
use omnilink_value::Value;

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
    pub(crate) fn collection(self) -> Collection {
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
    pub(crate) fn values(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        let from = match *self {
            Self::Replace { from, .. } => from,
            _ => None,
        };
        from.into_iter().chain(self.value())
    }

    /// The value of the operation; of a replacement, the new one.
    pub(crate) fn value(&self) -> Option<&'a Value> {
        match *self {
            Self::Add(value) | Self::Remove(value) | Self::Peek(value) | Self::Miss(value) => Some(value),
            Self::MayAdd(value) | Self::MayRemove(value) | Self::Replace { to: value, .. } => Some(value),
            _ => None,
        }
    }

    pub(crate) fn action(&self, number: &dyn Fn(&Value) -> u32) -> Action {
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
