//! The table of native operators: module, name, and how it is computed.

use omnilink_value::Value;

use super::{
    Compute, bags, bitwise, csv, finite_sets, functions, io, json, randomization, sequences, sequences_ext,
    tlc, tlc_ext, transitive_closure,
};

/// Names a native operator: which table, and which entry of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Native {
    module: u8,
    entry: u8,
}

/// What can be computed from canonical values by reference, without an evaluator; `None` where it takes one, be it only to
/// say what is wrong.
pub(crate) type Direct = fn(&[&Value]) -> Option<Value>;

/// One native operator.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Whether the result depends on the current state or the search.
    pub(crate) reads_state: bool,
    /// Whether it does something besides giving a result, or gives another one each time: never shared.
    pub(crate) acts: bool,
    /// Whether it takes its operands unevaluated.
    pub(crate) lazy: bool,
    /// The short way, tried first.
    pub(crate) direct: Option<Direct>,
    pub(crate) compute: Compute,
}

impl Entry {
    /// An operator that depends on nothing but its operands.
    pub(super) const fn pure(name: &'static str, compute: Compute) -> Self {
        Self {
            name,
            reads_state: false,
            acts: false,
            lazy: false,
            direct: None,
            compute,
        }
    }

    /// A pure operator that mostly needs no evaluator.
    pub(super) const fn direct(name: &'static str, direct: Direct, compute: Compute) -> Self {
        let mut entry = Self::pure(name, compute);
        entry.direct = Some(direct);
        entry
    }

    /// An operator that does something, or gives another result each time.
    pub(super) const fn acting(name: &'static str, compute: Compute) -> Self {
        let mut entry = Self::pure(name, compute);
        entry.acts = true;
        entry
    }

    /// An operator that depends on the search or the current state.
    pub(super) const fn reading(name: &'static str, compute: Compute) -> Self {
        let mut entry = Self::pure(name, compute);
        entry.reads_state = true;
        entry
    }

    /// The same, taking its operands unevaluated.
    pub(super) const fn lazily(mut self) -> Self {
        self.lazy = true;
        self
    }
}

static MODULES: &[(&str, &[Entry])] = &[
    ("Bags", bags::BAGS),
    ("BagsExt", bags::BAGS_EXT),
    ("Bitwise", bitwise::TABLE),
    ("CSV", csv::TABLE),
    ("FiniteSets", finite_sets::FINITE_SETS),
    ("FiniteSetsExt", finite_sets::FINITE_SETS_EXT),
    ("Functions", functions::TABLE),
    ("IOUtils", io::TABLE),
    ("Json", json::TABLE),
    ("Randomization", randomization::TABLE),
    ("Sequences", sequences::TABLE),
    ("SequencesExt", sequences_ext::TABLE),
    ("TLC", tlc::TABLE),
    ("TLCExt", tlc_ext::TABLE),
    ("TransitiveClosure", transitive_closure::TABLE),
];

/// The native operator of a built-in module.
pub fn lookup(module: &str, name: &str) -> Option<Native> {
    let at = MODULES.iter().position(|(own, _)| *own == module)?;
    let entry = MODULES.get(at)?.1.iter().position(|entry| entry.name == name)?;
    Some(Native {
        module: u8::try_from(at).ok()?,
        entry: u8::try_from(entry).ok()?,
    })
}

impl Native {
    /// Whether it takes its operands unevaluated.
    pub(crate) fn is_lazy(self) -> bool {
        self.entry().lazy
    }

    /// A `Native` is made by [`lookup`] alone, so both indices are those of an entry.
    pub(crate) fn entry(self) -> &'static Entry {
        &MODULES[self.module as usize].1[self.entry as usize]
    }
}
