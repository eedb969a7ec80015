//! `omnilink validate`: does some behaviour of a TLA+ specification explain the trace?

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use omnilink_evidence::{Command, LogCoverage};
use omnilink_link::{CollectedConstants, LinkFile, LinkOptions, LogLink};
use omnilink_log_extract::ExtractionRules;
use omnilink_report::{Look, log_coverage_text};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_verify::{CheckRequest, Input, LogValidation, Mutation, Scrutiny, Validation, is_log};

use crate::check::{Criteria, Job};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Output;
use crate::pluscal::PlusCalChoice;
use crate::quantity;
use crate::watch::WatchArgs;

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
    /// The inputs are logs of events and variables, also where their content does not tell: see docs/logs.md
    #[arg(long)]
    log: bool,
    /// The inputs are text, of which these rules make events: see docs/extract.md; `omnilink logs draft` writes some
    #[arg(long, value_name = "RULES.toml")]
    extract: Option<PathBuf>,
    /// How far the clocks of two machines may be apart, such as 5ms: lines of a log are ordered by them only where they are further apart
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    skew: Option<Duration>,
    /// All inputs together are one log: the files of its nodes
    #[arg(long)]
    merge: bool,
    /// Wait for more lines of a log that is still being written, until it is interrupted or a line cannot be explained
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    watch: WatchArgs,
    /// Constants of a log: a file of JSON objects such as {"RM":["rm-0","rm-1"]}, where arrays are sets
    #[arg(long = "constants", value_name = "FILE.ndjson")]
    constants_file: Option<PathBuf>,
    /// Count how often each branch of an action is taken, and tell what the trace has put to the test; takes time
    #[arg(long)]
    coverage: bool,
}

/// How a spec is read, and what belongs to it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Linking {
    /// The spec's configuration; Spec.cfg next to the spec if there is one
    #[arg(long, value_name = "FILE.cfg")]
    config: Option<PathBuf>,
    /// The value of a constant: a TLA+ expression
    #[arg(long = "const", value_name = "NAME=EXPR")]
    constants: Vec<String>,
    /// A constant that is the set of all values of these fields of the trace, such as Keys=key,lo,hi
    #[arg(long, value_name = "NAME=FIELD,…")]
    collect: Vec<String>,
    /// How trace and spec belong together, where names do not say it: see docs/validate.md; Spec.toml next to the spec if there is one
    #[arg(long, value_name = "FILE.toml")]
    link: Option<PathBuf>,
    /// A folder to look for modules in, after the specification's own
    #[arg(short = 'L', long = "library", value_name = "FOLDER")]
    libraries: Vec<PathBuf>,
    /// Which translation of a PlusCal algorithm to read; auto if not given: the one in the file, or a new one if there is none or it is not that of the algorithm
    #[arg(long, value_name = "WHICH", value_enum)]
    pluscal: Option<PlusCalChoice>,
}

