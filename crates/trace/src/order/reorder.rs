//! Sorting of a nearly sorted input in a window.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::stream::OperationStream;
use crate::{Operation, Problem, Time, TraceError};

/// Sorts operations that are at most `window` positions late. An operation that is later is an error.
pub(super) struct ReorderWindow {
    operations: Box<dyn OperationStream>,
    /// In order of start; never more than `window + 1`.
    buffer: VecDeque<Arc<Operation>>,
    window: usize,
    has_ended: bool,
    /// The start of the last operation returned.
    last_start: Time,
}

impl ReorderWindow {
    pub(super) fn new(operations: Box<dyn OperationStream>, window: usize) -> Self {
        Self {
            operations,
            buffer: VecDeque::new(),
            window,
            has_ended: false,
            last_start: Time::MIN,
        }
    }

    fn insert(&mut self, operation: Arc<Operation>) -> Result<(), TraceError> {
        let start = operation.timebox.start;
        if start < self.last_start {
            return Err(late(&operation));
        }
        if self.buffer.back().is_none_or(|back| back.timebox.start <= start) {
            self.buffer.push_back(operation);
        } else {
            let at = self
                .buffer
                .partition_point(|earlier| earlier.timebox.start <= start);
            self.buffer.insert(at, operation);
        }
        Ok(())
    }
}

impl OperationStream for ReorderWindow {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if self.window == 0 {
            let Some(operation) = self.operations.next()? else {
                return Ok(None);
            };
            if operation.timebox.start < self.last_start {
                return Err(late(&operation));
            }
            self.last_start = operation.timebox.start;
            return Ok(Some(operation));
        }
        while !self.has_ended && self.buffer.len() <= self.window {
            match self.operations.next()? {
                Some(operation) => self.insert(operation)?,
                None => self.has_ended = true,
            }
        }
        let operation = self.buffer.pop_front();
        self.last_start = operation
            .as_ref()
            .map_or(self.last_start, |operation| operation.timebox.start);
        Ok(operation)
    }
}

#[cold]
fn late(operation: &Operation) -> TraceError {
    let start = operation.timebox.start;
    TraceError::new(
        operation.location.clone(),
        Problem::Late {
            op: operation.name.clone(),
            start,
        },
    )
}
