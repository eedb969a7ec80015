//! The search for an explanation: models, strategies, reductions, budgets, verdicts and evidence.

mod footprint;
mod model;

pub use footprint::{Footprint, Keys};
pub use model::{Model, Outcomes};
