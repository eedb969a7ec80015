//! The check that each thread has at most one open call.

use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::{Operation, Problem, TraceError};

/// The last call of each thread. A call that begins before it ended is an error.
///
/// A call may begin at the time at which the thread's last call ended: within a thread, the order of the calls is certain,
/// and a coarse clock often reads the same twice.
#[derive(Debug, Default)]
pub(crate) struct ThreadCheck {
    last: FxHashMap<Value, Arc<Operation>>,
}

impl ThreadCheck {
    /// Checks the next operation in order of start.
    #[inline]
    pub(crate) fn check(&mut self, operation: &Arc<Operation>) -> Result<(), TraceError> {
        let Some(last) = self.last.get_mut(&operation.thread) else {
            self.last.insert(operation.thread.clone(), Arc::clone(operation));
            return Ok(());
        };
        match last.timebox.end {
            Some(end) if end <= operation.timebox.start => {
                *last = Arc::clone(operation);
                Ok(())
            }
            _ => Err(overlap(operation, last)),
        }
    }
}

#[cold]
fn overlap(operation: &Operation, earlier: &Operation) -> TraceError {
    TraceError::new(
        operation.location.clone(),
        Problem::Overlap {
            thread: operation.thread.clone(),
            op: operation.name.clone(),
            start: operation.timebox.start,
            earlier: earlier.name.clone(),
            earlier_end: earlier.timebox.end,
            earlier_location: earlier.location.clone(),
        },
    )
}
