//! Limits while a trace is read, before any search begins.

use omnilink_engine::{Interrupt, Limit, LimitWatch, Limits, Unknown};
use omnilink_evidence::{Evidence, Verdict};
use omnilink_memory::guard::{self, Over, Work};
use omnilink_trace::{Problem, Trace, TraceError};

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

/// The limit that ended the reading of a trace, if one did.
fn limit_of(error: &TraceError) -> Option<Limit> {
    match error.problem() {
        Problem::Cancelled => Some(guard::over_now().map_or(Limit::Interrupt, Limit::from)),
        // A read that waits fails when it is interrupted.
        Problem::Io(_) if guard::over_now() == Some(Over::Interrupt) => Some(Limit::Interrupt),
        _ => None,
    }
}

/// A trace that was opened. Opening that fails because of a limit has reached it.
///
/// # Errors
/// If the trace cannot be read.
pub fn opened(trace: Result<Trace, VerifyError>) -> Result<Trace, VerifyError> {
    trace.map_err(|error| match error {
        VerifyError::Trace { error } => match limit_of(&error) {
            Some(limit) => VerifyError::Limit { limit, operations: 0 },
            None => error.into(),
        },
        error => error,
    })
}

/// An error of work that is over says nothing about the input: a limit may be behind it.
pub(crate) fn limit_instead_of_error(evidence: &mut Evidence, work: &Work) {
    if let (Verdict::Error, Some(over)) = (evidence.verdict, work.over()) {
        evidence.error = None;
        evidence.give_up(Unknown::limited(over.into()));
    }
}

/// Counts an operation that was read, and checks the limits once per 256 operations.
///
/// # Errors
/// If the operation could not be read, or a limit is reached. Reading that fails because of an interrupt or a limit has reached it.
pub fn after_reading<T>(
    read: Result<T, TraceError>,
    operations: &mut u64,
    watch: &mut LimitWatch,
) -> Result<T, VerifyError> {
    let reached = |limit, operations| VerifyError::Limit { limit, operations };
    let read = match read {
        Err(error) => {
            let interrupt = || watch.reached().filter(|limit| *limit == Limit::Interrupt);
            return Err(match limit_of(&error).or_else(interrupt) {
                Some(limit) => reached(limit, *operations),
                None => error.into(),
            });
        }
        Ok(read) => read,
    };
    *operations += 1;
    let is_due = *operations == 1 || operations.is_multiple_of(CHECK_INTERVAL);
    match is_due.then(|| watch.reached()).flatten() {
        Some(limit) => Err(reached(limit, *operations)),
        None => Ok(read),
    }
}
