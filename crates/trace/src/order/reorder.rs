//! Nearly sorted input through a window.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::records::Records;
use crate::{Operation, Problem, Time, TraceError};

/// Sorts operations that come at most `window` places late; refuses any that comes later still.
pub(super) struct Reorder {
    records: Box<dyn Records>,
    /// In order of start; never more than `window + 1`.
    held: VecDeque<Arc<Operation>>,
    window: usize,
    has_ended: bool,
    /// The start that was passed on last.
    passed: Time,
}

impl Reorder {
    pub(super) fn new(records: Box<dyn Records>, window: usize) -> Self {
        Self {
            records,
            held: VecDeque::new(),
            window,
            has_ended: false,
            passed: Time::MIN,
        }
    }

    fn hold(&mut self, operation: Arc<Operation>) -> Result<(), TraceError> {
        let start = operation.timebox.start;
        if start < self.passed {
            return Err(late(&operation));
        }
        if self.held.back().is_none_or(|back| back.timebox.start <= start) {
            self.held.push_back(operation);
        } else {
            let at = self.held.partition_point(|held| held.timebox.start <= start);
            self.held.insert(at, operation);
        }
        Ok(())
    }
}

impl Records for Reorder {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if self.window == 0 {
            let Some(operation) = self.records.next()? else {
                return Ok(None);
            };
            if operation.timebox.start < self.passed {
                return Err(late(&operation));
            }
            self.passed = operation.timebox.start;
            return Ok(Some(operation));
        }
        while !self.has_ended && self.held.len() <= self.window {
            match self.records.next()? {
                Some(operation) => self.hold(operation)?,
                None => self.has_ended = true,
            }
        }
        let operation = self.held.pop_front();
        self.passed = operation
            .as_ref()
            .map_or(self.passed, |operation| operation.timebox.start);
        Ok(operation)
    }
}

#[cold]
fn late(operation: &Operation) -> TraceError {
    let start = operation.timebox.start;
    TraceError::new(
        operation.place.clone(),
        Problem::Late {
            op: operation.name.clone(),
            start,
        },
    )
}
