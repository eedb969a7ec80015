//! A history that can be read again: a check may need more than one reading of it.

use crate::error::CheckError;
use crate::operation::TimedOp;

/// A history of a model's operations. Every reading gives the same operations in the same order, which is that of their starts.
pub trait HistorySource<O> {
    /// Why a reading ends early.
    type Error: From<CheckError>;
    /// One reading.
    type Reading<'s>: HistoryReading<O, Error = Self::Error>
    where
        Self: 's;

    /// Starts at the beginning.
    ///
    /// # Errors
    /// If the history cannot be read.
    fn open(&self) -> Result<Self::Reading<'_>, Self::Error>;

    /// The same, for a search. A source that reports progress counts what such a reading gives.
    ///
    /// # Errors
    /// If the history cannot be read.
    fn open_for_search(&self) -> Result<Self::Reading<'_>, Self::Error> {
        self.open()
    }

    /// The operations, if all of them are in memory.
    fn in_memory(&self) -> Option<&[TimedOp<O>]> {
        None
    }

    /// Whether the history is so short that an order of all its operations may be kept.
    fn is_short(&self) -> bool;
}

/// One reading of a history.
pub trait HistoryReading<O> {
    /// Why it ends early.
    type Error;

    /// The next operation.
    ///
    /// # Errors
    /// If it cannot be read.
    fn next(&mut self) -> Result<Option<TimedOp<O>>, Self::Error>;

    /// Ends a reading on which an answer may rest. `limited` says whether a limit ended it before the end of the history.
    ///
    /// # Errors
    /// If what was read is no history.
    fn close(self, limited: bool) -> Result<(), Self::Error>;
}

/// A history in memory, in order of start.
#[derive(Debug)]
pub(crate) struct HistoryInMemory<'h, O>(pub &'h [TimedOp<O>]);

impl<O: Clone> HistorySource<O> for HistoryInMemory<'_, O> {
    type Error = CheckError;
    type Reading<'s>
        = std::slice::Iter<'s, TimedOp<O>>
    where
        Self: 's;

    fn open(&self) -> Result<Self::Reading<'_>, CheckError> {
        Ok(self.0.iter())
    }

    fn in_memory(&self) -> Option<&[TimedOp<O>]> {
        Some(self.0)
    }

    fn is_short(&self) -> bool {
        true
    }
}

impl<O: Clone> HistoryReading<O> for std::slice::Iter<'_, TimedOp<O>> {
    type Error = CheckError;

    fn next(&mut self) -> Result<Option<TimedOp<O>>, CheckError> {
        Ok(Iterator::next(self).cloned())
    }

    fn close(self, _limited: bool) -> Result<(), CheckError> {
        Ok(())
    }
}
