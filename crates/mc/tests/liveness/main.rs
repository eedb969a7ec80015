//! Temporal properties.

#[path = "../common/mod.rs"]
mod common;
mod forms;
mod golden;
mod random_specs;
