//! Isolation of transactions: groups of reads and writes of keys.
//!
//! A history of transactions is isolated at a level if there is a *commit order* of its transactions that contains
//! session order and reads-from and satisfies the level's axiom: whenever `t3` reads a key from `t1`, no other writer
//! `t2` of the key that `t3` should have seen is committed after `t1`. The levels differ in which transactions `t3`
//! should have seen. This is the formulation of Biswas and Enea.
//!
//! Read committed and read atomic depend on reads only: where reads-from is determined, a graph decides them.
//! Serializability and snapshot isolation depend on the version order, which is inferred as far as the history
//! determines it and searched for the rest. A stronger level is tried first where it is easier: real time determines
//! most of the order. Every order that is found is replayed, and every violation is decided again (`confirmation`).

mod accesses;
mod acyclic_graph;
mod base_order;
mod confirmation;
mod cycle;
mod edge_check;
mod encoding;
mod lists;
pub mod naive;
mod reachability;
mod read_levels;
mod reads_from;
mod real_time;
mod replay;
mod solver;
#[cfg(test)]
mod tests;
mod transaction;
mod transaction_error;
mod version_chains;
mod version_order;

use std::fmt;
use std::str::FromStr;

use omnilink_engine::Limits;
pub use omnilink_evidence::Anomaly;
use omnilink_evidence::{Conclusion, Confirmation, Limit, Unknown};

pub use self::accesses::is_transaction;
use self::reads_from::{ReadsFrom, ReadsFromError, Writer, reads_from};
use self::real_time::Overwrites;
use self::replay::Endpoint;
pub use self::transaction::Transactions;
use self::transaction::{Fate, Id};
pub use self::transaction_error::TransactionError;
use self::version_order::OrderOutcome;
use crate::budget::Budget;
use crate::level::UnknownLevel;
use crate::order_graph::{EdgeReason, Graph, Node, OrderEdge};
use crate::recorded_history::RecordedHistory;

/// A level of isolation, each stronger than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isolation {
    /// Only committed values are read, and reads of a transaction are monotonic.
    ReadCommitted,
    /// The writes of a transaction are visible together or not at all.
    ReadAtomic,
    /// Transactions read from a snapshot, and no two concurrent ones write the same key.
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

    /// Its name on the command line.
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

/// A commit order, the anomaly that rules one out, or how far the check got.
pub type IsolationConclusion = Conclusion<Vec<String>, Anomaly>;

fn unknown(limit: Limit) -> IsolationConclusion {
    Conclusion::Unknown(Box::new(Unknown::limited(limit)))
}

/// Checks the transactions of a recorded history.
///
/// # Errors
/// If its operations are no reads and writes of keys in transactions.
pub fn check_transactions(
    recorded: &RecordedHistory,
    isolation: Isolation,
    limits: Limits,
) -> Result<IsolationConclusion, TransactionError> {
    let mut budget = Budget::new(limits);
    match Transactions::within(recorded, &mut budget)? {
        Ok(transactions) => Ok(transactions.check_within(isolation, &mut budget)?.0),
        Err(limit) => Ok(unknown(limit)),
    }
}

/// The same, with what a second decision says about a violation.
///
/// # Errors
/// As [`check_transactions`].
pub(crate) fn check_and_confirm(
    recorded: &RecordedHistory,
    isolation: Isolation,
    limits: Limits,
) -> Result<(IsolationConclusion, Option<Confirmation>), TransactionError> {
    let mut budget = Budget::new(limits);
    let transactions = match Transactions::within(recorded, &mut budget)? {
        Ok(transactions) => transactions,
        Err(limit) => return Ok((unknown(limit), None)),
    };
    let (conclusion, blame) = transactions.check_within(isolation, &mut budget)?;
    let confirmation = match conclusion {
        Conclusion::Violation(_) => {
            let confirmed = transactions.confirm(isolation, &blame);
            Some(confirmed.map_err(TransactionError::Contradicted)?)
        }
        Conclusion::Valid(_) | Conclusion::Unknown(_) => None,
    };
    Ok((conclusion, confirmation))
}

