//! `omnilink trace merge`: the traces of several nodes as one.

use std::path::PathBuf;

use clap::Args;
use omnilink_trace::Trace;

use super::destination::Destination;
use super::reading::Reading;
use crate::error::CliError;
use crate::exit::Exit;

/// Write several traces as one, in order of start.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MergeArgs {
    /// Files, directories of one file per thread, or - for standard input
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,
    /// Put the file's name before the thread, as FILE/THREAD: for nodes that number their threads alike
    #[arg(long)]
    qualify: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    destination: Destination,
}

const EXAMPLES: &str = "\
Examples:
  omnilink trace merge node-a.ndjson node-b.ndjson -o all.ndjson
  omnilink trace merge node-*.msgpack --qualify -o all.msgpack.zst

The clocks of the files must agree: `omnilink trace retime` shifts one that does not.";

pub(super) fn run(args: &MergeArgs) -> Result<Exit, CliError> {
    let options = args.reading.options().with_qualified_threads(args.qualify);
    let open = || Ok(Trace::open_all(&args.traces, &options)?);
    args.destination.write(open)
}
