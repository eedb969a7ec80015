//! The part of a history around an answer.

use serde::Serialize;

use crate::operation::ReportedOperation;

/// The operations before and around the one that cannot be explained, so that evidence can be looked at without its trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HistoryWindow {
    /// The operations, in order of start.
    #[serde(rename = "ops")]
    pub operations: Vec<ReportedOperation>,
    /// How many operations of the history came before the first of them.
    pub left_out_before: u64,
}

impl HistoryWindow {
    /// How many operations before the unexplained one are kept.
    pub const BEFORE_MAX: usize = 512;
    /// How many operations that start after its return are kept.
    pub const AFTER_MAX: usize = 32;
}
