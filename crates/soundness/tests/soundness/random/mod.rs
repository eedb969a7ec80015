//! Random specifications and random traces of them.

pub mod branching;
pub mod condition;
pub mod doubled;
pub mod history;
pub mod log;
pub mod maker;
pub mod number;
pub mod shape;
pub mod spec;
pub mod update;
