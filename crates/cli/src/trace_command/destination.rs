//! Where a changed trace goes, the same for every verb that writes one.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use omnilink_trace::{Encoding, Problem, Trace, TraceError, TraceWriter, WriteOptions};
use omnilink_verify::VerifyError;

use super::reading::tell_notes;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

/// Options for writing.
#[derive(Clone, Debug, Args)]
pub(super) struct Destination {
    /// The file to write; its extension says how: .ndjson or .msgpack, and .zst or .gz after it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The encoding, whatever the extension says
    #[arg(long, value_name = "ENCODING", value_enum)]
    to: Option<EncodingArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EncodingArg {
    /// Trace format 1 as JSON, one record a line
    Ndjson,
    /// Trace format 1 as MessagePack
    Msgpack,
}

impl Destination {
    /// Writes a trace there. The file appears when all of it is written.
    pub(super) fn write(&self, mut trace: Trace) -> Result<Exit, CliError> {
        let mut options = self
            .output
            .as_deref()
            .map_or_else(WriteOptions::default, WriteOptions::for_path);
        match self.to {
            Some(EncodingArg::Ndjson) => options.encoding = Encoding::Ndjson,
            Some(EncodingArg::Msgpack) => options.encoding = Encoding::Msgpack,
            None => {}
        }
        options.header = trace.header().cloned();
        options.sorted = true;
        match self.copy(&mut trace, &options) {
            Err(CliError::Verify(VerifyError::Trace { error }))
                if self.output.is_none() && is_closed_pipe(&error) => {}
            Err(_) if interrupt::is_raised() => return Err(VerifyError::Interrupted.into()),
            copied => copied?,
        }
        tell_notes(&trace);
        Ok(Exit::Valid)
    }

    fn copy(&self, trace: &mut Trace, options: &WriteOptions) -> Result<(), CliError> {
        let mut writer = match &self.output {
            Some(path) => {
                interrupt::listen();
                TraceWriter::create(path, options)?
            }
            None => TraceWriter::to_stream("standard output", io::stdout(), options)?,
        };
        for operation in trace {
            if interrupt::is_raised() {
                return Err(VerifyError::Interrupted.into());
            }
            writer.write(&operation?)?;
        }
        Ok(writer.finish()?)
    }
}

/// Whether whoever read standard output has gone away.
fn is_closed_pipe(error: &TraceError) -> bool {
    matches!(error.problem(), Problem::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
}
