//! Temporal formulas: what is left of them after lowering.
//!
//! The parts about single states and single steps are operations of the program. Names that quantifiers bind around them are their
//! parameters, in the order in which they are bound. Everything else (connectives, `[]`, `<>`, fairness, quantifiers) is a tree.

use crate::{Loc, OperatorId};

/// A temporal formula.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// Its kind.
    pub kind: TemporalKind,
    /// Its source location.
    pub at: Loc,
}

/// The kinds of temporal formulas.
#[derive(Clone, Debug)]
pub enum TemporalKind {
    /// A formula about a state.
    State(OperatorId),
    /// `[A]_v` or `<<A>>_v`.
    Step {
        /// The formula.
        step: OperatorId,
        /// Whether it holds for a stuttering step: true for `[A]_v`.
        stutters: bool,
    },
    /// `WF_v(A)` or `SF_v(A)`.
    Fairness {
        /// Whether it is strong.
        is_strong: bool,
        /// `<<A>>_v`.
        step: OperatorId,
        /// `ENABLED <<A>>_v`.
        enabled: OperatorId,
        /// Whether `ENABLED <<A>>_v` may be about hidden variables, so that it does not follow from the steps of the spec.
        hides: bool,
    },
    /// Negation.
    Not(Box<Temporal>),
    /// Conjunction.
    And(Vec<Temporal>),
    /// Disjunction.
    Or(Vec<Temporal>),
    /// Implication.
    Implies(Box<(Temporal, Temporal)>),
    /// Equivalence.
    Equiv(Box<(Temporal, Temporal)>),
    /// `IF c THEN a ELSE b`.
    If(Box<(Temporal, Temporal, Temporal)>),
    /// `[]F`.
    Always(Box<Temporal>),
    /// `<>F`.
    Eventually(Box<Temporal>),
    /// `F ~> G`.
    LeadsTo(Box<(Temporal, Temporal)>),
    /// `\A x \in S : F`, over sets without variables.
    ForAll(Box<TemporalBounded>),
    /// `\E x \in S : F`.
    Exists(Box<TemporalBounded>),
}

/// Names bound over constant sets, and a temporal formula.
#[derive(Clone, Debug)]
pub struct TemporalBounded {
    /// For each bound, its set and how the names match an element.
    pub bounds: Vec<TemporalBound>,
    /// The formula in which the names are bound.
    pub body: Temporal,
}

/// One bound of a quantifier.
#[derive(Clone, Debug)]
pub struct TemporalBound {
    /// The set. It may depend on the names of outer quantifiers.
    pub set: OperatorId,
    /// The names.
    pub names: Vec<Box<str>>,
    /// Whether the names form a tuple, whose parts they stand for.
    pub is_tuple: bool,
}

/// Why a temporal formula cannot be checked.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The part that cannot be checked.
    pub at: Loc,
    /// Why, and what to do.
    pub reason: &'static str,
}
