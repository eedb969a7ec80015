//! Options for reading, shared by all verbs.

use clap::Args;
use omnilink_memory::guard;
use omnilink_trace::{Format, OpenOptions, Trace};

use crate::trace_args::{format_name, span_rule, span_rules};
use crate::{interrupt, output, quantity, untrusted};

/// Options for reading.
#[derive(Clone, Debug, Args)]
pub(super) struct Reading {
    /// The format; found by content if not given: ndjson, json, msgpack, omnilink, jepsen-edn, jepsen-json, jepsen-log, porcupine, fastlin, fptlin, limo, plume, dbcop, awdit, dbcop-json, dbcop-bincode, cobra, viper, csv, otlp, jaeger, zipkin, chrome
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    format: Option<Format>,
    /// Which spans of OpenTelemetry, Jaeger, Zipkin or Chrome are operations, and what they mean, such as kind=client or args=kv.*; may be given several times: see docs/opentelemetry.md
    #[arg(long, value_name = "RULE", value_parser = span_rule)]
    spans: Vec<String>,
    /// Read at most this much of an input, unpacked if it is compressed: 512MB, 10GB. Without it, data that unpack to over 1000 times their size are refused
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    max_input: Option<u64>,
    /// Calls of one thread may overlap: the thread is a label, not an order
    #[arg(long = "async")]
    is_async: bool,
}

impl Reading {
    pub(super) fn options(&self) -> OpenOptions {
        OpenOptions::new()
            // Each rule was read when it was given.
            .with_spans(span_rules(&[], &self.spans).unwrap_or_default())
            .with_format(self.format)
            .with_async_threads(self.is_async)
            .with_max_input(untrusted::max_input(self.max_input))
            // Several inputs are read on threads of their own, which Ctrl-C ends, too.
            .with_cancellation(|| guard::is_over() || interrupt::is_raised())
    }
}

/// Prints the notes about a trace that was read to its end.
pub(super) fn print_notes(trace: &Trace) {
    for note in trace.notes() {
        output::note(&note);
    }
}
