//! Benchmarks against the tools a user would otherwise pick.

pub mod map_workload;
