//! Histories of call and return events as streams of operations.

use std::sync::Arc;

use crate::input::{End, Next, Reader};
use crate::{Operation, TraceError};

/// The events of a history.
pub(crate) trait Events: Send {
    /// Reads events up to the next one that completes an operation, and returns that.
    fn next_completed(&mut self) -> Result<Next<Operation>, TraceError>;

    /// The calls that never returned, in the order of the input. Called once, at the end.
    fn take_open(&mut self) -> Vec<Operation>;
}

/// The operations of a history in the order of their returns, then those that never returned.
pub(crate) struct EventHistory<E> {
    events: E,
    /// The operations that never returned, and the end of the events, once it was reached.
    pending: std::vec::IntoIter<Operation>,
    end: Option<End>,
}

impl<E: Events> EventHistory<E> {
    pub(crate) fn new(events: E) -> Self {
        Self {
            events,
            pending: Vec::new().into_iter(),
            end: None,
        }
    }
}

impl<E: Events> Reader for EventHistory<E> {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        let end = match self.end.take() {
            Some(end) => end,
            None => match self.events.next_completed()? {
                Next::One(operation) => return Ok(Next::One(Arc::new(operation))),
                Next::End(end) => {
                    self.pending = self.events.take_open().into_iter();
                    end
                }
            },
        };
        Ok(match self.pending.next() {
            Some(operation) => {
                self.end = Some(end);
                Next::One(Arc::new(operation))
            }
            None => Next::End(end),
        })
    }
}
