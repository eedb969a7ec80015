//! `omnilink validate`: does some behaviour of a TLA+ specification explain the trace?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use omnilink_engine::Watch;
use omnilink_link::{BoundOp, Collection, LinkFile, LinkOptions, Linked, TlaModel};
use omnilink_report::{Answer, Report, ThreadNames};
use omnilink_tla::deep_stack;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_trace::{OpenOptions, Operation};

use crate::check::{Criteria, Job, Meaning, Request, RunAll, check_and_tell, unread};
use crate::error::CliError;
use crate::exit::Exit;
use crate::findings::Findings;
use crate::input::Input;
use crate::interrupt;
use crate::mutation::Mutation;
use crate::output::Output;
use crate::peak::peak_bytes;
use crate::progress::Progress;

/// What it is for.
pub(crate) const ABOUT: &str =
    "Check traces against a TLA+ specification: an operation `Name(args)` is the action `Name` of the spec";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct ValidateArgs {
    /// The specification
    #[arg(value_name = "SPEC.tla")]
    spec: PathBuf,
    /// The traces: files, directories of one file per thread, or - for standard input; each is checked by itself
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    linking: Linking,
    #[command(flatten)]
    criteria: Criteria,
    #[command(flatten)]
    job: Job,
    /// Exit with code 2 if `valid` means nothing: nothing was placed, or nothing that was recorded could have been refused
    #[arg(long)]
    strict: bool,
    /// Change N recorded results on purpose, drop and swap operations, and tell what share of that the spec notices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    mutate: Option<u32>,
    /// What chooses the changes of --mutate
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "mutate")]
    seed: u64,
    /// Count how often each branch of an action is taken, and tell what the trace has put to the test; takes time
    #[arg(long)]
    coverage: bool,
}

