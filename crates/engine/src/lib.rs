//! The search for an explanation: models, strategies, reductions, budgets, verdicts and evidence.

#[cfg(test)]
extern crate self as omnilink_engine;

mod checker;
mod config;
mod depth_first;
mod evidence;
mod footprint;
mod ledger;
mod mask;
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
mod replay;
mod search;
mod space;
mod sweep;

pub use checker::{CheckError, Checker, Progress, check};
pub use evidence::{
    Alternative, Candidate, Counterexample, Fate, Figures, OpView, Outcome, Placement, Unfinished, Verdict,
    Witness,
};
pub use footprint::{Footprint, Keys};
pub use meter::{Exhausted, resident_bytes};
pub use minimize::{Minimal, minimize};
pub use model::{Model, Outcomes, successors};
pub use monitor::{Event, EventError, Monitor};
pub use operation::Operation;
pub use options::{Consistency, Limits, Options, Reductions, Strategy};
pub use partition::{Components, Partitioning};
pub use search::Decider;

#[cfg(test)]
#[path = "../tests/toys/mod.rs"]
mod toys;
