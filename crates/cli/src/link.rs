//! `omnilink link`: how traces and a specification belong together, before anything is checked.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use omnilink_engine::{LimitWatch, Limits};
use omnilink_link::{EffectSummary, Linked, Outline, Survey};
use omnilink_report::Look;
use omnilink_trace::OpenOptions;
use omnilink_verify::{Input, LogSurvey, NewFile, VerifyError, collect, is_log, score};

use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::linking::Linking;
use crate::output::Output;
use crate::progress::ProgressLine;

/// What it is for.
pub(crate) const ABOUT: &str = "See and write down how traces belong to a TLA+ specification";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct LinkArgs {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  omnilink link init Map.tla run-1.ndjson -o omnilink.toml
  omnilink link check Map.tla run-1.ndjson --link omnilink.toml --explain";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a commented link file: the actions found, the fields seen, what is missing
    Init(InitArgs),
    /// Say which actions have no operation, which operations have no action, and how well the spec pins down what was recorded
    Check(CheckArgs),
}

#[derive(Debug, Args)]
struct InitArgs {
    /// The specification
    #[arg(value_name = "SPEC.tla")]
    spec: PathBuf,
    /// A trace to take operations and fields from
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    linking: Linking,
    /// Where to write it; standard output if not given
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// The specification
    #[arg(value_name = "SPEC.tla")]
    spec: PathBuf,
    /// The trace
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    #[command(flatten)]
    linking: Linking,
    /// Also say what each operation may read and change
    #[arg(long)]
    explain: bool,
}

/// Runs the command.
pub(crate) fn run(args: &LinkArgs) -> Result<Exit, CliError> {
    match &args.verb {
        Verb::Init(args) => init(args),
        Verb::Check(args) => check(args),
    }
}

fn survey(trace: &Path) -> Result<(Input, Survey), CliError> {
    let input = Input::new(trace, OpenOptions::default(), Some(interrupt::flag()))?;
    let mut survey = Survey::default();
    for operation in input.open()? {
        survey.observe(&operation?);
    }
    Ok((input, survey))
}

fn init(args: &InitArgs) -> Result<Exit, CliError> {
    let (options, _) = args.linking.options(&args.spec)?;
    let outline = Outline::read(&args.spec, &options)?;
    let spec = args.spec.display().to_string();
    let (actions, constants) = (&outline.actions, &outline.constants);
    let text = match &args.trace {
        Some(trace) if is_log(trace) => {
            let survey = LogSurvey::read(trace, None).map_err(VerifyError::from)?;
            survey.link_file(&spec, actions, constants)
        }
        Some(trace) => survey(trace)?.1.link_file(&spec, actions, constants),
        None => Survey::default().link_file(&spec, actions, constants),
    };
    match &args.output {
        Some(path) => NewFile::check(path)?.write(text.as_bytes())?,
        None => Output::new(&Look::plain()).print(&text)?,
    }
    Ok(Exit::Valid)
}

fn check(args: &CheckArgs) -> Result<Exit, CliError> {
    let (mut options, mut collection) = args.linking.options(&args.spec)?;
    let (input, survey) = survey(&args.trace)?;
    if !collection.is_empty() {
        collection = collect(&collection, &input, &mut LimitWatch::new(Limits::default()))?;
        options.collected = collection.finish().0;
    }
    let linked = Linked::load(&args.spec, &options)?;
    let mut out = Output::new(&Look::plain());
    let mut is_complete = true;
    for action in linked.actions() {
        let plain = action.name.trim_end_matches("_Step").trim_end_matches("_Done");
        let seen = survey.ops().get(&action.name).or_else(|| survey.ops().get(plain));
        let line = match seen {
            Some(seen) => format!("{}: {} operations", action.signature(), seen.count),
            None if action.in_next => format!(
                "{}: no operation of the trace ({})",
                action.signature(),
                action.at
            ),
            None => continue,
        };
        out.print(&format!("{line}\n"))?;
    }
    for (op, seen) in survey.without_action(linked.actions()) {
        if !linked.knows(op) {
            is_complete = false;
            out.print(&format!(
                "{op}: {} operations, but no action is called so\n",
                seen.count
            ))?;
        }
    }
    if args.explain && is_complete {
        let lines = linked.run(|model| {
            let mut explanation = EffectSummary::default();
            for operation in input.open()? {
                let bound = model.bind(&operation?).map_err(VerifyError::from)?;
                if let Some(instance) = bound.last() {
                    explanation.observe(model, instance);
                }
            }
            Ok::<_, CliError>(explanation.lines())
        })??;
        out.print("\n")?;
        for line in lines {
            out.print(&format!("{line}\n"))?;
        }
    }
    if is_complete {
        let line = ProgressLine::start(&input.name);
        let score = score(&linked, &input, line.progress())?;
        drop(line);
        for line in score {
            out.print(&line)?;
        }
    }
    Ok(if is_complete { Exit::Valid } else { Exit::BadInput })
}
