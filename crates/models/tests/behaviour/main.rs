//! Tests of the native models, one module per behaviour.
//!
//! They are one binary, because each binary compiles the search for every model.

mod agrees_with_naive;
mod any_model;
mod arbitrary;
mod common;
mod decoding;
mod docs;
mod importers;
mod keying;
mod labelled;
mod laws;
mod live;
mod monitors;
mod refusals;
mod results;
