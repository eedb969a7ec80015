//! Traces of concurrent systems: operations with timeboxes, streamed in, checked, merged and written.

mod timebox;

pub use timebox::{Time, Timebox};
