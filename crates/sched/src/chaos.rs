//! Stalls for threads that the operating system schedules.
//!
//! Code that cannot be instrumented can at least be disturbed: a preload library (the crate `omnilink-chaos-preload`) sends each
//! thread signals at random moments, whose handler yields or sleeps. It raises the rate of bugs that need an unlucky preemption
//! by two orders of magnitude, but nothing can be repeated exactly. [`HarnessExecutor::sample_native`] makes executions with
//! native threads; any other program can be disturbed by starting it with [`ThreadStalls::environment`].
//!
//! [`HarnessExecutor::sample_native`]: crate::HarnessExecutor::sample_native

use crate::build::{BuildError, store};
use std::ffi::OsString;
use std::path::PathBuf;

static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libomnilink_chaos.so"));

/// How threads are stalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadStalls {
    /// The seed of the random numbers. The moments of the stalls differ from run to run.
    pub seed: u64,
    /// The shortest and the longest time between two stalls of a thread, in microseconds of its processor time; at least 10.
    pub period_us: (u32, u32),
    /// The longest stall, in microseconds. Half of the stalls are sleeps of up to this, all orders of magnitude equally likely;
    /// the others yield once.
    pub stall_us_max: u32,
    /// Whether threads are stalled at all; `false` leaves their priorities.
    pub is_stalling: bool,
    /// Each thread gets a niceness from 0 to this, at random. 0 changes nothing; the system's highest is 19.
    pub nice_max: u8,
}

impl Default for ThreadStalls {
    fn default() -> Self {
        Self {
            seed: 0,
            period_us: (10, 60),
            stall_us_max: 1_000,
            is_stalling: true,
            nice_max: 0,
        }
    }
}

impl ThreadStalls {
    /// The environment variables with which a program is started to be stalled.
    ///
    /// # Errors
    /// When the preload library is not available.
    pub fn environment(&self) -> Result<Vec<(OsString, OsString)>, BuildError> {
        let library = chaos_library()?;
        let number = |name: &str, value: u64| (OsString::from(name), OsString::from(value.to_string()));
        let stall_us = if self.is_stalling {
            self.stall_us_max.max(1)
        } else {
            0
        };
        Ok(vec![
            (OsString::from("LD_PRELOAD"), library.into_os_string()),
            number("OMNILINK_CHAOS_SEED", self.seed),
            number("OMNILINK_CHAOS_MIN_US", self.period_us.0.into()),
            number("OMNILINK_CHAOS_MAX_US", self.period_us.1.into()),
            number("OMNILINK_CHAOS_STALL_US", stall_us.into()),
            number("OMNILINK_CHAOS_NICE", self.nice_max.min(19).into()),
        ])
    }
}

/// The path of the preload library: next to this program if it is there, else in the user's cache, where the copy that is
/// embedded in this program is written.
///
/// # Errors
/// When this system is not supported, or the library cannot be written.
pub fn chaos_library() -> Result<PathBuf, BuildError> {
    let program = std::env::current_exe().ok();
    let next_to_program = program.and_then(|program| Some(program.parent()?.join("libomnilink_chaos.so")));
    match next_to_program.filter(|path| path.is_file()) {
        Some(path) => Ok(path),
        None if LIBRARY.is_empty() => Err(BuildError::Unsupported),
        None => store("chaos", "so", LIBRARY),
    }
}
