//! `omnilink check`: does some behaviour of the model explain the history?

mod criteria;
mod job;
mod list_models;
mod weak;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use omnilink_consistency::WeakOptions;
use omnilink_engine::Limits;
use omnilink_evidence::Evidence;
use omnilink_report::Look;
use omnilink_verify::{
    Input, Keyed, ModelCheck, Validation, WeakCheck, WeakTask, holds_histories, holds_transactions,
};

use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::linking::Linking;
use crate::output::Output;
use crate::reports::EvidenceFile;
use crate::trace_args::note_recordings;

pub(crate) use criteria::Criteria;
pub(crate) use job::Job;
use weak::WeakReports;

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
    /// Whether the values of a Jepsen history are [key value] pairs of independent keys; found by content if not given
    #[arg(long, value_name = "yes|no", value_enum)]
    keyed: Option<KeyedArg>,
    /// The argument that makes an object of its own of each key: --key queue checks each queue by itself; an argument "key" that the model has no use for is taken if not given
    #[arg(long, value_name = "FIELD", conflicts_with_all = ["keyed", "spec"])]
    key: Option<String>,
    /// List the models with their operations and options
    #[arg(long)]
    list_models: bool,
}

/// What the user says about the values of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KeyedArg {
    /// Every value is [key value].
    Yes,
    /// Values are read as they are.
    No,
}

