//! The input as the engine reads it: as often as it needs, with progress counted and events observed.

use std::cell::{Cell, RefCell};

use omnilink_engine::{HistoryReading, HistorySource, TimedOp};
use omnilink_evidence::ThreadNames;

use super::CheckEvent;
use crate::error::VerifyError;
use crate::history::{DecodeOp, History};
use crate::input::Input;
use crate::progress::ProgressCounter;

/// The explanation of a larger input is not part of its evidence, so that memory does not grow with the input.
const WITNESS_BYTES_MAX: u64 = 4 << 20;

/// The input of a check.
pub(super) struct Source<'a, O> {
    pub decode: &'a DecodeOp<'a, O>,
    pub input: &'a Input,
    pub progress: &'a ProgressCounter,
    pub observe: &'a dyn Fn(CheckEvent<'_, O>),
    /// Operations given to the search.
    pub taken: Cell<u64>,
    /// What the reading on which the answer rests found out.
    pub read: RefCell<InputFacts>,
}

/// What a reading finds out about an input besides its operations.
#[derive(Clone, Debug, Default)]
pub(super) struct InputFacts {
    /// What a person should know about it.
    pub notes: Vec<String>,
    /// The names of the threads seen.
    pub threads: ThreadNames,
    /// Operations that the system itself reported as failed.
    pub aborted: u64,
}

impl<'a, O: Clone> Source<'a, O> {
    /// A reading for what the engine does not keep.
    pub fn history(&self) -> Result<History<'a, O>, VerifyError> {
        History::open(self.decode, self.input)
    }
}

impl<O: Clone> HistorySource<O> for Source<'_, O> {
    type Error = VerifyError;
    type Reading<'s>
        = Reading<'s, O>
    where
        Self: 's;

    fn open(&self) -> Result<Reading<'_, O>, VerifyError> {
        Ok(Reading {
            source: self,
            history: self.history()?,
            taken: 0,
            is_for_search: false,
        })
    }

    fn open_for_search(&self) -> Result<Reading<'_, O>, VerifyError> {
        let reading = self.open()?;
        self.taken.set(0);
        (self.observe)(CheckEvent::Begin);
        Ok(Reading {
            is_for_search: true,
            ..reading
        })
    }

    fn is_short(&self) -> bool {
        self.input.bytes().is_some_and(|bytes| bytes <= WITNESS_BYTES_MAX)
    }
}

/// One reading of the input.
pub(super) struct Reading<'s, O> {
    source: &'s Source<'s, O>,
    history: History<'s, O>,
    taken: u64,
    is_for_search: bool,
}

impl<O: Clone> HistoryReading<O> for Reading<'_, O> {
    type Error = VerifyError;

    fn next(&mut self) -> Result<Option<TimedOp<O>>, VerifyError> {
        let Some(read) = self.history.next()? else {
            return Ok(None);
        };
        self.taken += 1;
        if self.is_for_search {
            (self.source.observe)(CheckEvent::Took(&read.operation.op, read.operation.timebox));
            self.source.taken.set(self.taken);
            if self.taken.is_multiple_of(ProgressCounter::BATCH) {
                self.source.progress.add_batch();
            }
        }
        Ok(Some(read.operation))
    }

    fn close(mut self, limited: bool) -> Result<(), VerifyError> {
        let is_empty = self.taken == 0 && self.history.aborted + self.history.left_out == 0;
        if is_empty && !limited && !self.history.has_header() {
            return Err(VerifyError::empty(&self.source.input.name, &self.history.notes()));
        }
        self.source.taken.set(self.taken);
        *self.source.read.borrow_mut() = InputFacts {
            notes: self.history.notes(),
            threads: std::mem::take(&mut self.history.threads),
            aborted: self.history.aborted,
        };
        Ok(())
    }
}
