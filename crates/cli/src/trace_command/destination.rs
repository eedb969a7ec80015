//! The destination of a changed trace, shared by all verbs that write one.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use omnilink_trace::{Encoding, Problem, Trace, TraceError, TraceWriter, WriteOptions};
use omnilink_verify::VerifyError;

use super::reading::print_notes;
use crate::error::CliError;
use crate::exit::Exit;
use crate::limits::{self, LimitArgs};
use crate::{interrupt, output};

/// Options for writing.
#[derive(Clone, Debug, Args)]
pub(super) struct Destination {
    /// The file to write; its extension says how: .ndjson or .msgpack, and .zst or .gz after it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The encoding, whatever the extension says
    #[arg(long, value_name = "ENCODING", value_enum)]
    to: Option<EncodingArg>,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EncodingArg {
    /// Trace format 1 as JSON, one record a line
    Ndjson,
    /// Trace format 1 as MessagePack
    Msgpack,
    /// Chrome's trace events as JSON, for the Perfetto viewer; read back as they were
    #[value(alias = "perfetto")]
    Chrome,
}

impl Destination {
    /// Writes the trace that `open` returns. A file appears once all of it is written, so a limit or an interrupt leaves no
    /// file; standard output ends with a whole record.
    ///
    /// # Errors
    /// When the trace cannot be read or written, or a limit is reached.
    pub(super) fn write(&self, open: impl FnOnce() -> Result<Trace, CliError>) -> Result<Exit, CliError> {
        interrupt::listen();
        let _limits = self.limits.limits().begin();
        let mut operations = 0;
        let copied = self.copy(open, &mut operations);
        if copied.is_err()
            && let Some(limit) = limits::process_limit()
        {
            match &self.output {
                Some(path) => output::note(&format!("{} was not written", path.display())),
                None => output::note(&"standard output holds the operations until then"),
            }
            return Err(VerifyError::Limit { limit, operations }.into());
        }
        match copied {
            Err(CliError::Verify(VerifyError::Trace { error }))
                if self.output.is_none() && is_closed_pipe(&error) => {}
            copied => print_notes(&copied?),
        }
        Ok(Exit::Valid)
    }

    fn copy(
        &self,
        open: impl FnOnce() -> Result<Trace, CliError>,
        operations: &mut u64,
    ) -> Result<Trace, CliError> {
        let mut trace = open()?;
        let mut options = self
            .output
            .as_deref()
            .map_or_else(WriteOptions::default, WriteOptions::for_path)
            .with_header(trace.header().cloned())
            .with_sorted(true);
        match self.to {
            Some(EncodingArg::Ndjson) => options.encoding = Encoding::Ndjson,
            Some(EncodingArg::Msgpack) => options.encoding = Encoding::Msgpack,
            Some(EncodingArg::Chrome) => options.encoding = Encoding::Chrome,
            None => {}
        }
        let mut writer = match &self.output {
            Some(path) => TraceWriter::create(path, &options)?,
            None => TraceWriter::to_stream("standard output", io::stdout(), &options)?,
        };
        for operation in trace.by_ref() {
            // A small input is in memory by now, and a sorted one in a temporary file: reading them checks no limits.
            if operations.is_multiple_of(LIMIT_INTERVAL)
                && let Some(limit) = limits::process_limit()
            {
                let operations = *operations;
                return Err(VerifyError::Limit { limit, operations }.into());
            }
            writer.write(&operation?)?;
            *operations += 1;
        }
        writer.finish()?;
        Ok(trace)
    }
}

/// After how many operations the limits are checked.
const LIMIT_INTERVAL: u64 = 256;

/// Whether the reader of standard output has closed it.
fn is_closed_pipe(error: &TraceError) -> bool {
    matches!(error.problem(), Problem::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
}
