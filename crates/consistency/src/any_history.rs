//! A history of any length.

use crate::history::{History, HistoryOp};
use crate::history_error::HistoryError;
use crate::long_history::LongHistory;
use crate::op_set::OpSet;
use crate::recorded_history::{DecodedOps, RecordedHistory};

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

impl RecordedHistory {
    /// Decoded operations with their order.
    pub(crate) fn in_any_order<O>(&self, decoded: DecodedOps<O>) -> Result<AnyHistory<O>, HistoryError> {
        if decoded.ops.len() > OpSet::CAPACITY {
            self.in_long_order(decoded).map(AnyHistory::Long)
        } else {
            self.in_order(decoded).map(AnyHistory::Searched)
        }
    }
}
