//! The outcome of a check of one level, and what it is about.

use omnilink_evidence::{Anomaly, Conclusion, Limit, Unknown};
use omnilink_history::order_graph::{EdgeReason, OrderEdge};

/// A commit order, the anomaly that rules one out, or how far the check got.
pub type IsolationConclusion = Conclusion<Vec<String>, Anomaly>;

pub(crate) fn unknown(limit: Limit) -> IsolationConclusion {
    Conclusion::Unknown(Box::new(Unknown::limited(limit)))
}

/// The outcome for one level.
pub(crate) enum LevelOutcome {
    Decided(IsolationConclusion, Blame),
    /// The search reached its number of conflicts.
    TooHard,
}

pub(crate) fn violation(anomaly: Anomaly, blame: Blame) -> LevelOutcome {
    LevelOutcome::Decided(IsolationConclusion::Violation(Box::new(anomaly)), blame)
}

/// What an anomaly is about.
#[derive(Debug, Default)]
pub(crate) struct Blame {
    /// The transactions.
    pub(crate) named: Vec<usize>,
    /// The cycle, if it is one.
    pub(crate) cycle: Vec<OrderEdge>,
    /// Of a level that holds: the order of commits.
    pub(crate) commits: Vec<usize>,
}

impl Blame {
    pub(crate) fn of_cycle(cycle: Vec<OrderEdge>) -> Self {
        Self {
            named: named_in(&cycle),
            cycle,
            ..Self::default()
        }
    }

    pub(crate) fn of(named: Vec<usize>) -> Self {
        Self {
            named,
            ..Self::default()
        }
    }
}

/// The transactions that a cycle names, without duplicates.
fn named_in(cycle: &[OrderEdge]) -> Vec<usize> {
    let mut named: Vec<usize> = Vec::new();
    for edge in cycle {
        named.extend(edge.from.into_iter().chain(edge.to));
        if let EdgeReason::SeenBy { reader, .. } = edge.reason {
            named.push(reader as usize);
        }
    }
    named.sort_unstable();
    named.dedup();
    named
}
