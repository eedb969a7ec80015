//! The search for an explanation: models, strategies, reductions, budgets, verdicts and evidence.
//!
//! A history is explained by an order of its operations that a sequential [`Model`] accepts and that respects when each
//! ran. The decision of this crate is to keep **configurations of what is open**, never of the whole history: which open
//! operations have taken effect, and the state that results. So memory is what is undecided, a trace can be checked while
//! it is still being written, and a violation is known at the first return that nothing explains. What was given up: on
//! valid histories with very much open at once, following one explanation is cheaper than keeping all of them, so a
//! depth-first search runs beside the sweep, by turns, and needs the rest of the history in memory.
//!
//! - [`check`] takes a history in memory, [`Checker`] one operation after the other, [`Monitor`] calls and returns;
//! - [`Options`] says what to check for, with which limits and reductions;
//! - [`Outcome`] has the [`Conclusion`]: a verdict with its evidence; [`minimize`] shrinks a violation soundly;
//! - [`naive`] is the definition itself, for tests.
//!
//! Every reduction is proved where it is used, compared with the naive checker on random histories, and tested with its
//! side condition left out. `docs/engine.md` tells the whole story.

#[cfg(test)]
extern crate self as omnilink_engine;

mod checker;
mod collections;
mod config;
mod course;
mod depth_first;
mod describe;
mod evidence;
mod footprint;
mod interned;
mod ledger;
mod mask;
mod memory;
mod meter;
mod minimize;
mod model;
mod monitor;
mod mutant;
pub mod naive;
mod open_ops;
mod operation;
mod options;
mod partition;
mod path;
mod program_order;
mod progress;
mod replay;
mod search;
mod sequential;
mod space;
mod sweep;
mod ties;
mod watch;

pub use checker::{Checker, check, check_and_keep_order};
pub use collections::{ActsAs, Observation, check_as_collections};
pub use evidence::{Conclusion, Outcome, SearchFigures};
pub use footprint::{Footprint, Keys};
pub use memory::{default_memory_bytes, resident_bytes};
pub use minimize::{Minimal, minimize};
pub use model::{Model, Outcomes, successors};
pub use monitor::{Event, EventError, Monitor};
pub use omnilink_evidence::{
    AgreedPrefix, Alternative, BrokenRule, Candidate, Continuation, Counterexample, Decider, Limit,
    Linearization, Placement, Unknown, Verdict,
};
pub use operation::Operation;
pub use options::{Consistency, Limits, Options, Reductions, Strategy};
pub use partition::{Components, Partitioning};
pub use progress::{CheckError, Progress};
pub use watch::{Interrupt, Watch};

#[cfg(test)]
#[path = "../tests/toys/mod.rs"]
mod toys;
