//! The end of an input, which no reader can reach by mistake.
//!
//! A reader that stops early in silence makes a false *valid* of a violation. So a reader does not say "no more": it hands over an [`End`], and
//! only inputs make one. [`TextInput::end`](super::TextInput::end) and [`BinaryInput::end`](super::BinaryInput::end) look behind
//! themselves and fail if anything follows; their `cut` notes where the readable part ends, and why.

use std::sync::Arc;

use crate::stream::OperationStream;
use crate::{Operation, Time, TraceError};

/// An input was read to its end, or a note says where it was not, and why.
#[derive(Debug)]
#[must_use = "a reader ends by handing this over"]
pub(crate) struct End(());

impl End {
    /// Only for inputs: [`super::TextInput`] and [`super::BinaryInput`].
    pub(super) fn new() -> Self {
        Self(())
    }
}

/// What a reader finds next.
#[derive(Debug)]
pub(crate) enum Next<T> {
    One(T),
    End(End),
}

impl<T> Next<T> {
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Next<U> {
        match self {
            Self::One(one) => Next::One(change(one)),
            Self::End(end) => Next::End(end),
        }
    }

    /// What is there, for those who only look ahead.
    pub(crate) fn one(self) -> Option<T> {
        match self {
            Self::One(one) => Some(one),
            Self::End(_) => None,
        }
    }
}

/// A reader of a format: the operations of an input in the order in which the input completes them.
pub(crate) trait Reader: Send {
    /// The next operation. Not called again after an error or the end.
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError>;

    /// The start of the next operation, without the rest: a faster way to find out whether an input is sorted.
    fn next_start(&mut self) -> Result<Next<Time>, TraceError> {
        Ok(self.next()?.map(|operation| operation.timebox.start))
    }
}

/// The operations of a reader as a stream.
pub(crate) struct Reading<R>(pub(crate) R);

impl<R: Reader> OperationStream for Reading<R> {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        self.0.next().map(Next::one)
    }

    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        self.0.next_start().map(Next::one)
    }
}
