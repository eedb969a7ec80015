//! Building harnesses: components compiled with ThreadSanitizer's instrumentation, linked with our runtime.
//!
//! The runtime is part of this crate, as an object that was compiled with it, so that a component needs nothing
//! but its own compiler: `rustc` for Rust, which instruments on the stable toolchain too, and `g++` or
//! `clang++` for C++.
//!
//! What is not instrumented is not seen: inline assembly and libraries that were built before. Of Rust's standard library
//! all that is not generic or inlined was built before; the functions of it that threads wait with are steps all the same,
//! see the module `library`. [`RustBuild::instruments_std`] compiles the standard library anew with instrumentation
//! where its source is installed.

mod cpp;
mod library;
mod runtime_object;
mod rust;

pub use cpp::CppBuild;
pub use library::INSTRUMENTS_LIBRARY;
pub use runtime_object::runtime_object;
pub(crate) use runtime_object::store;
pub use rust::{RustBuild, RustTarget, instrument_flags};

use std::path::PathBuf;

/// Why a harness could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The runtime is for Linux with glibc on x86-64 and ARM64 only.
    #[error(
        "the instrumented scheduler needs Linux with glibc on x86-64 or ARM64; this program was built for another system"
    )]
    Unsupported,
    /// The runtime could not be stored for the linker.
    #[error("{path}: the scheduler's runtime cannot be written: {source}")]
    Store {
        /// Where it should have been.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A compiler could not be started.
    #[error("`{program}` cannot be started: {source}; {advice}")]
    Compiler {
        /// The compiler.
        program: String,
        /// What the system said.
        source: std::io::Error,
        /// What to do.
        advice: &'static str,
    },
    /// A compiler said no.
    #[error("`{command}` failed\n{output}")]
    Failed {
        /// The command line.
        command: String,
        /// What it said.
        output: String,
    },
    /// Rust's standard library could not be looked into.
    #[error("{path}: Rust's standard library cannot be read: {problem}")]
    Library {
        /// Where it should have been.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// There is nothing to run, or more than one thing.
    #[error(
        "{directory}: {found} programs were built, expected one: name a `--bin`, `--example` or `--test`"
    )]
    NotOneProgram {
        /// The package.
        directory: PathBuf,
        /// How many there are.
        found: usize,
    },
}
