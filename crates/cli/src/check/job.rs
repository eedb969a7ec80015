//! How inputs are read and where answers go: the options that every check of inputs has.

use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_engine::Options;
use omnilink_report::Look;
use omnilink_trace::{Format, OpenOptions};

use super::run_all::RunAll;
use super::session::Request;
use crate::error::CliError;
use crate::input::{Input, format_name};
use crate::output::{Drawing, Output};

/// What to do with inputs and answers, as arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct Job {
    /// Shrink a violation to the few operations that make it one; keeps the history in memory
    #[arg(long)]
    minimize: bool,
    /// Write the order that explains a valid history: a trace of one operation after the other
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
    /// Write the full evidence as JSON, one object per input
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// The format of the inputs; found by content if not given: ndjson, msgpack, omnilink, jepsen-edn, jepsen-log, porcupine, fastlin
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    format: Option<Format>,
    /// Calls of one thread may overlap: the thread is a label, not an order
    #[arg(long = "async")]
    is_async: bool,
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
    /// Refuses what makes no sense for so many inputs.
    pub(crate) fn validate(&self, inputs: usize) -> Result<(), CliError> {
        if self.witness.is_some() && inputs != 1 {
            let message = "--witness writes one file, so it takes one trace; run the command once for each";
            return Err(CliError::Usage(message.to_owned()));
        }
        Ok(())
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
    pub(crate) fn jobs(&self) -> usize {
        usize::from(self.jobs)
    }

    pub(crate) fn evidence(&self) -> Option<&Path> {
        self.evidence.as_deref()
    }

    pub(crate) fn asks_for_witness(&self) -> bool {
        self.witness.is_some()
    }

    /// How to read the inputs.
    pub(crate) fn reading(&self) -> OpenOptions {
        OpenOptions {
            format: self.format,
            async_threads: self.is_async,
            ..OpenOptions::default()
        }
    }

    /// What is asked about each input.
    pub(crate) fn request(&self, model_name: String, options: Options) -> Request {
        Request {
            model_name,
            options: Options {
                async_threads: self.is_async,
                ..options
            },
            minimize: self.minimize,
            witness: self.witness.clone(),
        }
    }

    /// All of it.
    pub(crate) fn run_all<'a>(
        &'a self,
        request: &'a Request,
        inputs: &'a [Input],
        look: &'a Look,
        out: &'a mut Output,
    ) -> RunAll<'a> {
        RunAll {
            request,
            inputs,
            jobs: self.jobs(),
            is_json: self.json,
            evidence: self.evidence(),
            look,
            out,
        }
    }
}
