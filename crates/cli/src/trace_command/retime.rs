//! `omnilink trace retime`: times corrected by what is known about them.

use std::path::PathBuf;

use clap::Args;
use omnilink_trace::{RetimeRule, RetimeRuleError};
use omnilink_verify::Input;

use super::destination::Destination;
use super::reading::Reading;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;

/// Correct the times of a trace by what is known about them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RetimeArgs {
    /// A file, a directory of one file per thread, or - for standard input
    trace: PathBuf,
    /// A rule; several are applied one after the other
    #[arg(long = "rule", short, value_name = "RULE", required = true, value_parser = rule)]
    rules: Vec<RetimeRule>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    destination: Destination,
}

const EXAMPLES: &str = "\
Rules:
  clip=FIELD                 the effect happened when meta's FIELD says: a time, or [earliest, latest]
  shift=THREAD:OFFSET        the thread's clock was off by OFFSET
  shift=FIELD=VALUE:OFFSET   the same for all operations whose meta has this VALUE, such as a node's name
  tighten=SENT,RECEIVED      what has received a message (meta's RECEIVED) began after what sent it (SENT) had ended

Examples:
  omnilink trace retime all.ndjson --rule shift=node=b:-1200 -o corrected.ndjson
  omnilink trace retime all.ndjson --rule clip=committed --rule tighten=tx,rx | omnilink check - --model kv";

fn rule(text: &str) -> Result<RetimeRule, String> {
    text.parse().map_err(|error: RetimeRuleError| error.to_string())
}

pub(super) fn run(args: &RetimeArgs) -> Result<Exit, CliError> {
    let input = Input::new(&args.trace, args.reading.options(), Some(interrupt::flag()))?;
    let open = || Ok(input.open_once()?.retimed(&args.rules)?);
    args.destination.write(open)
}
