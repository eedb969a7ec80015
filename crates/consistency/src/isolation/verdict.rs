//! What a check of transactions has to show.

use std::fmt;

use omnilink_engine::Exhausted;

/// Are the transactions isolated?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IsolationVerdict {
    /// Yes, in this order of commits.
    Valid(Vec<String>),
    /// No, because of this.
    Violation(Anomaly),
    /// A limit was reached first.
    Unknown(Exhausted),
}

/// Why transactions are not isolated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anomaly {
    /// A read returned something that it cannot have read.
    Read(String),
    /// Each of these must be committed before the next, and the last before the first.
    Cycle(Vec<String>),
    /// No order of commits explains all reads: every choice of who read from whom, and every order of versions, was ruled out.
    NoOrder {
        /// The keys whose reads or versions left a choice.
        keys: Vec<String>,
    },
}

impl IsolationVerdict {
    /// Whether they are isolated.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid(_))
    }

    /// `valid`, `violation` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Valid(_) => "valid",
            Self::Violation(_) => "violation",
            Self::Unknown(_) => "unknown",
        }
    }
}

impl fmt::Display for IsolationVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The order is for a witness: it has a line for every transaction.
            Self::Valid(_) => Ok(()),
            Self::Violation(Anomaly::Read(text)) => writeln!(f, "{text}"),
            Self::Violation(Anomaly::Cycle(edges)) => {
                writeln!(f, "these cannot be put in an order:")?;
                edges.iter().try_for_each(|edge| writeln!(f, "  {edge}"))
            }
            Self::Violation(Anomaly::NoOrder { keys }) => writeln!(
                f,
                "no order of commits explains all reads; every choice of who read from whom, and every order of writes, fails for {}",
                keys.join(", ")
            ),
            Self::Unknown(limit) => writeln!(f, "undecided: the limit on {limit:?} was reached"),
        }
    }
}