/// How a spec is read, and what belongs to it.
#[derive(Clone, Debug, Args)]
pub(crate) struct Linking {
    /// The spec's configuration; Spec.cfg next to the spec if there is one
    #[arg(long, value_name = "FILE.cfg", requires = "spec")]
    config: Option<PathBuf>,
    /// The value of a constant: a TLA+ expression
    #[arg(long = "const", value_name = "NAME=EXPR", requires = "spec")]
    constants: Vec<String>,
    /// A constant that is the set of all values of these fields of the trace, such as Keys=key,lo,hi
    #[arg(long, value_name = "NAME=FIELD,…", requires = "spec")]
    collect: Vec<String>,
    /// How trace and spec belong together, where names do not say it: see docs/validate.md; Spec.toml next to the spec if there is one
    #[arg(long, value_name = "FILE.toml", requires = "spec")]
    link: Option<PathBuf>,
    /// A folder to look for modules in, after the specification's own
    #[arg(short = 'L', long = "library", value_name = "FOLDER", requires = "spec")]
    libraries: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  omnilink validate Queue.tla run-1.ndjson
  omnilink validate Map.tla runs/*.ndjson --collect Keys=key,lo,hi --jobs 4 --json
  omnilink validate Store.tla run.ndjson --config Store.cfg --const 'NoValue=-1' --minimize
  omnilink validate Store.tla run.ndjson --link omnilink.toml --evidence run.evidence.json

Exit codes: 0 all valid; 1 a violation was found; 2 bad usage or bad input; 3 unknown.
Of several inputs the worst decides, in the order 2, 1, 3, 0.";

impl Linking {
    /// The options for linking, with nothing collected yet, and what is to be collected.
    pub(crate) fn options(&self, spec: &Path) -> Result<(LinkOptions, Collection), CliError> {
        let file = match &self.link {
            Some(path) => LinkFile::read(path)?,
            None => LinkFile::beside(spec)?,
        };
        let mut collection = Collection::default();
        for (constant, fields) in &file.collect {
            collection.add_fields(constant, fields);
        }
        for text in &self.collect {
            collection.add(text)?;
        }
        collection.add_asked_for_by(spec);
        let mut constants = Vec::new();
        for text in &self.constants {
            let Some((name, expression)) = text.split_once('=') else {
                let message =
                    format!("--const {text}: expected NAME=EXPR, such as N=3 or Nodes={{\"a\",\"b\"}}");
                return Err(CliError::Usage(message));
            };
            constants.push((name.trim().to_owned(), expression.trim().to_owned()));
        }
        let beside = spec.with_extension("cfg");
        let config = match &self.config {
            Some(config) => Some(config.clone()),
            None => beside.is_file().then_some(beside),
        };
        let options = LinkOptions {
            config,
            search: SearchPath::new(self.libraries.iter().cloned()),
            constants,
            file,
            ..LinkOptions::default()
        };
        Ok((options, collection))
    }
}

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs) -> Result<Exit, CliError> {
    let look = args.job.look();
    let mut out = Output::new(&look);
    args.criteria.validate(args.job.is_async())?;
    if !matches!(args.criteria.consistency(), "linearizable" | "sequential") {
        let message = format!(
            "--consistency is linearizable or sequential here; for the others: omnilink check TRACE --spec {} --consistency {}",
            args.spec.display(),
            args.criteria.consistency()
        );
        return Err(CliError::Usage(message));
    }
    interrupt::listen();
    args.job.validate(args.traces.len())?;
    let (mut options, collection) = args.linking.options(&args.spec)?;
    options.counts_branches = args.coverage;
    let mut inputs = Input::all(
        &args.traces,
        &OpenOptions {
            thread_ends: options.file.keeps_thread_ends(&args.spec),
            ..args.job.reading()
        },
    )?;
    let end = LinkFile::end_of_trace(&args.spec);
    inputs.iter_mut().for_each(|input| input.end = end);
    let request = args
        .job
        .request(args.spec.display().to_string(), args.criteria.options());
    let run_all = args.job.run_all(&request, &inputs, &look, &mut out);
    let scrutiny = Scrutiny {
        is_strict: args.strict,
        mutation: args.mutate.map(|results| Mutation {
            results,
            seed: args.seed,
        }),
    };
    validate_with(&args.spec, options, collection, scrutiny, run_all)
}

/// Validates all inputs against one spec.
pub(crate) fn validate_all(spec: &Path, linking: &Linking, run_all: RunAll<'_>) -> Result<Exit, CliError> {
    let (options, collection) = linking.options(spec)?;
    validate_with(spec, options, collection, Scrutiny::default(), run_all)
}

fn validate_with(
    spec: &Path,
    options: LinkOptions,
    collection: Collection,
    scrutiny: Scrutiny,
    run_all: RunAll<'_>,
) -> Result<Exit, CliError> {
    let validation = Validation {
        spec,
        // What is collected differs from trace to trace; without that, one reading of the spec serves all.
        shared: if collection.is_empty() {
            Some(Linked::load(spec, &options)?)
        } else {
            None
        },
        options,
        collection,
        scrutiny,
        request: run_all.request,
    };
    run_all.run(&|input, progress| validation.report(input, progress))
}

/// How much `valid` must mean.
#[derive(Clone, Copy, Debug, Default)]
struct Scrutiny {
    is_strict: bool,
    mutation: Option<Mutation>,
}

struct Validation<'a> {
    spec: &'a Path,
    options: LinkOptions,
    collection: Collection,
    shared: Option<Linked>,
    scrutiny: Scrutiny,
    request: &'a Request,
}

impl Validation<'_> {
    /// Checks one trace. Whatever goes wrong is part of the report.
    fn report(&self, input: &Input, progress: &Progress) -> Report {
        let started = Instant::now();
        // Reading the spec and evaluating it both need a deep stack: one for both.
        let mut report = deep_stack::run(|| self.try_report(input, progress))
            .unwrap_or_else(|error| failed(input, self.request, &error));
        report.seconds = started.elapsed().as_secs_f64();
        report
    }

    fn try_report(&self, input: &Input, progress: &Progress) -> Result<Report, CliError> {
        let started = Instant::now();
        let mut notes = Vec::new();
        let collected;
        let linked = match &self.shared {
            Some(linked) => linked,
            None => {
                let mut watch = Watch::new(self.request.options.limits);
                let collection = match collect(&self.collection, input, &mut watch) {
                    Err(CliError::Limit { limit, .. }) => {
                        return Ok(report(input, self.request, unread(limit)));
                    }
                    collected => collected?,
                };
                let mut options = self.options.clone();
                (options.collected, notes) = collection.finish();
                collected = Linked::load(self.spec, &options)?;
                &collected
            }
        };
        // Reading the spec and collecting constants have taken their part of the time.
        let mut request = self.request.clone();
        let time = &mut request.options.limits.time;
        *time = time.map(|time| time.saturating_sub(started.elapsed()));
        // The engine looks at the clock between steps; an evaluation that goes on a moment longer is ended in its middle.
        let deadline = time.map(|time| Instant::now() + time + GRACE);
        let mut report = linked
            .run_until(deadline, request.options.limits.interrupt, |model| {
                let findings = Findings::new(model, input);
                let mut report = check_and_tell(
                    model,
                    &|op| meaning(model, op),
                    input,
                    &request,
                    progress,
                    &|event| findings.take(event),
                );
                findings.add_to(&mut report, self.options.counts_branches);
                findings.add_writers(&mut report, &request);
                if let Some(mutation) = self.scrutiny.mutation {
                    findings.add_mutation(&mut report, mutation, request.options);
                }
                report
            })
            .map_err(CliError::from)?;
        notes.extend(linked.notes().iter().cloned());
        notes.append(&mut report.notes);
        report.notes = notes;
        if self.scrutiny.is_strict {
            refuse_if_vacuous(&mut report);
        }
        Ok(report)
    }
}

/// Where answers must mean something, one that means nothing is an error.
fn refuse_if_vacuous(report: &mut Report) {
    let Answer::Checked { outcome, .. } = &report.answer else {
        return;
    };
    let reasons = report.findings.iter().flat_map(|findings| &findings.vacuity);
    let serious: Vec<&str> = reasons
        .filter(|reason| reason.is_serious)
        .map(|reason| reason.message.as_str())
        .collect();
    if outcome.verdict.is_valid() && !serious.is_empty() {
        report.answer = Answer::Failed {
            message: format!(
                "{}: it is explained, but that means nothing, which --strict does not accept: {}",
                report.input,
                serious.join("; ")
            ),
            operations: outcome.figures.operations,
        };
    }
}

/// How much longer than the time limit an evaluation may take.
const GRACE: Duration = Duration::from_millis(20);

/// Collects constants from an input.
pub(crate) fn collect(what: &Collection, input: &Input, watch: &mut Watch) -> Result<Collection, CliError> {
    let watch = std::cell::RefCell::new(watch);
    input.gather(|mut trace| {
        let mut collection = what.clone();
        let mut operations = 0;
        while let Some(operation) = trace.next_shared() {
            let read = operation.map(|operation| collection.observe(&operation));
            crate::limit::after_reading(read, &mut operations, &mut watch.borrow_mut())?;
        }
        Ok(collection)
    })
}

pub(crate) fn meaning(
    model: &TlaModel<'_>,
    operation: &Operation,
) -> Result<Meaning<omnilink_link::Instance>, CliError> {
    Ok(match model.bind(operation)? {
        BoundOp::LeftOut => Meaning::LeftOut,
        BoundOp::DidNotHappen => Meaning::DidNotHappen,
        BoundOp::Once(instance) => Meaning::Once(instance),
        BoundOp::InSteps { step, times, done } => Meaning::InSteps { step, times, done },
    })
}

fn failed(input: &Input, request: &Request, error: &CliError) -> Report {
    report(
        input,
        request,
        Answer::Failed {
            message: error.to_string(),
            operations: 0,
        },
    )
}

fn report(input: &Input, request: &Request, answer: Answer) -> Report {
    Report {
        input: input.name.clone(),
        model: request.model_name.clone(),
        consistency: request.options.consistency,
        threads: ThreadNames::default(),
        answer,
        aborted: 0,
        seconds: 0.0,
        peak_bytes: peak_bytes(),
        places: BTreeMap::new(),
        keys: Vec::new(),
        notes: Vec::new(),
        findings: None,
    }
}
