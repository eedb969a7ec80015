//! How inputs are read and where answers go: the options that every check of inputs has.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_engine::Options;
use omnilink_evidence::Command;
use omnilink_report::Look;
use omnilink_trace::{Format, OpenOptions, OperationName};
use omnilink_verify::{CheckRequest, Detail};

use crate::error::CliError;
use crate::output::{Drawing, Output};
use crate::reports::Reports;
use crate::trace_args::{format_name, renaming, span_rule, span_rules};
use crate::{quantity, untrusted};

/// What to do with inputs and answers, as arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct Job {
    /// Shrink a violation to the few operations that make it one; keeps the history in memory
    #[arg(long)]
    minimize: bool,
    /// Write the order that explains a valid history: a trace of one operation after the other, or JSON with who sees what
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
    /// Write the full evidence as JSON, one object per input
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// The format of the inputs; found by content if not given: ndjson, json, msgpack, omnilink, jepsen-edn, jepsen-json, jepsen-log, porcupine, fastlin, fptlin, limo, plume, dbcop, awdit, dbcop-json, dbcop-bincode, cobra, viper, csv, otlp, jaeger, zipkin, chrome
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    format: Option<Format>,
    /// What operations are called instead, such as 0=put,1=get for a history that numbers them
    #[arg(long, value_name = "CODE=NAME,…", value_parser = renaming, value_delimiter = ',')]
    ops: Vec<(String, OperationName)>,
    /// Which spans of OpenTelemetry, Jaeger, Zipkin or Chrome are operations, and what they mean, such as kind=client or args=kv.*; may be given several times: see docs/opentelemetry.md
    #[arg(long, value_name = "RULE", value_parser = span_rule)]
    spans: Vec<String>,
    /// Calls of one thread may overlap: the thread is a label, not an order
    #[arg(long = "async")]
    is_async: bool,
    /// Read at most this much of an input, unpacked if it is compressed: 512MB, 10GB. Without it, data that unpack to over 1000 times their size are refused
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    max_input: Option<u64>,
    /// How many inputs to check at a time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Print one JSON object per input and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    drawing: Drawing,
}

impl Job {
    /// Refuses options that do not fit the number of inputs.
    pub(crate) fn validate(&self, inputs: usize) -> Result<(), CliError> {
        if self.witness.is_some() && inputs != 1 {
            let message = "--witness writes one file, so it takes one trace; run the command once for each";
            return Err(CliError::Usage(message.to_owned()));
        }
        for (at, (code, _)) in self.ops.iter().enumerate() {
            if self.ops[..at].iter().any(|(earlier, _)| earlier == code) {
                return Err(CliError::Usage(format!(
                    "--ops names {code} twice; give it one name"
                )));
            }
        }
        Ok(())
    }

    /// What is given and means nothing for logs, with the reason.
    pub(crate) fn refused_for_logs(&self) -> Option<(&'static str, &'static str)> {
        let options = [
            (
                "--minimize",
                self.minimize,
                "it leaves out operations, and without a line a log says something else; the report names the line and what would have to be different",
            ),
            (
                "--witness",
                self.witness.is_some(),
                "it writes an order of operations",
            ),
            (
                "--ops",
                !self.ops.is_empty(),
                "it names operations; say what an event is in the link file ([log.events.NAME] action = \"…\")",
            ),
            (
                "--async",
                self.is_async,
                "it is about threads of operations; [log] order in the link file says what is known of the order of lines",
            ),
            (
                "--format",
                self.format.is_some(),
                "lines of logs are JSON, spans, or text with --extract, which is found by content",
            ),
        ];
        let refused = options.into_iter().find(|(_, is_given, _)| *is_given);
        refused.map(|(name, _, reason)| (name, reason))
    }

    pub(crate) fn look(&self) -> Look {
        self.drawing.look()
    }

    pub(crate) fn is_async(&self) -> bool {
        self.is_async
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// How many inputs to check at a time.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.jobs.into()).unwrap_or(NonZeroUsize::MIN)
    }

    pub(crate) fn evidence(&self) -> Option<&Path> {
        self.evidence.as_deref()
    }

    pub(crate) fn witness(&self) -> Option<&Path> {
        self.witness.as_deref()
    }

    /// The rules about spans that were given.
    pub(crate) fn spans(&self) -> &[String] {
        &self.spans
    }

    /// How to read the inputs, with the rules about spans that a link file has.
    ///
    /// # Errors
    /// If the link file has something else in their place.
    pub(crate) fn reading(&self, link: &[String]) -> Result<OpenOptions, CliError> {
        let spans = span_rules(link, &self.spans).map_err(|error| CliError::Usage(error.to_string()))?;
        Ok(OpenOptions::new()
            .with_spans(spans)
            .with_format(self.format)
            .with_async_threads(self.is_async)
            .with_names(self.ops.iter().cloned().collect())
            .with_max_input(untrusted::max_input(self.max_input)))
    }

    /// What is asked about each input.
    pub(crate) fn request(&self, model_name: String, options: Options) -> CheckRequest {
        CheckRequest {
            command: Command::Check,
            model_name,
            options: Options {
                async_threads: self.is_async,
                ..options
            },
            minimize: self.minimize,
            witness: self.witness.clone(),
            detail: match self.evidence {
                Some(_) => Detail::ShortWitness,
                None => Detail::Reasons,
            },
        }
    }

    /// Where reports go.
    pub(crate) fn reports<'a>(
        &'a self,
        look: &'a Look,
        out: &'a mut Output,
    ) -> Result<Reports<'a>, CliError> {
        Reports::new(self.json, self.evidence(), look, out)
    }
}
