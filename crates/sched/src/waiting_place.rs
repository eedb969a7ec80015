//! Places at which threads may wait.

use omnilink_sched_runtime::layout::WaitingPlaceRecord;

use crate::whole_program::{ThreadPlace, thread_place};

/// A place at which a thread of a program has called something of the C library or of the system that may wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingPlace {
    /// Where the call returns to.
    pub place: ThreadPlace,
    /// Where a function of Rust's standard library was called last: if the place is in that library, its caller.
    pub library_call: u64,
    /// Whether a thread has waited there.
    pub has_waited: bool,
}

impl WaitingPlace {
    pub(crate) fn of(record: &WaitingPlaceRecord) -> Self {
        Self {
            place: thread_place(&record.place),
            library_call: record.library_call,
            has_waited: record.has_waited != 0,
        }
    }
}
