//! What every reader of a format provides.

use crate::{Operation, Time, TraceError};

/// The operations of one input, in the order in which the input completes them; not necessarily in order of start.
pub(crate) trait Records: Send {
    /// The next operation; `None` at the end. Not called again after an error or the end.
    fn next(&mut self) -> Result<Option<Operation>, TraceError>;

    /// Only the start of the next operation: for looking ahead whether an input is sorted, where a format can do that
    /// faster.
    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        Ok(self.next()?.map(|operation| operation.timebox.start))
    }
}
