//! A history of any length.

use omnilink_history::{HistoryError, OpSet, RecordedHistory};

use crate::decode::DecodedOps;
use crate::happens_before::{in_long_order, in_order};
use crate::history::{History, HistoryOp};
use crate::long_history::LongHistory;

/// A history, by the way in which it can be checked.
#[derive(Clone, Debug)]
pub enum AnyHistory<O> {
    /// At most [`OpSet::CAPACITY`] operations: visibilities can be searched.
    Searched(History<O>),
    /// More operations.
    Long(LongHistory<O>),
}

impl<O> AnyHistory<O> {
    /// The operations.
    pub fn ops(&self) -> &[HistoryOp<O>] {
        match self {
            Self::Searched(history) => history.ops(),
            Self::Long(history) => history.ops(),
        }
    }
}

/// Decoded operations of a recorded history with their order.
pub(crate) fn in_any_order<O>(
    recorded: &RecordedHistory,
    decoded: DecodedOps<O>,
) -> Result<AnyHistory<O>, HistoryError> {
    if decoded.ops.len() > OpSet::CAPACITY {
        in_long_order(recorded, decoded).map(AnyHistory::Long)
    } else {
        in_order(recorded, decoded).map(AnyHistory::Searched)
    }
}