/// The number of conflicts allowed in a search for a stronger level than the one in question.
const DETOUR_CONFLICTS: u64 = 1_000;

/// What an anomaly is about.
#[derive(Debug, Default)]
struct Blame {
    /// The transactions.
    named: Vec<usize>,
    /// The cycle, if it is one.
    cycle: Vec<OrderEdge>,
}

impl Blame {
    fn of(named: Vec<usize>) -> Self {
        Self {
            named,
            cycle: Vec::new(),
        }
    }
}

/// The outcome for one level.
enum LevelOutcome {
    Decided(IsolationConclusion, Blame),
    /// The search reached its number of conflicts.
    TooHard,
}

impl Transactions {
    /// Checks whether the transactions are isolated.
    ///
    /// # Errors
    /// If an order was found that does not replay, which is a bug.
    pub fn check(
        &self,
        isolation: Isolation,
        limits: Limits,
    ) -> Result<IsolationConclusion, TransactionError> {
        let (conclusion, _) = self.check_within(isolation, &mut Budget::new(limits))?;
        Ok(conclusion)
    }

    fn check_within(
        &self,
        isolation: Isolation,
        budget: &mut Budget,
    ) -> Result<(IsolationConclusion, Blame), TransactionError> {
        if let Some(anomaly) = &self.anomaly {
            let violation = IsolationConclusion::Violation(Box::new(anomaly.clone()));
            return Ok((violation, Blame::default()));
        }
        // A history that is isolated at a level is isolated at the weaker ones, by the same order.
        let is_timed = self.all.iter().any(|one| one.timebox.is_some());
        let stronger: &[Isolation] = match isolation {
            Isolation::Serializable if is_timed => &[Isolation::StrictSerializable],
            Isolation::Snapshot if is_timed => &[Isolation::StrictSerializable, Isolation::Serializable],
            Isolation::Snapshot => &[Isolation::Serializable],
            _ => &[],
        };
        for level in stronger {
            if let LevelOutcome::Decided(conclusion, _) = self.decide(*level, DETOUR_CONFLICTS, budget)?
                && (conclusion.is_valid() || matches!(conclusion, Conclusion::Unknown(_)))
            {
                return Ok((conclusion, Blame::default()));
            }
        }
        match self.decide(isolation, u64::MAX, budget)? {
            LevelOutcome::Decided(conclusion, blame) => Ok((conclusion, blame)),
            LevelOutcome::TooHard => unreachable!("there is no limit on conflicts"),
        }
    }

    fn decide(
        &self,
        isolation: Isolation,
        conflicts_max: u64,
        budget: &mut Budget,
    ) -> Result<LevelOutcome, TransactionError> {
        let is_strict = isolation == Isolation::StrictSerializable;
        let overwrites = is_strict.then(|| Overwrites::new(self));
        let may_read = |reader: usize, key: Id, writer: Writer| {
            let is_later_in_session = writer.is_some_and(|writer| {
                let (reading, writing) = (&self.all[reader], &self.all[writer]);
                reader < writer && reading.session == writing.session && reading.fate == Fate::Committed
            });
            let in_time = |overwrites: &Overwrites| overwrites.allow(self, reader, key, writer);
            !is_later_in_session && overwrites.as_ref().is_none_or(in_time)
        };
        let reads = match reads_from(self, &may_read, budget) {
            Ok(reads) => reads,
            Err(ReadsFromError::Anomaly(anomaly, reader)) => {
                return Ok(violation(anomaly, Blame::of(vec![reader])));
            }
            Err(ReadsFromError::Limit(limit)) => {
                return Ok(LevelOutcome::Decided(unknown(limit), Blame::default()));
            }
        };
        let is_determined = reads.is_determined();
        match isolation {
            Isolation::ReadCommitted | Isolation::ReadAtomic if is_determined => {
                let (graph, decided) = match read_levels::graph(self, &reads, isolation) {
                    Err(cycle) => (Graph::new(0, false), OrderOutcome::Cycle(cycle)),
                    Ok(graph) => {
                        let found = graph.topological(&base_order::priorities(&graph, self));
                        (graph, found.map_or_else(OrderOutcome::Cycle, OrderOutcome::Order))
                    }
                };
                let writers: Vec<Writer> = reads.reads.iter().map(|read| read.writers[0]).collect();
                self.answer(isolation, &graph, decided, &reads.included, (&reads, &writers))
            }
            _ => {
                let mut graph = Graph::new(self.all.len(), isolation == Isolation::Snapshot);
                base_order::sessions(&mut graph, self, &reads);
                if is_strict {
                    real_time::add(&mut graph, self, &reads.included);
                }
                base_order::known_reads(&mut graph, &reads);
                if !is_determined {
                    let choices = encoding::decide(self, &reads, &graph, isolation, conflicts_max, budget);
                    return self.answer(
                        isolation,
                        &graph,
                        choices.decided,
                        &choices.present,
                        (&reads, &choices.writers),
                    );
                }
                let (graph, decided) = match version_chains::add(&mut graph, self, &reads) {
                    Err(cycle) => (graph, OrderOutcome::Cycle(cycle)),
                    Ok(open) => version_order::decide(graph, open, self, conflicts_max, budget),
                };
                self.answer(isolation, &graph, decided, &reads.included, (&reads, &[]))
            }
        }
    }

