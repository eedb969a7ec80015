//! The runtime behind ThreadSanitizer's instrumentation, linked with a component in place of libtsan.
//!
//! The compiler's ThreadSanitizer pass turns every memory access into a call of a `__tsan_…` function. This crate defines
//! those functions, and wrappers for the C library's threads, locks, futexes, clocks and heap. Together they run the threads
//! of a component one at a time, decide at each scheduling point which thread runs next, and detect data races, memory
//! errors, deadlocks and livelocks.
//!
//! # How it gets into a program
//!
//! * **One object file.** The build script of `omnilink-sched` compiles this crate with `--cfg omnilink_link` into one object
//!   file and embeds it, so that a user who has only the `omnilink` command can link it. The script finds the sources through
//!   [`SOURCE`]: this crate is one of its build dependencies, which also holds in a published package.
//! * **No C names by default.** In an ordinary build, with which `cargo clippy` checks it, the crate is a library whose
//!   functions have Rust names: depending on it replaces no `malloc`. With `omnilink_link` the module `rt::symbols`
//!   defines the C names.
//! * **No Rust library at link time.** The object has to work in C++ programs: `no_std`, no panics, thread-local storage and
//!   entry points in assembly. It compiles with the stable toolchain.
//!
//! The other half of the protocol, the process that drives a harness, uses [`layout`]. The model of weak memory
//! ([`store_history`], [`happens_before`]) and the detection of races ([`access_history`], [`release_clocks`]) need no execution, so
//! that they can be compared with the axioms of C++ and with the definition of a race.

#![no_std]

#[cfg(test)]
extern crate std;

pub mod access_history;
mod checked;
#[cfg(test)]
mod documented;
pub mod happens_before;
pub mod known_functions;
pub mod layout;
pub mod release_clocks;
pub mod store_history;

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod rt;

/// The root source file of this crate, for build scripts that compile the object file.
#[cfg(not(omnilink_link))]
pub const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");
