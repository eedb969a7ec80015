//! Threads have at most one open call each.

use rustc_hash::FxHashMap;

use omnilink_value::Value;

use crate::{Name, Operation, Place, Problem, Time, TraceError};

/// Remembers each thread's last call and refuses a call that begins before that one ended.
///
/// A call may begin at the very reading of the clock at which the thread's last call ended: within a thread, the order
/// of the calls is certain, and a coarse clock often reads the same twice.
#[derive(Debug, Default)]
pub(crate) struct ThreadCheck {
    last: FxHashMap<Value, Call>,
}

#[derive(Debug)]
struct Call {
    name: Name,
    /// `None`: it never returned.
    end: Option<Time>,
    place: Place,
}

impl ThreadCheck {
    /// Checks the next operation in order of start.
    #[inline]
    pub(crate) fn check(&mut self, operation: &Operation) -> Result<(), TraceError> {
        let call = || Call {
            name: operation.name.clone(),
            end: operation.timebox.end,
            place: operation.place.clone(),
        };
        let Some(last) = self.last.get_mut(&operation.thread) else {
            self.last.insert(operation.thread.clone(), call());
            return Ok(());
        };
        match last.end {
            Some(end) if end <= operation.timebox.start => {
                *last = call();
                Ok(())
            }
            _ => Err(overlap(operation, last)),
        }
    }
}

#[cold]
fn overlap(operation: &Operation, earlier: &Call) -> TraceError {
    TraceError::new(
        operation.place.clone(),
        Problem::Overlap {
            thread: operation.thread.clone(),
            op: operation.name.clone(),
            start: operation.timebox.start,
            earlier: earlier.name.clone(),
            earlier_end: earlier.end,
            earlier_place: earlier.place.clone(),
        },
    )
}
