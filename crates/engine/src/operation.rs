//! An observed operation as the engine checks it.

use omnilink_trace::Timebox;

/// An operation with its timebox, decoded for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedOp<O> {
    /// Name, arguments and result in the model's type.
    pub op: O,
    /// The thread that called it. A thread calls one operation after the other: if one starts at the time at which another
    /// of its thread ends, the other comes first; of two that take no time at all, the one given first comes first.
    /// Operations of one thread that overlap by more than an instant are not ordered. See
    /// [`Options::async_threads`](crate::Options::async_threads).
    pub thread: u32,
    /// When it ran. A pending operation may have taken effect at any time after its start, or not at all.
    pub timebox: Timebox,
    /// Whether it may not have happened although it has an end. Pending operations are always optional.
    pub optional: bool,
}

impl<O> TimedOp<O> {
    /// An operation that happened if it returned, and that may have happened if it is pending.
    pub fn new(thread: u32, op: O, timebox: Timebox) -> Self {
        Self {
            op,
            thread,
            timebox,
            optional: false,
        }
    }

    /// The operation as reports show it: at this position of the history, with this text.
    pub fn shown(&self, id: u64, text: String) -> omnilink_evidence::ReportedOperation {
        omnilink_evidence::ReportedOperation::timed(
            id,
            self.thread,
            text,
            self.timebox.start,
            self.timebox.end,
        )
    }
}