const EXAMPLES: &str = "\
Examples:
  omnilink validate Queue.tla run-1.ndjson
  omnilink validate Map.tla runs/*.ndjson --collect Keys=key,lo,hi --jobs 4 --json
  omnilink validate Store.tla run.ndjson --config Store.cfg --const 'NoValue=-1' --minimize
  omnilink validate TwoPhase.tla run.ndjson --constants conf.ndjson        (a log of events and variables: docs/logs.md)
  omnilink validate Raft.tla node-1.ndjson node-2.ndjson --merge --const 'Server=1..2'
  omnilink validate Raft.tla logs/* --coverage --jobs 4                    (many logs: what they exercised together)
  omnilink validate Raft.tla node-1.ndjson --follow                       (a log that is still being written)
  omnilink validate Raft.tla node-1.ndjson --follow --metrics raft.prom --on-violation 'curl -d @- https://…'
  omnilink validate Raft.tla server.log --extract rules.toml              (a log of text: docs/extract.md)
  omnilink validate Store.tla spans.json --spans kind=client              (OpenTelemetry: docs/opentelemetry.md)
  omnilink validate Store.tla run.ndjson --link omnilink.toml --evidence run.evidence.json

Exit codes: 0 all valid; 1 a violation was found; 2 bad usage or bad input; 3 unknown.
Of several inputs the worst decides, in the order 2, 1, 3, 0.";

impl Linking {
    /// The arguments as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let path = |path: &PathBuf| path.display().to_string();
        let given = [
            ("--config", self.config.iter().map(path).collect()),
            ("--const", self.constants.clone()),
            ("--collect", self.collect.clone()),
            ("--link", self.link.iter().map(path).collect()),
            ("--library", self.libraries.iter().map(path).collect::<Vec<_>>()),
            (
                "--pluscal",
                self.pluscal.iter().map(ToString::to_string).collect(),
            ),
        ];
        let pairs = given
            .into_iter()
            .flat_map(|(option, values)| values.into_iter().map(move |value| format!("{option}={value}")));
        pairs.collect()
    }

    /// These arguments, and what they leave open as it was given earlier, in another folder.
    #[must_use]
    pub(crate) fn over(&self, earlier: &Self, folder: &Path) -> Self {
        let found = |path: &PathBuf| found_in(path, folder);
        let name = |text: &String| text.split('=').next().unwrap_or_default().trim().to_owned();
        let joined = |given: &[String], earlier: &[String]| {
            let is_left = |text: &&String| given.iter().all(|other| name(other) != name(text));
            let left = earlier.iter().filter(is_left);
            left.chain(given).cloned().collect::<Vec<_>>()
        };
        Self {
            config: self.config.clone().or_else(|| earlier.config.as_ref().map(found)),
            constants: joined(&self.constants, &earlier.constants),
            collect: joined(&self.collect, &earlier.collect),
            link: self.link.clone().or_else(|| earlier.link.as_ref().map(found)),
            libraries: if self.libraries.is_empty() {
                earlier.libraries.iter().map(found).collect()
            } else {
                self.libraries.clone()
            },
            pluscal: self.pluscal.or(earlier.pluscal),
        }
    }

    /// Refuses arguments that only a specification has a use for.
    pub(crate) fn needs(&self, spec: Option<&PathBuf>) -> Result<(), CliError> {
        let words = self.words();
        match (spec, words.first().and_then(|word| word.split('=').next())) {
            (None, Some(option)) => Err(CliError::Usage(format!(
                "{option} belongs to a specification: give --spec SPEC.tla with it"
            ))),
            _ => Ok(()),
        }
    }

    /// The text of the link file; empty if there is none.
    pub(crate) fn link_text(&self, spec: &Path) -> String {
        let path = self.link.clone().unwrap_or_else(|| spec.with_extension("toml"));
        // Whether it can be read is found out where its content is.
        std::fs::read_to_string(path).unwrap_or_default()
    }

    /// The options for linking, with nothing collected yet, and what is to be collected.
    pub(crate) fn options(&self, spec: &Path) -> Result<(LinkOptions, CollectedConstants), CliError> {
        let file = match &self.link {
            Some(path) => LinkFile::read(path)?,
            None => LinkFile::beside(spec)?,
        };
        let mut collection = CollectedConstants::default();
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
            search: SearchPath::new(self.libraries.iter().cloned())
                .with_pluscal(self.pluscal.unwrap_or_default().into()),
            constants,
            file,
            ..LinkOptions::default()
        };
        Ok((options, collection))
    }
}

/// A path as it was given, or below the folder in which it was given, if it is only there.
pub(crate) fn found_in(path: &Path, folder: &Path) -> PathBuf {
    let there = folder.join(path);
    if !path.exists() && there.exists() {
        there
    } else {
        path.to_owned()
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
    let reading = args.job.reading(&options.file.spans)?;
    options.file.spans.extend_from_slice(args.job.spans());
    let says_log = args.log || args.merge || args.follow || args.extract.is_some() || args.skew.is_some();
    let says_log = says_log || options.file.log != LogLink::default();
    if says_log || args.traces.iter().all(|trace| is_log(trace)) {
        return run_logs(args, options, &look, &mut out);
    }
    args.watch.refuse()?;
    if args.constants_file.is_some() {
        let message = "--constants is for logs; for a trace of operations give --const NAME=EXPR or --collect NAME=FIELD";
        return Err(CliError::Usage(message.to_owned()));
    }
    let reading = reading.with_thread_ends(options.file.keeps_thread_ends(&args.spec));
    let mut inputs = Input::all(&args.traces, &reading, Some(interrupt::flag()))?;
    let end = LinkFile::end_of_trace(&args.spec);
    inputs.iter_mut().for_each(|input| input.end = end);
    let request = CheckRequest {
        command: Command::Validate,
        ..args
            .job
            .request(args.spec.display().to_string(), args.criteria.options())
    };
    let scrutiny = Scrutiny {
        is_strict: args.strict,
        mutation: args.mutate.map(|results| Mutation {
            results,
            seed: args.seed,
        }),
    };
    let validation = Validation::new(&args.spec, options, collection, request)?.with_scrutiny(scrutiny);
    let reports = args.job.reports(&look, &mut out)?.with_coverage(args.coverage);
    reports.of(&inputs, args.job.jobs(), &|input, progress| {
        validation.check(input, progress)
    })
}

/// Checks logs: lines of events and variables.
fn run_logs(
    args: &ValidateArgs,
    options: LinkOptions,
    look: &Look,
    out: &mut Output,
) -> Result<Exit, CliError> {
    if args.mutate.is_some() {
        let message = "--mutate changes the results of operations, and a log has none";
        return Err(CliError::Usage(message.to_owned()));
    }
    let mut options = options;
    if let Some(skew) = args.skew {
        options.file.log.allow_skew(skew).map_err(CliError::Usage)?;
    }
    let limits = args.criteria.options().limits;
    let rules = args.extract.as_deref().map(ExtractionRules::read).transpose()?;
    let validation = LogValidation::new(&args.spec, options, args.constants_file.as_deref(), limits)?
        .with_extraction(rules)
        .with_strictness(args.strict)
        .with_naive_search(args.criteria.options().naive)
        .with_following(args.follow);
    let mut inputs = Input::all(&args.traces, &args.job.reading(&[])?, Some(interrupt::flag()))?;
    if args.merge {
        inputs.truncate(1);
    }
    if args.follow && inputs.len() != 1 {
        let message = "--follow takes one log; run the command once for each";
        return Err(CliError::Usage(message.to_owned()));
    }
    args.watch.check(inputs.len())?;
    let together = Mutex::new(LogCoverage::default());
    let reports = args.job.reports(look, out)?.with_coverage(args.coverage);
    let exit = reports.of(&inputs, args.job.jobs(), &|input, progress| {
        let evidence = args.watch.over(&input.name, progress, || {
            if args.merge {
                validation.check(&args.traces, progress)
            } else {
                validation.check(&[PathBuf::from(&input.name)], progress)
            }
        });
        if let Some(findings) = &evidence.log {
            let mut together = together.lock().unwrap_or_else(|error| error.into_inner());
            together.add(findings);
        }
        evidence
    })?;
    let together = together.into_inner().unwrap_or_else(|error| error.into_inner());
    if args.coverage && together.logs > 1 {
        out.print(&if args.job.is_json() {
            format!("{{\"coverage\":{}}}\n", together.to_json())
        } else {
            log_coverage_text(&together, look)
        })?;
    }
    Ok(exit)
}
