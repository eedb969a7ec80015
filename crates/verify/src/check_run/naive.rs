//! A check by the plain search alone: the definition of the model in every order, for those who want to be sure.

use std::path::PathBuf;
use std::sync::Arc;

use omnilink_engine::{
    CheckOutcome, Consistency, Decider, Limit, Model, PlainSearch, PlainVerdict, SearchFigures, TimedOp,
    explain_program_order,
};
use omnilink_evidence::ReportedOperation;
use omnilink_trace::{Header, Operation, Time, TraceWriter, WriteOptions};
use omnilink_value::Value;

use super::{CheckEvent, CheckRun};
use crate::error::VerifyError;
use crate::history::History;
use crate::limits::is_interrupted;
use crate::progress::ProgressCounter;

impl<M: Model> CheckRun<'_, M> {
    /// Checks the input by the plain search alone.
    pub(super) fn check_naively(&mut self) -> Result<CheckOutcome, VerifyError> {
        match self.request.options.consistency {
            Consistency::Linearizable => self.check_every_order(),
            Consistency::Sequential => self.check_every_interleaving(),
        }
    }

    fn check_every_order(&mut self) -> Result<CheckOutcome, VerifyError> {
        let options = self.options();
        let mut history = History::open(self.decode, self.input)?;
        let mut search = PlainSearch::new(self.model, options.async_threads, options.limits);
        let mut pending = 0;
        self.taken = 0;
        (self.observe)(CheckEvent::Begin);
        let mut interrupted = false;
        loop {
            let read = match history.next() {
                Ok(Some(read)) => read,
                Ok(None) => break,
                // A reader that waited for more was woken up.
                Err(_) if is_interrupted(&options.limits) => {
                    interrupted = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            (self.observe)(CheckEvent::Took(&read.operation.op, read.operation.timebox));
            pending += u64::from(read.operation.timebox.is_pending());
            let goes_on = search.push(self.taken, read.operation);
            self.taken += 1;
            if self.taken.is_multiple_of(ProgressCounter::BATCH) {
                self.progress.add_batch();
            }
            if !goes_on {
                break;
            }
        }
        let verdict = match interrupted {
            true => PlainVerdict::Limit(Limit::Interrupt),
            false => search.finish(),
        };
        let figures = SearchFigures {
            operations: self.taken,
            pending,
            configurations: search.configurations,
            frontier_max: search.frontier_max,
            decider: Some(Decider::Plain),
            partitions: 1,
            ..SearchFigures::default()
        };
        self.finish_reading(&mut history)?;
        self.concluded(verdict, figures)
    }

    fn check_every_interleaving(&mut self) -> Result<CheckOutcome, VerifyError> {
        let options = self.options();
        let mut history = History::open(self.decode, self.input)?;
        let mut operations: Vec<TimedOp<M::Op>> = Vec::new();
        (self.observe)(CheckEvent::Begin);
        while let Some(read) = history.next()? {
            (self.observe)(CheckEvent::Took(&read.operation.op, read.operation.timebox));
            operations.push(read.operation);
        }
        self.taken = operations.len() as u64;
        let is_pending = |operation: &&TimedOp<M::Op>| operation.timebox.is_pending();
        let pending = operations.iter().filter(is_pending).count() as u64;
        let (verdict, configurations) = explain_program_order(
            self.model,
            self.model.plain_initial(),
            &operations,
            options.async_threads,
            options.limits,
        );
        let figures = SearchFigures {
            operations: self.taken,
            pending,
            configurations,
            frontier_max: 1,
            decider: Some(Decider::Plain),
            partitions: 1,
            ..SearchFigures::default()
        };
        self.finish_reading(&mut history)?;
        self.concluded(verdict, figures)
    }

    /// Takes over what a reading of the input found out about it.
    fn finish_reading(&mut self, history: &mut History<'_, M::Op>) -> Result<(), VerifyError> {
        if self.taken == 0 && history.aborted + history.left_out == 0 && !history.has_header() {
            return Err(VerifyError::empty(&self.input.name, &history.notes()));
        }
        self.evidence.notes = history.notes();
        self.aborted = history.aborted;
        self.threads = std::mem::take(&mut history.threads);
        Ok(())
    }

    fn concluded(&self, verdict: PlainVerdict, figures: SearchFigures) -> Result<CheckOutcome, VerifyError> {
        let refuted = match verdict {
            PlainVerdict::Refuted(id) => self.shown_at(id)?,
            _ => None,
        };
        let conclusion = verdict.into_conclusion(|id| {
            refuted.unwrap_or_else(|| {
                ReportedOperation::timed(id, 0, "(it cannot be read again)".to_owned(), 0, None)
            })
        })?;
        Ok(CheckOutcome { conclusion, figures })
    }

    /// The operation with a number.
    fn shown_at(&self, id: u64) -> Result<Option<ReportedOperation>, VerifyError> {
        let mut history = History::open(self.decode, self.input)?;
        for _ in 0..id {
            history.next()?;
        }
        let read = history.next()?;
        Ok(read.map(|read| {
            read.operation
                .shown(id, self.model.describe_op(&read.operation.op))
        }))
    }

    /// Keeps the operations that start no later than `end` in a file of its own.
    pub(super) fn keep_history(&self, end: Option<Time>) -> Result<PathBuf, VerifyError> {
        let refused = |error: std::io::Error| VerifyError::Write {
            path: std::env::temp_dir(),
            error,
        };
        let mut builder = tempfile::Builder::new();
        let file = builder.prefix("omnilink-disagreement-").suffix(".ndjson");
        let (_, path) = file
            .tempfile()
            .map_err(refused)?
            .keep()
            .map_err(|error| refused(error.error))?;
        let options = WriteOptions::for_path(&path)
            .with_header(Header::new([("disagreement_on", Value::str(&self.input.name))]))
            .with_sorted(true);
        let mut writer = TraceWriter::create(&path, &options)?;
        let mut history = History::open(self.decode, self.input)?;
        let mut last: Option<Arc<Operation>> = None;
        while let Some(read) = history.next()? {
            if end.is_some_and(|end| read.operation.timebox.start > end) {
                break;
            }
            // An operation in steps is read as several.
            if last
                .as_ref()
                .is_none_or(|last| !Arc::ptr_eq(last, &read.observed))
            {
                writer.write(&read.observed)?;
            }
            last = Some(read.observed);
        }
        writer.finish()?;
        Ok(path)
    }
}
