//! How traces are read, the same for every verb.

use clap::Args;
use omnilink_trace::{Format, OpenOptions, Trace};

use crate::output;
use crate::trace_args::format_name;

/// Options for reading.
#[derive(Clone, Debug, Args)]
pub(super) struct Reading {
    /// The format; found by content if not given: ndjson, json, msgpack, omnilink, jepsen-edn, jepsen-json, jepsen-log, porcupine, fastlin, fptlin, limo
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    format: Option<Format>,
    /// Calls of one thread may overlap: the thread is a label, not an order
    #[arg(long = "async")]
    is_async: bool,
}

impl Reading {
    pub(super) fn options(&self) -> OpenOptions {
        OpenOptions {
            format: self.format,
            async_threads: self.is_async,
            ..OpenOptions::default()
        }
    }
}

/// Tells what a person should know about a trace that was read to its end.
pub(super) fn tell_notes(trace: &Trace) {
    for note in trace.notes() {
        output::note(&note);
    }
}
