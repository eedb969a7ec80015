//! Why transactions are not isolated.

use std::fmt;

use serde::Serialize;

use crate::operation::ReportedOperation;

/// Why transactions are not isolated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// What a history of transactions shows besides the answer: the anomalies by name, and the levels that hold and that do not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IsolationFindings {
    /// The anomalies, by the names of Adya, Cerone and Jepsen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anomalies: Vec<NamedAnomaly>,
    /// The strongest levels that hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strongest: Vec<String>,
    /// The weakest levels that are violated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weakest_violated: Vec<String>,
    /// Every level with its verdict, the weakest first; if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelVerdict>,
    /// What the transactions did that the violation and the anomalies name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<ReportedTransaction>,
}

/// A transaction and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedTransaction {
    /// Its name in the violation and in the anomalies.
    pub name: String,
    /// Whether it aborted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
    /// How many of its operations are left out at the end.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Its operations, in their order.
    pub ops: Vec<ReportedOperation>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An anomaly with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedAnomaly {
    /// Its name, such as `G-single` or `write-skew`.
    pub name: String,
    /// What happened, in words.
    pub text: String,
    /// A shortest cycle of this kind, if it is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<DependencyEdge>,
}

/// A dependency between two transactions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DependencyEdge {
    /// The transaction that comes first.
    pub from: String,
    /// The one that depends on it.
    pub to: String,
    /// `ww`, `wr`, `rw`, `session` or `realtime`.
    pub kind: String,
    /// The key, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why, in words.
    pub reason: String,
}

/// A level of isolation and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LevelVerdict {
    /// Its name.
    pub level: String,
    /// What others call it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_as: Vec<String>,
    /// Whether it holds.
    pub verdict: crate::verdict::Verdict,
}
