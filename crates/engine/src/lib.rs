//! The search for an explanation of a history: models, strategies, reductions, budgets, verdicts and evidence.
//!
//! An explanation of a history is an order of its operations that a sequential [`Model`] accepts and that respects their
//! timeboxes. This crate decided to keep **configurations of the open operations**, never of the whole history: a
//! configuration is the set of open operations that have taken effect, and the state that results. So memory depends on
//! the undecided operations only, a trace can be checked while it is being written, and a violation is found at the
//! first return that nothing explains. What it gave up: on valid histories with very many open operations, following a
//! single explanation is cheaper than keeping all of them. So a depth-first search alternates with the sweep, and it
//! needs the rest of the history in memory.
//!
//! - [`check`] checks a history in memory, [`Checker`] one operation at a time, [`LiveCheck`] calls and returns;
//! - [`Options`] selects consistency, strategy, limits and reductions;
//! - [`CheckOutcome`] has the [`Conclusion`]: a verdict with its evidence; [`minimize`] shrinks a violation soundly;
//! - [`naive`] is the definition itself, for tests.
//!
//! Every reduction is proved where it is implemented: absorption (`open_ops/absorption.rs`), stubborn sets and symmetry
//! (`open_ops/stubborn_set.rs`), dominance (`dominance.rs`), the minimal frontier (`sweep/minimal_frontier.rs`),
//! partitions (`partition.rs`, `ties.rs`). Each is compared with the naive checker on random histories, and `mutant.rs`
//! tests that each side condition is necessary. `docs/engine.md` describes the whole engine.

#[cfg(test)]
extern crate self as omnilink_engine;

mod any_search;
mod blocked_return;
mod budget;
mod check;
mod check_run;
mod checker;
mod collections;
mod configuration;
mod decoded;
mod depth_first;
mod dominance;
mod erased_model;
mod error;
mod evidence;
mod evidence_builder;
mod footprint;
mod history_facts;
mod history_source;
mod interned_model;
mod interner;
mod interrupt;
mod limit_watch;
mod live_check;
mod long_prefix;
mod mask;
mod memo;
mod minimal_counterexample;
mod model;
mod mutant;
pub mod naive;
mod observation;
mod op_table;
mod open_ops;
mod operation;
mod options;
mod part_search;
mod partition;
mod path;
mod plain_program_order;
mod plain_search;
mod portfolio;
mod program_order;
mod replay;
mod search_context;
mod state_ids;
mod state_space;
mod sweep;
mod ties;
mod unmonitored;

pub use check::{check, check_and_keep_order};
pub use checker::Checker;
pub use collections::{CollectionStream, check_as_collections};
pub use decoded::Decoded;
pub use error::{CheckError, Progress};
pub use evidence::{CheckOutcome, Conclusion, SearchFigures};
pub use footprint::{Footprint, Keys};
pub use history_facts::{components_of, followed_in};
pub use history_source::{HistoryReading, HistorySource};
pub use interrupt::Interrupt;
pub use limit_watch::LimitWatch;
pub use live_check::{CallEvent, EventError, LiveCheck};
pub use long_prefix::LongPrefix;
pub use minimal_counterexample::{MinimalCounterexample, minimize};
pub use model::{Model, Outcomes, successors};
pub use observation::{CollectionKind, Observation};
pub use omnilink_evidence::{
    AgreedPrefix, Alternative, BrokenRule, Candidate, Continuation, Counterexample, Decider, Limit,
    Linearization, Placement, RefusalReason, Unknown, Verdict,
};
pub use operation::TimedOp;
pub use options::{Consistency, Limits, Options, Reductions, Strategy};
pub use partition::{Components, Partitioning};
pub use plain_program_order::explain_program_order;
pub use plain_search::{PlainSearch, PlainVerdict};
pub use portfolio::check_source;
pub use unmonitored::Unmonitored;

#[cfg(test)]
#[path = "../tests/behaviour/test_models.rs"]
mod test_models;
