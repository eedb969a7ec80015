//! Limits of what is no search: reading, evaluating.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use omnilink_engine::{Exhausted, Limits, Watch};
use omnilink_trace::{Trace, TraceError};

use crate::error::CliError;
use crate::{interrupt, quantity};

/// When to give up, as arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct Patience {
    /// Give up after this long: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<Duration>,
    /// Give up when the process holds this much: 512MB, 2GB
    #[arg(long, value_name = "BYTES", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
}

impl Patience {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            time: self.time_limit,
            memory_bytes: self.memory_limit,
            configurations: None,
            interrupt: Some(interrupt::flag()),
        }
    }
}

/// How a limit came to end something, in words.
pub(crate) fn words(limit: Exhausted) -> String {
    match limit {
        Exhausted::Interrupt => "it was interrupted".to_owned(),
        limit => format!("the {} limit was reached", limit.word()),
    }
}

/// Who watches over the process, and what was seen first.
static PROCESS: Mutex<(Option<Watch>, Option<Exhausted>)> = Mutex::new((None, None));

/// Watches over the process from now on.
pub(crate) fn watch_process(limits: Limits) {
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(Watch::new(limits));
}

/// The limit that the process has reached, if it is watched and has.
pub(crate) fn process_limit() -> Option<Exhausted> {
    let (watch, reached) = &mut *PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    *reached = reached.or_else(|| watch.as_mut().and_then(Watch::reached));
    *reached
}

/// After how many operations limits are looked at.
const INTERVAL: u64 = 256;

/// A trace that was opened. Opening that fails because someone pressed Ctrl-C has reached a limit.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn opened(trace: Result<Trace, CliError>) -> Result<Trace, CliError> {
    match interrupt::is_raised() && trace.is_err() {
        true => Err(CliError::Limit {
            limit: Exhausted::Interrupt,
            operations: 0,
        }),
        false => trace,
    }
}

/// Counts an operation that was read, and looks at the limits now and then.
///
/// # Errors
/// If it could not be read, or a limit is reached. Reading that fails because someone pressed Ctrl-C has reached a limit.
pub(crate) fn after_reading<T>(
    read: Result<T, TraceError>,
    operations: &mut u64,
    watch: &mut Watch,
) -> Result<T, CliError> {
    let reached = |limit, operations| CliError::Limit { limit, operations };
    let read = match read {
        Err(_) if interrupt::is_raised() => return Err(reached(Exhausted::Interrupt, *operations)),
        read => read?,
    };
    *operations += 1;
    let is_asked = *operations == 1 || operations.is_multiple_of(INTERVAL);
    match is_asked.then(|| watch.reached()).flatten() {
        Some(limit) => Err(reached(limit, *operations)),
        None => Ok(read),
    }
}
