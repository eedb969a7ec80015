//! A verdict together with what supports it.

use crate::unknown::Unknown;
use crate::verdict::Verdict;

/// A verdict together with what supports it: a witness `W`, a violation `V`, or how far the check got.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion<W, V> {
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