    /// Replays an order that was found, or describes why there is none.
    fn answer(
        &self,
        isolation: Isolation,
        graph: &Graph,
        decided: OrderOutcome,
        present: &[usize],
        (reads, writers): (&ReadsFrom, &[Writer]),
    ) -> Result<LevelOutcome, TransactionError> {
        let nodes = match decided {
            OrderOutcome::TooHard => return Ok(LevelOutcome::TooHard),
            OrderOutcome::Limit(limit) => return Ok(LevelOutcome::Decided(unknown(limit), Blame::default())),
            OrderOutcome::Cycle(cycle) => {
                let named = named_in(&cycle);
                let anomaly = Anomaly::Cycle(self.describe(&cycle));
                return Ok(violation(anomaly, Blame { named, cycle }));
            }
            OrderOutcome::NoOrder(keys) => {
                let uses = |one: &usize| {
                    let accesses = self.all[*one].reads.iter().chain(&self.all[*one].writes);
                    accesses.clone().any(|(key, _)| keys.contains(key))
                };
                let named = (0..self.all.len()).filter(uses).collect();
                let keys = keys.iter().map(|key| self.key(*key)).collect();
                return Ok(violation(Anomaly::NoOrder { keys }, Blame::of(named)));
            }
            OrderOutcome::Order(nodes) => nodes,
        };
        let mut is_present = vec![false; self.all.len()];
        present.iter().for_each(|one| is_present[*one] = true);
        let endpoint = |node: &Node| {
            let one = graph.transaction(*node).filter(|one| is_present[*one])?;
            Some(if graph.is_commit(*node) {
                Endpoint::Commit(one)
            } else {
                Endpoint::Begin(one)
            })
        };
        let endpoints: Vec<Endpoint> = nodes.iter().filter_map(endpoint).collect();
        let order: Vec<usize> = endpoints
            .iter()
            .filter_map(|endpoint| match endpoint {
                Endpoint::Commit(one) => Some(*one),
                Endpoint::Begin(_) => None,
            })
            .collect();
        match isolation {
            Isolation::ReadCommitted | Isolation::ReadAtomic => {
                replay::check_visible(self, reads, writers, &order, isolation)
            }
            Isolation::Snapshot => replay::check_snapshots(self, &endpoints),
            Isolation::Serializable => replay::check_serial(self, &order, false),
            Isolation::StrictSerializable => replay::check_serial(self, &order, true),
        }
        .map_err(TransactionError::Rejected)?;
        let valid = IsolationConclusion::Valid(self.labels(&order));
        Ok(LevelOutcome::Decided(valid, Blame::default()))
    }
}

fn violation(anomaly: Anomaly, blame: Blame) -> LevelOutcome {
    LevelOutcome::Decided(IsolationConclusion::Violation(Box::new(anomaly)), blame)
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
