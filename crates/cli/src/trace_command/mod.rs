//! `omnilink trace`: look at traces and change them. One file per verb.

mod convert;
mod destination;
mod merge;
mod reading;
mod retime;
mod show;
mod stats;

pub(crate) use show::thread_name;

use clap::{Args, Subcommand};

use crate::error::CliError;
use crate::exit::Exit;

/// What it is for.
pub(crate) const ABOUT: &str = "Look at traces and change them";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  omnilink trace stats history.ndjson
  omnilink trace show history.ndjson --from 1200 --to 1500
  omnilink trace convert jepsen.edn -o history.ndjson.zst
  omnilink trace merge node-a.ndjson node-b.ndjson --qualify -o all.ndjson
  omnilink trace retime all.ndjson --rule shift=node=b:-1200 -o corrected.ndjson";

#[derive(Debug, Subcommand)]
enum Verb {
    Stats(stats::StatsArgs),
    Show(show::ShowArgs),
    Convert(convert::ConvertArgs),
    Merge(merge::MergeArgs),
    Retime(retime::RetimeArgs),
}

/// Runs the command.
pub(crate) fn run(args: &TraceArgs) -> Result<Exit, CliError> {
    match &args.verb {
        Verb::Stats(args) => stats::run(args),
        Verb::Show(args) => show::run(args),
        Verb::Convert(args) => convert::run(args),
        Verb::Merge(args) => merge::run(args),
        Verb::Retime(args) => retime::run(args),
    }
}
