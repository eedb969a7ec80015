//! Limits of commands that do not search: reading and evaluating.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use omnilink_engine::{Limit, LimitWatch, Limits};

use crate::{interrupt, quantity};

/// When to give up, as arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Give up after this long: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<Duration>,
    /// Give up when the process holds this much: 512MB, 2GB
    #[arg(long, value_name = "BYTES", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            time: self.time_limit,
            memory_bytes: self.memory_limit,
            configurations: None,
            interrupt: Some(interrupt::flag()),
        }
    }
}

/// The watch over the process, and the limit that it found reached first.
static PROCESS: Mutex<(Option<LimitWatch>, Option<Limit>)> = Mutex::new((None, None));

/// Watches over the process from now on.
pub(crate) fn watch_process(limits: Limits) {
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(LimitWatch::new(limits));
}

/// The limit that the process has reached, if it is watched and has.
pub(crate) fn process_limit() -> Option<Limit> {
    let (watch, reached) = &mut *PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    *reached = reached.or_else(|| watch.as_mut().and_then(LimitWatch::reached));
    *reached
}
