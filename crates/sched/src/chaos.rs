//! Stalls for threads that nobody schedules.
//!
//! What cannot be instrumented can at least be disturbed: a preload library sends each thread signals at random
//! moments, whose handler yields or sleeps. It raises the rate of bugs that need an unlucky interruption by two
//! orders of magnitude, but nothing can be repeated exactly. [`HarnessExecutor::sample_native`] makes executions
//! in which threads run freely, with or without these stalls; any other program can be disturbed too, by starting
//! it with [`Chaos::environment`].
//!
//! [`HarnessExecutor::sample_native`]: crate::HarnessExecutor::sample_native

use crate::build::{BuildError, store};
use std::ffi::OsString;
use std::path::PathBuf;

static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libomnilink_chaos.so"));

/// How threads are disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chaos {
    /// Decides what is drawn, not when it happens.
    pub seed: u64,
    /// The shortest and the longest time between two stalls of a thread, in microseconds that it runs; at least 10.
    pub period_us: (u32, u32),
    /// The longest stall, in microseconds. Half of the stalls are sleeps of up to this, all orders of magnitude
    /// equally likely, the others give up the processor once.
    pub stall_us_max: u32,
}

impl Default for Chaos {
    fn default() -> Self {
        Self {
            seed: 0,
            period_us: (10, 60),
            stall_us_max: 1_000,
        }
    }
}

impl Chaos {
    /// The environment variables with which a program is to be started.
    pub fn environment(&self) -> Result<Vec<(OsString, OsString)>, BuildError> {
        let library = chaos_library()?;
        let number = |name: &str, value: u64| (OsString::from(name), OsString::from(value.to_string()));
        Ok(vec![
            (OsString::from("LD_PRELOAD"), library.into_os_string()),
            number("OMNILINK_CHAOS_SEED", self.seed),
            number("OMNILINK_CHAOS_MIN_US", self.period_us.0.into()),
            number("OMNILINK_CHAOS_MAX_US", self.period_us.1.into()),
            number("OMNILINK_CHAOS_STALL_US", self.stall_us_max.into()),
        ])
    }
}

/// The path of the preload library: beside this program if it is there, else in the user's cache, where it is
/// written from the copy that every program of ours carries.
pub fn chaos_library() -> Result<PathBuf, BuildError> {
    let program = std::env::current_exe().ok();
    let beside = program.and_then(|program| Some(program.parent()?.join("libomnilink_chaos.so")));
    match beside.filter(|path| path.is_file()) {
        Some(path) => Ok(path),
        None if LIBRARY.is_empty() => Err(BuildError::Unsupported),
        None => store("chaos", "so", LIBRARY),
    }
}
