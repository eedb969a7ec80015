//! Temporal formulas over numbered atoms.
//!
//! An *atom* is a formula about a state or a step; which of them hold is a label of the behaviour graph. A *letter* is the set of atoms
//! that hold for a step and the state it starts in.

use std::sync::Arc;

use omnilink_tla::ir::Loc;
use omnilink_value::Value;

/// Number of an atom.
pub(crate) type Atom = u32;

/// A temporal formula.
#[derive(Clone, Debug)]
pub(crate) struct TemporalFormula {
    pub(crate) kind: FormulaKind,
    pub(crate) origin: Origin,
}

/// The text a formula comes from, and the names bound around it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    pub(crate) at: Option<Loc>,
    pub(crate) bindings: Arc<[(Box<str>, Value)]>,
}

/// The kinds of temporal formulas.
#[derive(Clone, Debug)]
pub(crate) enum FormulaKind {
    Atom(Atom),
    /// `WF_v(A)` or `SF_v(A)`, by its atoms `ENABLED <<A>>_v` and `<<A>>_v`.
    Fairness {
        is_strong: bool,
        enabled: Atom,
        step: Atom,
    },
    Not(Box<TemporalFormula>),
    And(Vec<TemporalFormula>),
    Or(Vec<TemporalFormula>),
    Implies(Box<(TemporalFormula, TemporalFormula)>),
    Equiv(Box<(TemporalFormula, TemporalFormula)>),
    If(Box<(TemporalFormula, TemporalFormula, TemporalFormula)>),
    Always(Box<TemporalFormula>),
    Eventually(Box<TemporalFormula>),
    LeadsTo(Box<(TemporalFormula, TemporalFormula)>),
}

/// A set of atoms.
pub(crate) type Letter = Box<[u64]>;

/// Whether a letter has an atom.
#[inline]
pub(crate) fn has(letter: &[u64], atom: Atom) -> bool {
    letter
        .get(atom as usize / 64)
        .is_some_and(|word| word >> (atom % 64) & 1 == 1)
}

/// Adds an atom to a letter that has room for it.
#[inline]
pub(crate) fn add(letter: &mut [u64], atom: Atom) {
    letter[atom as usize / 64] |= 1 << (atom % 64);
}
