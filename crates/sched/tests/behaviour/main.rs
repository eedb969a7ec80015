//! The behaviour of the scheduler on small components.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod cpp;
mod endings;
mod errors;
mod histories;
mod limits;
mod memory_model;
mod native;
mod packages;
mod program_runs;
mod race_detection;
mod reduction;
mod replay;
mod retries;
mod reused_processes;
mod support;
mod weak_memory;
mod whole_programs;
