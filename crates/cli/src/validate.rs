//! `omnilink validate`: does some behaviour of a TLA+ specification explain the trace?

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use omnilink_evidence::{Command, LogCoverage};
use omnilink_link::{LinkFile, LinkOptions, LogLink};
use omnilink_log_extract::ExtractionRules;
use omnilink_report::{Look, log_coverage_text};
use omnilink_verify::{CheckRequest, Input, LogValidation, Mutation, Scrutiny, Validation, is_log};

use crate::check::{Criteria, Job};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::linking::Linking;
use crate::output::{self, Output};
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
    let refused = args
        .criteria
        .refused_for_logs()
        .or_else(|| args.job.refused_for_logs());
    if let Some((option, reason)) = refused.or_else(|| args.linking.refused_for_logs()) {
        let message = format!("{option} means nothing for a log: {reason}; drop it");
        return Err(CliError::Usage(message));
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
    let has_several = inputs.len() > 1;
    let validation = validation.with_several(has_several);
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
    if has_several && exit == Exit::Valid {
        let unused = validation.without_effect();
        if args.strict && !unused.is_empty() {
            return Err(CliError::Usage(format!(
                "all logs are explained, but --strict does not accept what had no effect on any of them: {}",
                unused.join("; ")
            )));
        }
        unused.iter().for_each(|unused| output::note(unused));
    }
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
