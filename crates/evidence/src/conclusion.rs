//! A verdict together with what supports it.

use crate::counterexample::Counterexample;
use crate::unknown::Unknown;
use crate::verdict::Verdict;
use crate::witness::Linearization;

/// A verdict together with what supports it: a witness `W`, a violation `V`, or how far the check got. By default a
/// linearization and the operation that no order explains.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion<W = Linearization, V = Counterexample> {
    /// There is an explanation: this one.
    Valid(W),
    /// There is none, because of this.
    Violation(Box<V>),
    /// A limit was reached first.
    Unknown(Box<Unknown>),
}

impl<W, V> Conclusion<W, V> {
    /// The conclusion in one word.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Valid(_) => Verdict::Valid,
            Self::Violation(_) => Verdict::Violation,
            Self::Unknown(_) => Verdict::Unknown,
        }
    }

    /// Whether there is an explanation.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid(_))
    }

    /// Whether there certainly is no explanation.
    pub fn is_violation(&self) -> bool {
        matches!(self, Self::Violation(_))
    }
}
