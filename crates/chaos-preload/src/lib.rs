//! A preload library that stalls threads at random instructions.
//!
//! Each new thread gets a timer of its own, whose signal handler yields or sleeps. Stalls are frequent enough to fall between
//! two neighbouring instructions now and then, which is where the bugs are. The timer is a software event of the kernel that
//! counts only while the thread runs (no hardware counters, no privilege); where that is forbidden, a timer of the monotonic
//! clock. The seed decides the random numbers, not the moments of the stalls: there is no exact repetition.
//!
//! Environment: `OMNILINK_CHAOS_SEED`, `OMNILINK_CHAOS_MIN_US` and `OMNILINK_CHAOS_MAX_US` (time between two stalls),
//! `OMNILINK_CHAOS_STALL_US` (the longest stall; 0 for none), `OMNILINK_CHAOS_NICE` (threads get a niceness from 0 to this), `OMNILINK_CHAOS_TIMER=monotonic` (no software event),
//! `OMNILINK_CHAOS_VERBOSE` (print the number of stalls at exit).
//!
//! # How it gets into a program
//!
//! The build script of `omnilink-sched` compiles this crate with `--cfg omnilink_link` into a shared library of 9 kB and embeds
//! it, so that a user who has only the `omnilink` command can preload it. The script finds the sources through [`SOURCE`]. In
//! an ordinary build, with which `cargo clippy` checks it, the crate defines no C names: depending on it changes nothing.

#![no_std]

/// The root source file of this crate, for build scripts that compile the library.
#[cfg(not(omnilink_link))]
pub const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
#[cfg_attr(
    not(omnilink_link),
    allow(dead_code, reason = "only the preload library has entry points")
)]
mod chaos;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
#[cfg_attr(
    not(omnilink_link),
    allow(dead_code, reason = "only the preload library has entry points")
)]
mod timer;

#[cfg(omnilink_link)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    chaos::abort()
}

/// Named by the unwind tables of the compiler's library, never called: nothing unwinds here.
#[cfg(omnilink_link)]
#[unsafe(no_mangle)]
pub extern "C" fn rust_eh_personality() {}
