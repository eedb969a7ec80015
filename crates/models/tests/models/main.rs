//! The behaviour of the shipped models, one file per kind.
//!
//! One binary, because each one compiles the search anew for every model.

mod agrees_with_naive;
mod arbitrary;
mod common;
mod decoding;
mod docs;
mod importers;
mod keyed;
mod labelled;
mod laws;
mod monitors;
mod refusals;
