//! Limits while a trace is read, before any search begins.

use omnilink_engine::{Interrupt, Limit, LimitWatch, Limits};
use omnilink_trace::{Trace, TraceError};

use crate::error::VerifyError;

/// Limits are checked once per this many operations: looking at the clock costs more than reading an operation.
pub(crate) const CHECK_INTERVAL: u64 = 256;

/// Why a limit ended something, as the second half of a sentence.
pub fn limit_text(limit: Limit) -> String {
    match limit {
        Limit::Interrupt => "it was interrupted".to_owned(),
        limit => format!("the {} limit was reached", limit.word()),
    }
}

pub(crate) fn is_interrupted(limits: &Limits) -> bool {
    limits.interrupt.is_some_and(Interrupt::is_raised)
}

/// A trace that was opened. Opening that fails because of an interrupt has reached a limit.
///
/// # Errors
/// If the trace cannot be read.
pub fn opened(trace: Result<Trace, VerifyError>, interrupt: Option<Interrupt>) -> Result<Trace, VerifyError> {
    match trace {
        Err(_) if interrupt.is_some_and(Interrupt::is_raised) => Err(VerifyError::Limit {
            limit: Limit::Interrupt,
            operations: 0,
        }),
        trace => trace,
    }
}

/// Counts an operation that was read, and checks the limits once per 256 operations.
///
/// # Errors
/// If the operation could not be read, or a limit is reached. Reading that fails because of an interrupt has reached a
/// limit.
pub fn after_reading<T>(
    read: Result<T, TraceError>,
    operations: &mut u64,
    watch: &mut LimitWatch,
) -> Result<T, VerifyError> {
    let reached = |limit, operations| VerifyError::Limit { limit, operations };
    let read = match read {
        Err(_) if watch.reached() == Some(Limit::Interrupt) => {
            return Err(reached(Limit::Interrupt, *operations));
        }
        read => read?,
    };
    *operations += 1;
    let is_due = *operations == 1 || operations.is_multiple_of(CHECK_INTERVAL);
    match is_due.then(|| watch.reached()).flatten() {
        Some(limit) => Err(reached(limit, *operations)),
        None => Ok(read),
    }
}
