//! Histories of call and return events as streams of operations.

use std::sync::Arc;

use crate::stream::OperationStream;
use crate::{Operation, TraceError};

/// The events of a history.
pub(crate) trait Events: Send {
    /// Reads events up to the next one that completes an operation, and returns that; `None` at the end.
    fn next_completed(&mut self) -> Result<Option<Operation>, TraceError>;

    /// The calls that never returned, in the order of the input. Called once, at the end.
    fn take_open(&mut self) -> Vec<Operation>;
}

/// The operations of a history in the order of their returns, then those that never returned.
pub(crate) struct EventHistory<E> {
    events: E,
    /// The operations that never returned; `None` before the end of the events.
    pending: Option<std::vec::IntoIter<Operation>>,
}

impl<E: Events> EventHistory<E> {
    pub(crate) fn new(events: E) -> Self {
        Self {
            events,
            pending: None,
        }
    }
}

impl<E: Events> OperationStream for EventHistory<E> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if self.pending.is_none()
            && let Some(operation) = self.events.next_completed()?
        {
            return Ok(Some(Arc::new(operation)));
        }
        let events = &mut self.events;
        let pending = self.pending.get_or_insert_with(|| events.take_open().into_iter());
        Ok(pending.next().map(Arc::new))
    }
}
