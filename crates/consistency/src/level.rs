//! Named criteria.
//!
//! The session guarantees are stated with program order; the levels of Emmi and Enea for concurrent objects are
//! stated with happens-before. `docs/consistency.md` shows which level implies which.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::criterion::{Axiom, Claim, Criterion};
use crate::relation::Relation::{self, Hb, Lin, Po, Vis};

/// A named consistency level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConsistencyLevel {
    /// Returns follow from some part of the past.
    ReturnValue,
    /// An operation sees what its thread did before.
    ReadMyWrites,
    /// An operation sees what earlier operations of its thread saw.
    MonotonicReads,
    /// An operation that sees another one sees what the other's thread did before.
    MonotonicWrites,
    /// An operation that sees another one sees what earlier operations of the other's thread saw.
    WritesFollowReads,
    /// An operation sees everything that happened before it.
    Weak,
    /// And everything that was seen by operations that happened before it.
    Monotonic,
    /// And what the threads of the operations that it sees did before.
    Peer,
    /// Visibility is causal, and all operations agree on one order. Real time does not matter.
    CausalConvergence,
    /// Visibility is transitive and contains happens-before.
    Causal,
    /// Every operation sees everything before it, in one order that keeps program order. Real time does not matter.
    Sequential,
    /// Every operation sees everything before it, in one order that keeps real time.
    Linearizable,
}

impl ConsistencyLevel {
    /// All levels.
    pub const ALL: [Self; 12] = [
        Self::ReturnValue,
        Self::ReadMyWrites,
        Self::MonotonicReads,
        Self::MonotonicWrites,
        Self::WritesFollowReads,
        Self::Weak,
        Self::Monotonic,
        Self::Peer,
        Self::CausalConvergence,
        Self::Causal,
        Self::Sequential,
        Self::Linearizable,
    ];

    /// The levels that single methods can have, each stronger than the one before.
    pub const LADDER: [Self; 6] = [
        Self::ReturnValue,
        Self::Weak,
        Self::Monotonic,
        Self::Peer,
        Self::Causal,
        Self::Linearizable,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReturnValue => "return-value",
            Self::ReadMyWrites => "read-my-writes",
            Self::MonotonicReads => "monotonic-reads",
            Self::MonotonicWrites => "monotonic-writes",
            Self::WritesFollowReads => "writes-follow-reads",
            Self::Weak => "weak",
            Self::Monotonic => "monotonic",
            Self::Peer => "peer",
            Self::CausalConvergence => "causal-convergence",
            Self::Causal => "causal",
            Self::Sequential => "sequential",
            Self::Linearizable => "linearizable",
        }
    }

    fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::ReturnValue => &["rvc", "ret"],
            Self::ReadMyWrites => &["ryw", "rmw", "read-your-writes"],
            Self::MonotonicReads => &["mr"],
            Self::MonotonicWrites => &["mw"],
            Self::WritesFollowReads => &["wfr"],
            Self::Weak => &[],
            Self::Monotonic => &["mono"],
            Self::Peer => &[],
            Self::CausalConvergence => &["ccv", "causally-convergent"],
            Self::Causal => &[],
            Self::Sequential => &["sc", "sequential-consistency"],
            Self::Linearizable => &["complete", "atomic", "linearizability", "lin"],
        }
    }

    /// Its axioms, besides `Ret` and `lin >= vis`.
    pub fn claims(self) -> Vec<Claim> {
        let vis = |relation: Relation| Claim::VisContains(relation);
        match self {
            Self::ReturnValue => vec![],
            Self::ReadMyWrites => vec![vis(Po)],
            Self::MonotonicReads => vec![vis(Vis.then(Po))],
            Self::MonotonicWrites => vec![vis(Po.then(Vis))],
            Self::WritesFollowReads => vec![vis(Vis.then(Po).then(Vis))],
            Self::Weak => vec![vis(Hb)],
            Self::Monotonic => vec![vis(Hb), vis(Vis.then(Hb))],
            Self::Peer => vec![vis(Hb), vis(Vis.then(Hb)), vis(Po.then(Vis))],
            Self::CausalConvergence => vec![Claim::LinContains(Po), vis(Po.or(Vis).plus())],
            Self::Causal => vec![vis(Hb), vis(Vis.then(Vis))],
            Self::Sequential => vec![Claim::LinContains(Po), vis(Lin)],
            Self::Linearizable => vec![vis(Lin)],
        }
    }

    /// Whether linearizations keep happens-before.
    pub fn keeps_hb(self) -> bool {
        !matches!(self, Self::Sequential | Self::CausalConvergence)
    }

    /// The level as a criterion for all operations.
    pub fn criterion(self) -> Criterion {
        let axioms = self
            .claims()
            .into_iter()
            .map(|claim| Axiom { claim, scope: None })
            .collect();
        // Every named level keeps the relations that it uses: a test makes them all.
        Criterion::new(self.name(), axioms, self.keeps_hb()).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// Whether every history that satisfies this level satisfies `weaker`.
    pub fn implies(self, weaker: Self) -> bool {
        use ConsistencyLevel::{
            Causal, CausalConvergence, Linearizable, Monotonic, MonotonicReads, MonotonicWrites, Peer,
            ReadMyWrites, ReturnValue, Sequential, Weak, WritesFollowReads,
        };
        let directly: &[Self] = match self {
            Linearizable => &[Causal, Sequential],
            Sequential => &[CausalConvergence],
            Causal => &[Peer, WritesFollowReads, CausalConvergence],
            Peer => &[Monotonic, MonotonicWrites],
            Monotonic => &[Weak, MonotonicReads],
            Weak => &[ReadMyWrites],
            ReadMyWrites | MonotonicReads | MonotonicWrites | WritesFollowReads => &[ReturnValue],
            CausalConvergence | ReturnValue => &[],
        };
        self == weaker || directly.iter().any(|next| next.implies(weaker))
    }
}

impl fmt::Display for ConsistencyLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no level of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no consistency level \"{name}\"; there are {}", ConsistencyLevel::ALL.map(ConsistencyLevel::name).join(", "))]
pub struct UnknownLevel {
    /// The unknown name.
    pub name: String,
}

impl FromStr for ConsistencyLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let name = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        Self::ALL
            .into_iter()
            .find(|level| level.name() == name || level.aliases().contains(&name.as_str()))
            .ok_or_else(|| UnknownLevel {
                name: text.trim().to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_a_criterion_and_goes_by_its_name() {
        for level in ConsistencyLevel::ALL {
            assert_eq!(level.criterion().name(), level.name());
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert_eq!("Read Your Writes".parse(), Ok(ConsistencyLevel::ReadMyWrites));
        assert!(
            "strong"
                .parse::<ConsistencyLevel>()
                .unwrap_err()
                .to_string()
                .contains("linearizable")
        );
    }

    #[test]
    fn the_ladder_goes_up() {
        for pair in ConsistencyLevel::LADDER.windows(2) {
            assert!(pair[1].implies(pair[0]) && !pair[0].implies(pair[1]));
        }
    }
}
