//! Temporal properties.

#[path = "../common/mod.rs"]
mod common;
mod golden;
mod random_specs;
