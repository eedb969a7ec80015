//! Long traces whose verdicts are known: objects are simulated, and some answers are changed.

pub mod collections;
pub mod keyed;
pub mod native;
pub mod object;
pub mod simulate;
pub mod stepped;
pub mod subject;
pub mod sweep;
