//! Benchmarks against the tools a user would otherwise pick.
//!
//! Every case runs each tool in a process of its own, from input file to verdict, so that CPU time and peak memory are
//! the tool's and nothing else's. What counts is the ratio within one run: machines differ and are noisy.

pub mod case;
pub mod map_workload;
pub mod ours;
pub mod porcupine_models;
pub mod register_workload;
pub mod subject;
