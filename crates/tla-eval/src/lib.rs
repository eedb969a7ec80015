//! Evaluation: what expressions are worth, and what states follow a state.
//!
//! An [`Evaluator`] walks the nodes of a [`Program`](crate::ir::Program). It belongs to one worker: frames, caches and
//! described values are its own, so nothing in here locks. What it shares with the rest of the search (registers, output,
//! statistics) goes through a [`Session`].
//!
//! The meaning is TLC's, errors included: what TLC refuses to evaluate is a [`Failure`](error::Failure) here. Where TLC's
//! answer depends on the order in which it first saw strings, the order of texts is used instead.

pub mod datum;
mod effects;
mod elements;
mod equality;
pub mod error;
mod evaluator;
mod exactness;
mod explain;
mod expression;
mod family;
mod flow;
mod function;
mod membership;
pub mod native;
mod print;
mod recall;
mod session;
mod sets;
pub(crate) mod slot;
mod spelled;
mod step;

pub(crate) use effects::ELEMENTS_MAX;
pub use effects::{Cell, CellPart, Effects, Few, Write};
pub use equality::equal_values;
pub use evaluator::{Coverage, Evaluator, State};
pub use explain::FalsePart;
pub use family::Families;
pub use flow::Flow;
pub use recall::Exchange;
pub use session::{Quiet, Session, revision};
pub use step::{Successors, Taken};
