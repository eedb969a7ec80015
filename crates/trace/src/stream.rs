//! What every reader of a format provides.

use std::sync::Arc;

use crate::{Operation, Time, TraceError};

/// The operations of one input, in the order in which the input completes them; not necessarily in order of start.
///
/// They are handed on from one to the next, sorted, checked and kept, and that is cheaper behind a pointer. Who changes one
/// does so in place: as long as nobody keeps it, it is not copied.
pub(crate) trait Records: Send {
    /// The next operation; `None` at the end. Not called again after an error or the end.
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError>;

    /// Only the start of the next operation: for looking ahead whether an input is sorted, where a format can do that
    /// faster.
    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        Ok(self.next()?.map(|operation| operation.timebox.start))
    }
}
