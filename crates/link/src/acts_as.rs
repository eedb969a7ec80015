//! Specs that are declared to be a collection, so that a near-linear monitor can decide their histories.
//!
//! `acts-as = "queue"` in the link file says what the spec is, and `acts-as = "remove"` of an operation what that operation does to
//! it. Which results mean "empty" is found out: those that the initial state accepts. The engine tries the declaration on
//! short sequences of operations of the trace before it trusts it, replays every order through the spec, and lets the search
//! confirm every violation.

use omnilink_engine::CollectionKind;

/// What a spec is declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActsAs {
    /// A register: a read returns what was written last.
    Register,
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// The greatest element leaves first.
    PriorityQueue,
    /// The least element leaves first.
    PriorityQueueLeastFirst,
    /// A set.
    Set,
    /// A multiset.
    Bag,
}

impl ActsAs {
    /// How a link file calls them.
    pub(crate) const WORDS: [(&str, Self); 7] = [
        ("register", Self::Register),
        ("queue", Self::Queue),
        ("stack", Self::Stack),
        ("priority-queue", Self::PriorityQueue),
        ("priority-queue-least-first", Self::PriorityQueueLeastFirst),
        ("set", Self::Set),
        ("bag", Self::Bag),
    ];

    pub(crate) fn kind(self) -> CollectionKind {
        match self {
            Self::Register => CollectionKind::Register,
            Self::Queue => CollectionKind::Queue,
            Self::Stack => CollectionKind::Stack,
            Self::PriorityQueue => CollectionKind::GreatestFirst,
            Self::PriorityQueueLeastFirst => CollectionKind::LeastFirst,
            Self::Set => CollectionKind::Set,
            Self::Bag => CollectionKind::Bag,
        }
    }
}

/// What an operation does to the collection that its spec is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpActsAs {
    /// It adds its argument; to a register, it writes it. If it has a result, that says whether it did.
    Add,
    /// It removes its argument, and its result says whether it did; or it removes its result.
    Remove,
    /// Its result is what would leave next; of a register, what it holds.
    Peek,
    /// Its result says whether its argument is inside.
    Contains,
}

impl OpActsAs {
    /// How a link file calls them.
    pub(crate) const WORDS: [(&str, Self); 4] = [
        ("add", Self::Add),
        ("remove", Self::Remove),
        ("peek", Self::Peek),
        ("contains", Self::Contains),
    ];
}
