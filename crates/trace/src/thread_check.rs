//! The check that each thread has at most one open call.

use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::note::Notes;
use crate::{Note, Operation, Problem, TraceError};

/// The last call of each thread. A call that begins before it ended is an error.
///
/// A call may begin at the time at which the thread's last call ended: within a thread, the order of the calls is certain,
/// and a coarse clock often reads the same twice.
#[derive(Debug, Default)]
pub(crate) struct ThreadCheck {
    last: FxHashMap<Value, Arc<Operation>>,
    notes: Notes,
    /// Whether several files were named, and no thread was found in two of them yet.
    looks_for_shared: bool,
}

impl ThreadCheck {
    /// `is_merged` is whether several files were named: then it is noted once if two of them have threads of one name.
    pub(crate) fn new(notes: Notes, is_merged: bool) -> Self {
        Self {
            last: FxHashMap::default(),
            notes,
            looks_for_shared: is_merged,
        }
    }

    /// Adds a thread that was not seen before.
    #[cold]
    fn add(&mut self, operation: &Arc<Operation>) {
        let thread = &operation.thread;
        let other = match (thread.as_int(), thread.as_str()) {
            (Some(number), _) => Some(Value::str(&number.to_string())),
            (None, Some(text)) => text.parse().ok().map(Value::int),
            (None, None) => None,
        };
        if let Some(other) = other.filter(|other| self.last.contains_key(other)) {
            self.notes.push(Note::NumberAndText {
                location: operation.location.clone(),
                thread: thread.clone(),
                other,
            });
        }
        self.last.insert(thread.clone(), Arc::clone(operation));
    }

    /// Checks the next operation in order of start.
    #[inline]
    pub(crate) fn check(&mut self, operation: &Arc<Operation>) -> Result<(), TraceError> {
        let Some(last) = self.last.get_mut(&operation.thread) else {
            self.add(operation);
            return Ok(());
        };
        if self.looks_for_shared && last.location.file() != operation.location.file() {
            self.looks_for_shared = false;
            self.notes.push(Note::SharedThread {
                location: operation.location.clone(),
                thread: operation.thread.clone(),
                other: last.location.clone(),
            });
        }
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
