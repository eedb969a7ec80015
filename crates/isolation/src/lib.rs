//! Isolation of transactions: groups of reads and writes of keys.
//!
//! A history of transactions is isolated at a [level](Isolation) if there is a *commit order* of its transactions that contains
//! reads-from and the order of the level's scope and satisfies the level's axiom: whenever `t3` reads a key from `t1`, no other writer
//! `t2` of the key that `t3` should have seen is committed after `t1`. The levels differ in which transactions `t3`
//! should have seen. This is the formulation of Biswas and Enea; Adya's, by forbidden cycles, says the same.
//!
//! Up to causal consistency the levels depend on reads only: where reads-from is determined, a graph decides them (`visibility`).
//! The stronger ones depend on the version order, which is inferred as far as the history determines it and searched for
//! the rest (`version_order`). A stronger level is tried first where it is easier: real time determines
//! most of the order. Every order that is found is replayed, and every violation is decided again (`confirmation`).

mod access;
mod accesses;
mod account;
mod acyclic_graph;
mod anomalies;
mod base_order;
mod chains;
mod check;
mod check_recorded;
mod choices;
mod confirmation;
mod counter_search;
mod counters;
mod cycle;
mod cycle_search;
mod decision;
mod dependency;
mod edge_check;
mod encoding;
mod grouped;
mod grouping;
mod initial_values;
mod interner;
mod isolation_error;
mod level;
mod level_outcome;
mod lists;
mod live_transaction_check;
mod minimal;
pub mod naive;
mod open_accesses;
mod reachability;
mod read_anomaly;
mod read_meaning;
mod readings;
mod reads_from;
mod real_time;
mod replay;
mod solver;
mod survey;
#[cfg(test)]
mod tests;
mod timed_anomalies;
mod told_history;
mod transaction;
mod transaction_error;
mod transaction_trace;
mod version_chains;
mod version_order;
mod version_sequence;
mod visibility;
mod weak_causal;
mod workload;
mod writers_of;
mod wrong_reads;

pub use omnilink_evidence::Anomaly;
pub use omnilink_history::{RecordedHistory, read_histories};

pub use self::accesses::{is_of_workload, is_transaction};
pub use self::check::check_transactions;
pub use self::check_recorded::{check_recorded_transactions, infer_recorded_transactions};
pub use self::initial_values::{InitialValues, TransactionOptions};
pub use self::isolation_error::IsolationError;
pub use self::level::{Isolation, IsolationFamily, IsolationScope, UnknownIsolation};
pub use self::level_outcome::IsolationConclusion;
pub use self::live_transaction_check::LiveTransactionCheck;
pub use self::told_history::{EachOperation, VisitOperation};
pub use self::transaction::Transactions;
pub use self::transaction_error::TransactionError;
pub use self::transaction_trace::TransactionTrace;
