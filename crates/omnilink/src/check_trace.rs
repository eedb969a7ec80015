//! From a recorded trace to a verdict, in one call.

use omnilink_engine::{CheckError, CheckOutcome, Options, check};
use omnilink_models::{Decode, DecodeError};
use omnilink_trace::{Trace, TraceError};
use omnilink_value::Value;
use thiserror::Error;

/// Why a trace could not be checked.
#[derive(Debug, Error)]
pub enum CheckTraceError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// An operation is none of the model's.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The check itself failed.
    #[error(transparent)]
    Check(#[from] CheckError),
}

/// Checks a trace against a shipped model. The trace is held in memory, as tests' traces can be; the command line and
/// [`Checker`](crate::Checker) stream.
///
/// # Errors
/// If the trace or one of its operations cannot be read, or the check fails.
pub fn check_trace<M: Decode>(
    model: &M,
    trace: Trace,
    options: Options,
) -> Result<CheckOutcome, CheckTraceError> {
    let mut threads: Vec<Value> = Vec::new();
    let mut history = Vec::new();
    for operation in trace {
        let operation = operation?;
        let thread = threads
            .iter()
            .position(|thread| *thread == operation.thread)
            .unwrap_or_else(|| {
                threads.push(operation.thread.clone());
                threads.len() - 1
            });
        history.extend(model.decode(&operation)?.timed(thread as u32, operation.timebox));
    }
    Ok(check(model, history, options)?)
}
