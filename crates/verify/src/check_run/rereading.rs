//! Readings of an input for what the engine does not keep: the operations of a violation, places, the history of a disagreement.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omnilink_engine::{Consistency, Counterexample, LimitWatch, Model, TimedOp, minimize};
use omnilink_evidence::MinimalHistory;
use omnilink_trace::{Header, Operation, Time, TraceWriter, WriteOptions};
use omnilink_value::Value;

use super::{CheckEvent, CheckRun};
use crate::error::VerifyError;
use crate::limits::CHECK_INTERVAL;
use crate::places::each_of;

impl<M: Model> CheckRun<'_, M> {
    /// Shrinks the history up to the return that cannot be explained.
    pub(super) fn minimize(
        &mut self,
        counterexample: &Counterexample,
    ) -> Result<Option<Box<MinimalHistory>>, VerifyError> {
        let mut history = self.source.history()?;
        let mut operations: Vec<TimedOp<M::Op>> = Vec::new();
        let is_sequential = self.request.options.consistency == Consistency::Sequential;
        let mut watch = LimitWatch::new(self.options().limits);
        while let Some(read) = history.next()? {
            if operations.len().is_multiple_of(CHECK_INTERVAL as usize) && watch.reached().is_some() {
                let note = "a limit was reached before the violation could be shrunk";
                self.evidence.notes.push(note.to_owned());
                return Ok(None);
            }
            // What starts after that return has no say in it, unless real time does not count.
            let end = counterexample.op.end;
            let is_later = end.is_some_and(|end| end < read.operation.timebox.start);
            if is_later && !is_sequential {
                break;
            }
            operations.push(read.operation);
        }
        let minimal = minimize(self.model, operations, self.options())?;
        if minimal.is_none() {
            self.evidence
                .notes
                .push("the violation could not be shrunk within the limits".to_owned());
        }
        let describe = |op: &M::Op| self.model.describe_op(op);
        Ok(minimal.map(|minimal| Box::new(minimal.shown(describe))))
    }

    /// Reads the input again to find where these operations stand in it.
    pub(super) fn find_places(
        &mut self,
        wanted: &BTreeSet<u64>,
        unexplained: Option<u64>,
    ) -> Result<(), VerifyError> {
        each_of(self.source.decode, self.source.input, wanted, |id, observed| {
            if unexplained == Some(id) {
                (self.source.observe)(CheckEvent::Unexplained(observed));
            }
            self.places.insert(id, observed.location.to_string());
        })
    }

    /// Keeps the operations that start no later than `end` in a file of its own: beside the input, or where temporary files are if that cannot be
    /// written.
    pub(super) fn keep_history(&self, end: Option<Time>) -> Result<PathBuf, VerifyError> {
        let elsewhere = std::env::temp_dir();
        let refused = |error: std::io::Error| VerifyError::Write {
            path: elsewhere.clone(),
            error,
        };
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("omnilink-disagreement-").suffix(".ndjson");
        let beside = self.source.input.path().and_then(Path::parent);
        let beside = beside.and_then(|folder| builder.tempfile_in(folder).ok());
        let file = match beside {
            Some(file) => Ok(file),
            None => builder.tempfile_in(&elsewhere),
        };
        let (_, path) = file
            .map_err(refused)?
            .keep()
            .map_err(|error| refused(error.error))?;
        let options = WriteOptions::for_path(&path)
            .with_header(Header::new([(
                "disagreement_on",
                Value::str(&self.source.input.name),
            )]))
            .with_sorted(true);
        let mut writer = TraceWriter::create(&path, &options)?;
        let mut history = self.source.history()?;
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
