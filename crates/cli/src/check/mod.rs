//! `omnilink check`: does some behaviour of the model explain the history?

mod bench;
mod criteria;
mod history;
mod job;
mod list_models;
mod run_all;
mod session;
mod subject;
mod weak;
mod weak_jobs;
mod witness;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use omnilink_models::with_model;

use crate::error::CliError;
use crate::exit::Exit;
use crate::huge_pages;
use crate::input::Input;
use crate::output::Output;
use crate::validate::{Linking, validate_all};

pub(crate) use criteria::Criteria;
pub(crate) use history::{Meaning, decode_shipped};
pub(crate) use job::Job;
pub(crate) use run_all::RunAll;
pub(crate) use session::{Event, Request, check_and_tell, check_input};
pub(crate) use subject::{ShippedSubject, SpecSubject, Subject};
use weak::{Asked, Desk, Weak};

/// What it is for.
pub(crate) const ABOUT: &str = "Check histories of a concurrent system against a model";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The histories: files, directories of one file per thread, or - for standard input; each is checked by itself
    #[arg(value_name = "TRACE", required_unless_present = "list_models")]
    traces: Vec<PathBuf>,
    /// The model, with options where it takes any, such as register:initial=0 or queue:capacity=8
    #[arg(long, short, value_name = "NAME[:OPT=VAL,…]", conflicts_with = "spec")]
    model: Option<String>,
    /// A TLA+ specification instead of a model: an operation `Name(args)` is its action `Name`
    #[arg(long, value_name = "SPEC.tla")]
    spec: Option<PathBuf>,
    #[command(flatten)]
    linking: Linking,
    #[command(flatten)]
    criteria: Criteria,
    #[command(flatten)]
    weak: weak::WeakArgs,
    #[command(flatten)]
    job: Job,
    /// List the models with their operations and options
    #[arg(long)]
    list_models: bool,
}

const EXAMPLES: &str = "\
Examples:
  omnilink check history.ndjson --model queue
  omnilink check traces/run-1 --model kv --minimize
  omnilink check jepsen/*.log --model cas-register --jobs 4 --json
  omnilink check history.edn --model register:initial=0 --consistency sequential
  omnilink check history.ndjson --model kv --consistency causal
  omnilink check history.ndjson --spec Kv.tla --consistency causal
  omnilink check histories.jsonl --model java-map --infer
  zstd -dc big.ndjson.zst | omnilink check - --model map --time-limit 60s --memory-limit 2GB
  omnilink check --list-models

Exit codes: 0 all valid; 1 a violation was found; 2 bad usage or bad input; 3 unknown.
Of several inputs the worst decides, in the order 2, 1, 3, 0.";

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    let look = args.job.look();
    let mut out = Output::new(&look);
    if args.list_models {
        out.print(&list_models::page(&look))?;
        return Ok(Exit::Valid);
    }
    args.criteria.validate(args.job.is_async())?;
    args.job.validate(args.traces.len())?;
    let inputs = Input::all(&args.traces, &args.job.reading())?;
    huge_pages::allow_unless_short(&inputs);
    let model_name = match (&args.model, &args.spec) {
        (Some(model), _) => model.clone(),
        (None, Some(spec)) => spec.display().to_string(),
        (None, None) => String::new(),
    };
    let desk = Desk {
        model_name: &model_name,
        paths: &args.traces,
        inputs: &inputs,
        limits: args.criteria.options().limits,
        strategy: args.criteria.strategy(),
        jobs: NonZeroUsize::new(args.job.jobs()).unwrap_or(NonZeroUsize::MIN),
        is_async: args.job.is_async(),
        is_json: args.job.is_json(),
        evidence: args.job.evidence(),
        look: &look,
        out: &mut out,
    };
    let desk = match Weak::asked(&args.weak, args.criteria.consistency(), desk)? {
        Asked::Weak(weak) => return check_weakly(args, weak),
        Asked::Engine(desk) => desk,
    };
    let request = args.job.request(model_name.clone(), args.criteria.options());
    let run_all = args.job.run_all(&request, &inputs, &look, desk.out);
    match (&args.model, &args.spec) {
        (Some(model), _) => with_model(model, run_all)?,
        (None, Some(spec)) => validate_all(spec, &args.linking, run_all),
        (None, None) => Err(no_model()),
    }
}

/// Checks for less than linearizability, or in an order that is no order of timeboxes.
fn check_weakly(args: &CheckArgs, weak: Weak<'_>) -> Result<Exit, CliError> {
    if args.job.asks_for_witness() {
        let message = "--witness writes an order of a trace that is explained by timeboxes; --evidence FILE writes the order \
                       and who sees what for all other checks";
        return Err(CliError::Usage(message.to_owned()));
    }
    args.criteria.validate_weak()?;
    if weak.infers() && args.job.jobs() > 1 {
        let message = "--infer looks at all histories of an input together, one after the other; drop --jobs";
        return Err(CliError::Usage(message.to_owned()));
    }
    if let Some(isolation) = weak.isolation() {
        args.criteria.validate_transactions()?;
        return weak.check_transactions(isolation);
    }
    match (&args.model, &args.spec) {
        (Some(model), _) => with_model(model, weak)?,
        (None, Some(spec)) => {
            let (options, collection) = args.linking.options(spec)?;
            weak.check_spec(spec, &options, &collection)
        }
        (None, None) => Err(no_model()),
    }
}

fn no_model() -> CliError {
    let message = "against what? Give --model NAME (--list-models lists them) or --spec SPEC.tla";
    CliError::Usage(message.to_owned())
}
