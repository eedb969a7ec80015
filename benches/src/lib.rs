//! Benchmarks against the tools a user would otherwise pick.
//!
//! Every case runs each tool in its own process, so that time and peak memory are the tool's and nothing else's. Times compare library with library: the history in memory, a bare verdict out; what our command line takes from file to
//! verdict, streaming, is shown beside it, and it is what memory is measured on. What counts is the ratio within one
//! run: machines differ and are noisy.

pub mod case;
pub mod map_workload;
pub mod ours;
pub mod porcupine_models;
pub mod register_workload;
pub mod subject;
