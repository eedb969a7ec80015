//! Why transactions are not isolated.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why transactions are not isolated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Anomaly {
    /// A read returned something that it cannot have read.
    Read(String),
    /// A dependency cycle: each of these must be committed before the next, and the last before the first.
    Cycle(Vec<String>),
    /// No order of commits explains all reads: every choice of which write was read, and every order of versions, was ruled
    /// out.
    NoOrder {
        /// The keys whose reads or versions left a choice.
        keys: Vec<String>,
    },
}

/// One line for what is wrong, and for a cycle one more for each of its edges.
impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(text) => f.write_str(text),
            Self::Cycle(edges) => {
                f.write_str("these cannot be put in an order:")?;
                edges.iter().try_for_each(|edge| write!(f, "\n  {edge}"))
            }
            Self::NoOrder { keys } => write!(
                f,
                "no order of commits explains all reads; every choice of which write was read, and every order of writes, fails \
                 for {}",
                keys.join(", ")
            ),
        }
    }
}
