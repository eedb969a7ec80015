//! The arguments of `omnilink view`.

use std::path::PathBuf;

use clap::Args;
use omnilink_trace::Format;

use super::recheck::RecheckArgs;
use crate::limits::LimitArgs;
use crate::runs::STORE;
use crate::trace_args::{format_name, span_rule};

/// What it is for.
pub(crate) const ABOUT: &str =
    "Look at evidence, a trace, a run or a campaign, in a browser or as one HTML file";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct ViewArgs {
    /// Evidence (--evidence FILE of another command), traces, stores of runs, or the numbers of runs in --store
    #[arg(required = true, value_name = "EVIDENCE|TRACE|RUN|STORE")]
    pub(super) what: Vec<PathBuf>,
    /// Write one HTML file that needs nothing else, instead of opening a browser
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// The trace of the evidence, to show all of it; looked for where the evidence says it was, if not given
    #[arg(long, value_name = "TRACE")]
    pub(super) trace: Option<PathBuf>,
    /// The format of traces; found by content if not given
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    pub(super) format: Option<Format>,
    /// Which spans of OpenTelemetry, Jaeger, Zipkin or Chrome are operations, and what they mean, such as kind=client or args=kv.*; may be given several times: see docs/opentelemetry.md
    #[arg(long, value_name = "RULE", value_parser = span_rule)]
    pub(super) spans: Vec<String>,
    /// Faults and log lines to show on the same axis: lines {"start":1,"end":9,"text":"…"} or {"at":5,"text":"…"}
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Also quote source from below this folder; may be given several times
    #[arg(long, value_name = "FOLDER")]
    pub(super) source: Vec<PathBuf>,
    /// The store of the runs given by number
    #[arg(long, value_name = "FILE", default_value = STORE)]
    pub(super) store: PathBuf,
    /// Only print the address, do not open a browser
    #[arg(long)]
    pub(super) no_open: bool,
    /// The port on 127.0.0.1; any if not given
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(super) port: u16,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    #[command(flatten)]
    pub(super) recheck: RecheckArgs,
}

const EXAMPLES: &str = "\
Examples:
  omnilink check history.ndjson --model queue --evidence why.json; omnilink view why.json
  omnilink view why.json --html why.html             one file, to attach to a ticket
  omnilink view history.edn                          a trace alone, with the faults of Jepsen's nemesis
  omnilink view 17                                   a run that omnilink fuzz has kept
  omnilink view omnilink-runs.db                     the whole campaign, from which each run opens";
