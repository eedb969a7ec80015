//! One observed operation, as the engine takes it.

use omnilink_trace::Timebox;

/// An operation with its timebox, its meaning already decoded for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation<O> {
    /// Name, arguments and result, as the model knows them.
    pub op: O,
    /// Who called it. A thread calls one operation after the other: where one starts at the very time at which another of
    /// its thread ended, that one comes first; of two that take no time at all, the one given first. Operations of one thread
    /// that truly overlap are not ordered by real time. See [`Options::async_threads`](crate::Options::async_threads).
    pub thread: u32,
    /// When it ran. A pending operation may have taken effect at any time after its start, or not at all.
    pub timebox: Timebox,
    /// Whether it may not have happened at all, although it has an end. Pending operations are optional anyway.
    pub optional: bool,
}

impl<O> Operation<O> {
    /// An operation that surely happened if it returned, and may have happened if it is pending.
    pub fn new(thread: u32, op: O, timebox: Timebox) -> Self {
        Self {
            op,
            thread,
            timebox,
            optional: false,
        }
    }

    /// The operation as reports show it: at this position of the history, with this text.
    pub fn shown(&self, id: u64, text: String) -> omnilink_evidence::Operation {
        omnilink_evidence::Operation::timed(id, self.thread, text, self.timebox.start, self.timebox.end)
    }
}
