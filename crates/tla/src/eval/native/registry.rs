//! The table of native operators: module, name, and how it is computed.

use super::{Compute, sequences};

/// Names a native operator: an index into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Native(u16);

/// One native operator.
pub(crate) struct Entry {
    pub(crate) module: &'static str,
    pub(crate) name: &'static str,
    /// Whether the result depends on the current state or the search.
    pub(crate) reads_state: bool,
    /// Whether it does something besides giving a result, or gives another one each time: never shared.
    pub(crate) acts: bool,
    /// Whether it takes its operands unevaluated.
    pub(crate) lazy: bool,
    pub(crate) compute: Compute,
}

/// An operator that depends on nothing but its operands.
const fn pure(module: &'static str, name: &'static str, compute: Compute) -> Entry {
    Entry {
        module,
        name,
        reads_state: false,
        acts: false,
        lazy: false,
        compute,
    }
}

static TABLE: &[Entry] = &[
    pure("FiniteSets", "Cardinality", sequences::cardinality),
    pure("FiniteSets", "IsFiniteSet", sequences::is_finite_set),
    pure("Sequences", "Len", sequences::len),
    pure("Sequences", "Head", sequences::head),
    pure("Sequences", "Tail", sequences::tail),
    pure("Sequences", "Append", sequences::append),
    pure("Sequences", "\\o", sequences::concat),
    pure("Sequences", "SubSeq", sequences::sub_seq),
    pure("Sequences", "SelectSeq", sequences::select_seq),
    pure("Sequences", "Seq", sequences::seq),
];

/// The native operator of a built-in module.
pub fn lookup(module: &str, name: &str) -> Option<Native> {
    let at = TABLE
        .iter()
        .position(|entry| entry.name == name && entry.module == module)?;
    u16::try_from(at).ok().map(Native)
}

impl Native {
    /// Whether it takes its operands unevaluated.
    pub(crate) fn is_lazy(self) -> bool {
        self.entry().lazy
    }

    pub(crate) fn entry(self) -> &'static Entry {
        &TABLE[self.0 as usize]
    }
}
