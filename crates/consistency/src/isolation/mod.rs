//! Isolation of transactions: groups of reads and writes of keys.
//!
//! A history of transactions is isolated at a level if there is a *commit order* of its transactions, containing each
//! session's own order and who reads from whom, that satisfies the level's axiom: whenever `t3` reads a key from `t1`, no
//! other writer `t2` of the key that `t3` should have seen is committed after `t1`. The levels differ in whom a
//! transaction should have seen. This is the formulation of Biswas and Enea.
//!
//! Read committed and read atomic only look at what reads show, so a graph decides them. Serializability and snapshot
//! isolation depend on the order of versions: where the history determines it a graph decides them too, and where not a
//! search over orders does, guided by what the graph already knows.

mod commit_order;
mod field;
mod graph;
pub mod naive;
mod reads_from;
mod saturate;
mod transaction;
mod verdict;

use std::fmt;
use std::str::FromStr;

use omnilink_engine::Limits;

use self::commit_order::Commit;
use self::reads_from::{Assignments, candidates};
use self::saturate::Order;
pub use self::transaction::{TransactionError, Transactions};
pub use self::verdict::{Anomaly, IsolationVerdict};
use crate::budget::Budget;
use crate::level::UnknownLevel;
use crate::recorded::Recorded;

/// A level of isolation, each stronger than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isolation {
    /// Only committed values are read, and within a transaction reads do not go back.
    ReadCommitted,
    /// A transaction is seen whole or not at all.
    ReadAtomic,
    /// Transactions read from a snapshot, and no two that overlap write the same key.
    Snapshot,
    /// There is a serial order.
    Serializable,
    /// There is a serial order that keeps real time.
    StrictSerializable,
}

impl Isolation {
    /// All levels, the weakest first.
    pub const ALL: [Self; 5] = [
        Self::ReadCommitted,
        Self::ReadAtomic,
        Self::Snapshot,
        Self::Serializable,
        Self::StrictSerializable,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadCommitted => "read-committed",
            Self::ReadAtomic => "read-atomic",
            Self::Snapshot => "snapshot-isolation",
            Self::Serializable => "serializable",
            Self::StrictSerializable => "strict-serializable",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isolation {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let name = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let alias = match name.as_str() {
            "rc" => "read-committed",
            "ra" => "read-atomic",
            "si" | "snapshot" => "snapshot-isolation",
            "ser" | "serializability" => "serializable",
            "strict" | "strict-serializability" => "strict-serializable",
            other => other,
        };
        let found = Self::ALL.into_iter().find(|level| level.name() == alias);
        found.ok_or_else(|| UnknownLevel {
            name: text.trim().to_owned(),
        })
    }
}

/// Checks the transactions of a recorded history.
///
/// # Errors
/// If its operations are no reads and writes of keys in transactions.
pub fn check_transactions(
    recorded: &Recorded,
    isolation: Isolation,
    limits: Limits,
) -> Result<IsolationVerdict, TransactionError> {
    Transactions::from_recorded(recorded)?.check(isolation, limits)
}

impl Transactions {
    /// Checks whether the transactions are isolated.
    ///
    /// # Errors
    /// If there are too many to be searched and no graph decides.
    pub fn check(&self, isolation: Isolation, limits: Limits) -> Result<IsolationVerdict, TransactionError> {
        let mut budget = Budget::new(limits);
        let reads = match candidates(self) {
            Ok(reads) => reads,
            Err(anomaly) => return Ok(IsolationVerdict::Violation(anomaly)),
        };
        match isolation {
            Isolation::ReadCommitted | Isolation::ReadAtomic => {
                Ok(self.check_by_graph(&reads, isolation, &mut budget))
            }
            Isolation::Serializable | Isolation::StrictSerializable => {
                self.check_serial(&reads, isolation, &mut budget)
            }
            Isolation::Snapshot => self.check_snapshot(&reads, &mut budget),
        }
    }

    /// Read committed and read atomic: some choice of writers for ambiguous reads has no cycle.
    fn check_by_graph(
        &self,
        reads: &Assignments,
        isolation: Isolation,
        budget: &mut Budget,
    ) -> IsolationVerdict {
        let mut first = None;
        for assignment in reads.all() {
            if budget.configuration() {
                break;
            }
            let graph = saturate::visible_writers(self, reads, &assignment, isolation);
            match graph.cycle() {
                None => return IsolationVerdict::Valid(self.labels(&graph.topological(&assignment.present))),
                Some(cycle) => {
                    first.get_or_insert(Anomaly::Cycle(self.describe(&cycle)));
                }
            }
        }
        match (budget.exhausted(), first) {
            (Some(limit), _) => IsolationVerdict::Unknown(limit),
            (None, Some(anomaly)) => IsolationVerdict::Violation(anomaly),
            (None, None) => IsolationVerdict::Violation(Anomaly::Read(
                "some read can only be explained by transactions that were cut off and cannot have committed"
                    .to_owned(),
            )),
        }
    }

    fn check_serial(
        &self,
        reads: &Assignments,
        isolation: Isolation,
        budget: &mut Budget,
    ) -> Result<IsolationVerdict, TransactionError> {
        let is_strict = isolation == Isolation::StrictSerializable;
        let before = match reads.determined() {
            None => self.session_order(is_strict),
            Some(assignment) => match saturate::serial(self, reads, &assignment, is_strict) {
                Order::Cycle(cycle) => {
                    return Ok(IsolationVerdict::Violation(Anomaly::Cycle(self.describe(&cycle))));
                }
                Order::Total(order) => return Ok(IsolationVerdict::Valid(self.labels(&order))),
                Order::Partial(before) => before,
            },
        };
        commit_order::search(self, &before, Commit::AtOnce, budget)
    }

    fn check_snapshot(
        &self,
        reads: &Assignments,
        budget: &mut Budget,
    ) -> Result<IsolationVerdict, TransactionError> {
        if let Some(assignment) = reads.determined() {
            // Who is serializable is isolated; who is not read atomic is not.
            if let Order::Total(order) = saturate::serial(self, reads, &assignment, false) {
                return Ok(IsolationVerdict::Valid(self.labels(&order)));
            }
            let graph = saturate::visible_writers(self, reads, &assignment, Isolation::ReadAtomic);
            if let Some(cycle) = graph.cycle() {
                return Ok(IsolationVerdict::Violation(Anomaly::Cycle(self.describe(&cycle))));
            }
            if let Some(graph) = saturate::snapshot_by_versions(self, reads, &assignment) {
                return Ok(match graph.cycle() {
                    Some(cycle) => IsolationVerdict::Violation(Anomaly::Cycle(self.describe(&cycle))),
                    None => IsolationVerdict::Valid(self.labels(&graph.topological(&assignment.present))),
                });
            }
        }
        commit_order::search(self, &self.session_order(false), Commit::Later, budget)
    }
}