const EXAMPLES: &str = "\
Examples:
  omnilink check history.ndjson --model queue
  omnilink check traces/run-1 --model kv --minimize
  omnilink check jepsen/*.log --model cas-register --jobs 4 --json
  omnilink check history.edn --model register:initial=0 --consistency sequential
  omnilink check history.ndjson --model kv --consistency causal
  omnilink check store/etcd/20260101T000000 --model cas-register --keyed yes
  omnilink check queues.ndjson --model queue --key queue    (each queue by itself)
  omnilink check porcupine.json --model kv --ops 0=get,1=put,2=append
  omnilink check history.ndjson --spec Kv.tla --consistency causal
  omnilink check spans.json --model kv --spans kind=client --spans args=kv.*   (OpenTelemetry: docs/opentelemetry.md)
  omnilink check histories.jsonl --model java-map --infer
  omnilink check transactions.edn --consistency serializable
  omnilink check transactions.edn --consistency strong-session-snapshot-isolation
  omnilink check transactions.edn --infer
  omnilink check history.edn --consistency strict-serializable --follow    (while the test still runs)
  zstd -dc big.ndjson.zst | omnilink check - --model map --time-limit 60s --memory-limit 2GB
  omnilink check --list-models

Exit codes: 0 all valid; 1 a violation was found; 2 bad usage or bad input; 3 unknown.
Of several inputs the worst decides, in the order 2, 1, 3, 0.";

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    let look = args.job.look();
    let mut out = Output::new(&look);
    if args.list_models {
        out.print(&if args.job.is_json() {
            list_models::json_lines()
        } else {
            list_models::page(&look)
        })?;
        return Ok(Exit::Valid);
    }
    args.criteria.validate(args.job.is_async())?;
    args.linking.needs(args.spec.as_ref())?;
    interrupt::listen();
    args.job.validate(args.traces.len())?;
    // Operations of objects are checked as they come anyway: what grows is read as a pipe.
    let is_of_objects = args.model.is_some() || args.spec.is_some();
    if args.weak.follow && !is_of_objects {
        return follow(args, &mut out);
    }
    let link_spans = match &args.spec {
        Some(spec) => args.linking.options(spec)?.0.file.spans,
        None => Vec::new(),
    };
    let reading = args.job.reading(&link_spans)?;
    let inputs = match args.weak.follow {
        true => vec![Input::following(one_path(args)?, reading, interrupt::flag())?],
        false => Input::all(&args.traces, &reading, Some(interrupt::flag()))?,
    };
    if !args.weak.follow {
        note_recordings(&args.traces);
    }
    // Finding out what an input holds reads its beginning, which may be all of it. The time of a single input begins here.
    let preparing = (!args.weak.follow).then(|| args.criteria.options().limits.begin());
    let has_no_model = args.model.is_none() && args.spec.is_none();
    if let Some(task) = args
        .weak
        .task(args.criteria.consistency(), has_no_model, &inputs)?
    {
        return check_weakly(args, task, &inputs, &mut out);
    }
    if inputs.len() > 1 {
        drop(preparing);
    }
    let mut request = args.job.request(args.model_name(), args.criteria.options());
    if args.weak.follow {
        // An interrupt ends the input, which is then decided as far as it goes.
        request.options.limits.interrupt = None;
    }
    let jobs = args.job.jobs();
    match (&args.model, &args.spec) {
        (Some(model), _) => {
            let check = ModelCheck::new(model, args.keyed(), request)?;
            let reports = args.job.reports(&look, &mut out)?;
            reports.of(&inputs, jobs, &|input, progress| check.check(input, progress))
        }
        (None, Some(spec)) => {
            let (options, collection) = args.linking.options(spec)?;
            let validation = Validation::new(spec, options, collection, request)?;
            let reports = args.job.reports(&look, &mut out)?;
            reports.of(&inputs, jobs, &|input, progress| {
                validation.check(input, progress)
            })
        }
        (None, None) => Err(no_model(args, &inputs)),
    }
}

impl CheckArgs {
    /// What makes an object of each key.
    fn keyed(&self) -> Keyed {
        match (&self.key, self.keyed) {
            (Some(field), _) => Keyed::ByField(field.clone()),
            (None, None) => Keyed::ByContent,
            (None, Some(KeyedArg::Yes)) => Keyed::Yes,
            (None, Some(KeyedArg::No)) => Keyed::No,
        }
    }

    /// Where answers go.
    fn weak_reports<'a>(&'a self, look: &'a Look, out: &'a mut Output) -> Result<WeakReports<'a>, CliError> {
        Ok(WeakReports {
            is_json: self.job.is_json(),
            look,
            out,
            evidence: self.job.evidence().map(EvidenceFile::create).transpose()?,
            witness: self.job.witness().map(EvidenceFile::create).transpose()?,
            worst: Exit::Valid,
        })
    }

    /// The model or the specification, as the user named it.
    fn model_name(&self) -> String {
        match (&self.model, &self.spec) {
            (Some(model), _) => model.clone(),
            (None, Some(spec)) => spec.display().to_string(),
            (None, None) => String::new(),
        }
    }
}

/// Checks transactions while they are being written.
fn follow(args: &CheckArgs, out: &mut Output) -> Result<Exit, CliError> {
    args.criteria.validate_weak()?;
    args.criteria.validate_transactions()?;
    let path = one_path(args)?;
    let look = args.job.look();
    let limits = args.criteria.options().limits;
    let following = args
        .weak
        .following(args.criteria.consistency(), limits, args.job.reading(&[])?)?;
    let mut reports = args.weak_reports(&look, out)?;
    reports.add(&following.check(path))?;
    reports.finish()
}

/// What is followed.
fn one_path(args: &CheckArgs) -> Result<&Path, CliError> {
    match args.traces.as_slice() {
        [path] => Ok(path),
        _ => {
            let message = "--follow takes one file or pipe; run the command once for each";
            Err(CliError::Usage(message.to_owned()))
        }
    }
}

/// Checks for less than linearizability, or in an order that is no order of timeboxes.
fn check_weakly(
    args: &CheckArgs,
    task: WeakTask,
    inputs: &[Input],
    out: &mut Output,
) -> Result<Exit, CliError> {
    args.criteria.validate_weak()?;
    if matches!(task, WeakTask::Infer(_)) && args.job.jobs().get() > 1 {
        let message = "--infer looks at all histories of an input together, one after the other; drop --jobs";
        return Err(CliError::Usage(message.to_owned()));
    }
    let look = args.job.look();
    let mut reports = args.weak_reports(&look, out)?;
    let isolation = task.isolation();
    let limits = args.criteria.options().limits;
    let check = WeakCheck {
        model_name: args.model_name(),
        task,
        options: WeakOptions {
            ret: args.weak.ret,
            limits: Limits {
                interrupt: limits.interrupt.filter(|_| !args.weak.follow),
                ..limits
            },
            strategy: args.criteria.strategy(),
            ..WeakOptions::default()
        },
        inputs,
        keyed: args.keyed(),
        initial: args.weak.initial.clone().unwrap_or_default(),
        is_async: args.job.is_async(),
        jobs: args.job.jobs(),
    };
    let mut printed = Ok(());
    let deliver = &mut |evidence: Evidence| {
        printed = reports.add(&evidence);
        match printed {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    if let Some(isolation) = isolation {
        args.criteria.validate_transactions()?;
        if args.model.is_some() || args.spec.is_some() {
            return Err(no_use_for_a_model(args));
        }
        check.transactions(isolation, deliver)?;
        printed?;
        return reports.finish();
    }
    match (&args.model, &args.spec) {
        (Some(model), _) => check.against_model(model, deliver)?,
        (None, Some(spec)) => {
            let (options, collection) = args.linking.options(spec)?;
            check.against_spec(spec, &options, &collection, deliver)?;
        }
        (None, None) => return Err(no_model(args, inputs)),
    }
    printed?;
    reports.finish()
}

fn no_model(args: &CheckArgs, inputs: &[Input]) -> CliError {
    // What cannot be read needs no model, but another path.
    let mut traces = inputs.iter().filter(|input| !holds_histories(input));
    if let Some(error) = traces.find_map(|input| input.open().err()) {
        return error.into();
    }
    let levels = "give --consistency serializable, or another level of isolation (docs/transactions.md lists them), or --infer";
    let message = match (inputs.iter().any(holds_transactions), args.criteria.level()) {
        (true, None) => {
            format!(
                "against what? These are transactions: {levels}; single operations need --model NAME or --spec SPEC.tla"
            )
        }
        (true, Some(level)) => {
            format!("these are transactions, and {level} is a level of single operations: {levels}")
        }
        (false, _) => {
            "against what? Give --model NAME (--list-models lists them) or --spec SPEC.tla".to_owned()
        }
    };
    CliError::Usage(message)
}

/// Transactions are checked by what they read and wrote: a model would be ignored.
fn no_use_for_a_model(args: &CheckArgs) -> CliError {
    let level = args.criteria.consistency();
    let given = if args.model.is_some() { "--model" } else { "--spec" };
    CliError::Usage(format!(
        "--consistency {level} is about transactions, which need no model: drop {given}; or keep it, and ask for a level of single \
         operations, such as linearizable, sequential or causal"
    ))
}
