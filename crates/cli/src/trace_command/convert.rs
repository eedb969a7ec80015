//! `omnilink trace convert`: a trace of any format as trace format 1, or as Chrome's trace events.

use std::path::PathBuf;

use clap::Args;
use omnilink_verify::Input;

use super::destination::Destination;
use super::reading::Reading;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

/// Write a trace of any format in trace format 1, in order of start.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConvertArgs {
    /// A file, a directory of one file per thread, or - for standard input
    trace: PathBuf,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    destination: Destination,
}

const EXAMPLES: &str = "\
Examples:
  omnilink trace convert jepsen.edn                            as NDJSON on standard output
  omnilink trace convert traces/run-1 -o run-1.msgpack.zst     a directory as one compressed file
  omnilink trace convert - --format fastlin < history.txt
  omnilink trace convert run-1 --to chrome -o run-1.json       to open in ui.perfetto.dev or chrome://tracing
  omnilink trace convert spans.json --spans kind=client        the spans of OpenTelemetry that are operations";

pub(super) fn run(args: &ConvertArgs) -> Result<Exit, CliError> {
    let input = Input::new(&args.trace, args.reading.options(), Some(interrupt::flag()))?;
    args.destination.write(|| Ok(input.open_once()?))
}
