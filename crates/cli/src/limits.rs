//! Limits of commands that do not search: reading and evaluating.

use std::time::Duration;

use clap::Args;
use omnilink_engine::{Limit, Limits};
use omnilink_memory::guard;

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

/// The limit that the work of this thread has reached by now, if it has.
pub(crate) fn process_limit() -> Option<Limit> {
    guard::over_now().map(Limit::from)
}
