//! The stream of operations that every reader provides.

use std::sync::Arc;

use crate::{Operation, Time, TraceError};

/// The operations of an input, in the order in which the input completes them; not necessarily in order of start.
///
/// Operations pass through sorting, checking and caching, which is cheaper behind a pointer. `Arc::make_mut` changes an
/// operation in place as long as no cache holds it.
pub(crate) trait OperationStream: Send {
    /// The next operation; `None` at the end. Not called again after an error or the end.
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError>;

    /// The start of the next operation, without the rest: a faster way to find out whether an input is sorted.
    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        Ok(self.next()?.map(|operation| operation.timebox.start))
    }
}

impl OperationStream for Box<dyn OperationStream> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        (**self).next()
    }

    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        (**self).next_start()
    }
}

/// Operations in memory.
pub(crate) struct InMemory<I>(pub(crate) I);

impl<I: Iterator<Item = Arc<Operation>> + Send> OperationStream for InMemory<I> {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        Ok(self.0.next())
    }
}
