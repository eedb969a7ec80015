//! Building harnesses: components compiled with ThreadSanitizer's instrumentation and linked with the runtime.
//!
//! The runtime is embedded in this crate, so a component needs nothing but its own compiler: `rustc` for Rust, which instruments on
//! the stable toolchain too, and `g++` or `clang++` for C++.
//!
//! Inline assembly and prebuilt libraries are not instrumented. Most of Rust's standard library that is not generic or inlined is
//! prebuilt; the functions with which threads wait are scheduling points all the same, see the module `std_stubs`.
//! [`RustBuild::instruments_std`] compiles the standard library with instrumentation where its source is installed.

mod cpp;
mod libc_functions;
mod runtime_object;
mod rust;
mod rust_tests;
mod rustc_wrapper;
mod std_stubs;

pub use cpp::{CppBuild, fences_header, whole_program_flags};
pub use runtime_object::runtime_object;
pub(crate) use runtime_object::store;
pub use rust::{RustBuild, RustTarget, instrument_flags};
pub use rust_tests::{RustTests, TestBinary};
pub use std_stubs::INSTRUMENTS_LIBRARY;

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
        /// The error of the system.
        source: std::io::Error,
    },
    /// A compiler could not be started.
    #[error("`{program}` cannot be started: {source}; {advice}")]
    Compiler {
        /// The compiler.
        program: String,
        /// The error of the system.
        source: std::io::Error,
        /// What to do.
        advice: &'static str,
    },
    /// A compiler failed.
    #[error("{}`{command}` failed", .output.trim_start())]
    Failed {
        /// The command line.
        command: String,
        /// Its output.
        output: String,
    },
    /// Rust's standard library could not be read.
    #[error("{path}: Rust's standard library cannot be read: {problem}")]
    Library {
        /// Where it should have been.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// There is no program to run, or more than one.
    #[error(
        "{directory}: {found} programs were built, expected one: name a `--bin`, `--example` or `--test`"
    )]
    NotOneProgram {
        /// The package.
        directory: PathBuf,
        /// The number of programs.
        found: usize,
    },
}

/// A command with its arguments, without the environment in which it runs.
fn command_line(command: &std::process::Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
