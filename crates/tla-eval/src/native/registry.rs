//! The implementations of native operators, in the order of [`omnilink_tla_ir::native::MODULES`].

use omnilink_tla_ir::native::{self, Native};
use omnilink_value::Value;

use super::{
    Compute, bags, bitwise, csv, finite_sets, functions, io, json, randomization, sequences, sequences_ext,
    svg, tlc, tlc_ext, transitive_closure,
};

/// A fast path on canonical values by reference, without an evaluator; `None` if it needs one, for example to report an error.
pub(crate) type Direct = fn(&[&Value]) -> Option<Value>;

/// The implementation of one native operator.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// The fast path, tried first.
    pub(crate) direct: Option<Direct>,
    pub(crate) compute: Compute,
}

impl Entry {
    /// An operator that needs an evaluator.
    pub(super) const fn new(name: &'static str, compute: Compute) -> Self {
        Self {
            name,
            direct: None,
            compute,
        }
    }

    /// An operator with a fast path.
    pub(super) const fn direct(name: &'static str, direct: Direct, compute: Compute) -> Self {
        Self {
            name,
            direct: Some(direct),
            compute,
        }
    }
}

const MODULES: &[(&str, &[Entry])] = &[
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
    ("SVG", svg::TABLE),
    ("Sequences", sequences::TABLE),
    ("SequencesExt", sequences_ext::TABLE),
    ("TLC", tlc::TABLE),
    ("TLCExt", tlc_ext::TABLE),
    ("TransitiveClosure", transitive_closure::TABLE),
];

// Both tables list the same modules and operators in the same order.
const _: () = {
    assert!(MODULES.len() == native::MODULES.len());
    let mut module = 0;
    while module < MODULES.len() {
        let (name, entries) = MODULES[module];
        let (expected, signatures) = native::MODULES[module];
        assert!(is_same(name, expected));
        assert!(entries.len() == signatures.len());
        let mut operator = 0;
        while operator < entries.len() {
            assert!(is_same(entries[operator].name, signatures[operator].name));
            operator += 1;
        }
        module += 1;
    }
};

const fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The implementation of a native operator.
pub(super) fn entry(native: Native) -> &'static Entry {
    let (module, operator) = native.position();
    &MODULES[module].1[operator]
}
