//! Evaluation: what expressions are worth, and what states follow a state.
//!
//! An [`Evaluator`] walks the nodes of a [`Program`](omnilink_tla_ir::Program). It belongs to one worker: frames, caches and
//! described values are its own, so nothing in here locks. What it shares with the rest of the search (registers, output,
//! statistics) goes through a [`Session`].
//!
//! The meaning is TLC's, errors included: what TLC refuses to evaluate is a [`Failure`](error::Failure) here. Where TLC's
//! answer depends on the order in which it first saw strings, the order of texts is used instead.

mod analysis;
pub mod datum;
mod elements;
mod equality;
pub mod error;
mod evaluator;
mod explain;
mod expression;
mod flow;
mod function;
mod membership;
pub mod native;
mod print;
mod recall;
mod session;
mod sets;
mod slot;
mod spelled;
mod step;

pub use analysis::{Cell, CellPart, Count, Counts, EffectTemplates, Effects, Enumeration, Few, Write};
pub use equality::equal_values;
pub use evaluator::{Coverage, Evaluator, State};
pub use explain::FalsePart;
pub use flow::Flow;
pub use recall::Exchange;
pub use session::{Quiet, Session, revision};
pub use step::{Successors, Taken};
