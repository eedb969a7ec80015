//! A history that can be read again: a check may need more than one reading of it.

use std::cell::RefCell;

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

/// Why a check of an [`ErasedSource`] ends early.
#[derive(Debug)]
pub(crate) enum EarlyEnd {
    Check(CheckError),
    /// A reading failed: [`Readings`] keeps the error.
    Reading,
}

impl From<CheckError> for EarlyEnd {
    fn from(error: CheckError) -> Self {
        Self::Check(error)
    }
}

/// A source of any type, so that a check is compiled once for each model and not once more for each kind of source.
pub(crate) struct ErasedSource<'a, O>(&'a dyn AnySource<O>);

/// What is known of a source behind its type.
trait AnySource<O> {
    fn open<'s>(&'s self, for_search: bool) -> Result<Box<dyn AnyReading<O> + 's>, EarlyEnd>
    where
        O: 's;
    fn in_memory(&self) -> Option<&[TimedOp<O>]>;
    fn is_short(&self) -> bool;
}

trait AnyReading<O> {
    fn next(&mut self) -> Result<Option<TimedOp<O>>, EarlyEnd>;
    fn close(self: Box<Self>, limited: bool) -> Result<(), EarlyEnd>;
}

/// The readings of a source of one type: what hides it keeps the last error.
pub(crate) struct Readings<'a, S, E> {
    source: &'a S,
    error: RefCell<Option<E>>,
}

impl<'a, S, E: From<CheckError>> Readings<'a, S, E> {
    pub fn of(source: &'a S) -> Self {
        Self {
            source,
            error: RefCell::new(None),
        }
    }

    /// The source without its type.
    pub fn erased<O>(&self) -> ErasedSource<'_, O>
    where
        S: HistorySource<O, Error = E>,
    {
        ErasedSource(self)
    }

    /// The error in the source's own type.
    pub fn error(self, end: EarlyEnd) -> E {
        match end {
            EarlyEnd::Check(error) => error.into(),
            EarlyEnd::Reading => self.error.take().expect("a reading that fails leaves its error"),
        }
    }

    fn keep<T>(&self, result: Result<T, E>) -> Result<T, EarlyEnd> {
        result.map_err(|error| {
            self.error.replace(Some(error));
            EarlyEnd::Reading
        })
    }
}

impl<O, E: From<CheckError>, S: HistorySource<O, Error = E>> AnySource<O> for Readings<'_, S, E> {
    fn open<'s>(&'s self, for_search: bool) -> Result<Box<dyn AnyReading<O> + 's>, EarlyEnd>
    where
        O: 's,
    {
        let reading = self.keep(if for_search {
            self.source.open_for_search()
        } else {
            self.source.open()
        })?;
        Ok(Box::new(KeptReading {
            reading,
            source: self,
        }))
    }

    fn in_memory(&self) -> Option<&[TimedOp<O>]> {
        self.source.in_memory()
    }

    fn is_short(&self) -> bool {
        self.source.is_short()
    }
}

struct KeptReading<'s, R, S, E> {
    reading: R,
    source: &'s Readings<'s, S, E>,
}

impl<O, E: From<CheckError>, R: HistoryReading<O, Error = E>, S> AnyReading<O> for KeptReading<'_, R, S, E> {
    fn next(&mut self) -> Result<Option<TimedOp<O>>, EarlyEnd> {
        let operation = self.reading.next();
        self.source.keep(operation)
    }

    fn close(self: Box<Self>, limited: bool) -> Result<(), EarlyEnd> {
        self.source.keep(self.reading.close(limited))
    }
}

impl<O> HistorySource<O> for ErasedSource<'_, O> {
    type Error = EarlyEnd;
    type Reading<'s>
        = ErasedReading<'s, O>
    where
        Self: 's;

    fn open(&self) -> Result<Self::Reading<'_>, EarlyEnd> {
        self.0.open(false).map(ErasedReading)
    }

    fn open_for_search(&self) -> Result<Self::Reading<'_>, EarlyEnd> {
        self.0.open(true).map(ErasedReading)
    }

    fn in_memory(&self) -> Option<&[TimedOp<O>]> {
        self.0.in_memory()
    }

    fn is_short(&self) -> bool {
        self.0.is_short()
    }
}

/// A reading of an [`ErasedSource`].
pub(crate) struct ErasedReading<'s, O>(Box<dyn AnyReading<O> + 's>);

impl<O> HistoryReading<O> for ErasedReading<'_, O> {
    type Error = EarlyEnd;

    fn next(&mut self) -> Result<Option<TimedOp<O>>, EarlyEnd> {
        self.0.next()
    }

    fn close(self, limited: bool) -> Result<(), EarlyEnd> {
        self.0.close(limited)
    }
}
