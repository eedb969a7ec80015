//! `omnilink mc`: explore the states of a TLA+ specification.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_mc::{
    CheckOptions, CheckpointOptions, RecordedTrace, SearchLimits, SearchMode, SearchProgress,
    SimulationOptions, TraceFormat,
};
use omnilink_report::{Look, TextOptions, shell_word, text};
use omnilink_tla::{CheckKind, GivenCheck};
use omnilink_verify::{McRequest, NewFile, RefusedSpec, SpecSource};

use crate::error::CliError;
use crate::exit::Exit;
use crate::mc_progress::McProgress;
use crate::output::{self, Output};
use crate::quantity;
use crate::reports::EvidenceFile;
use crate::spec_args::{EvaluatorChoice, SpecArgs};

/// What it is for.
pub(crate) const ABOUT: &str = "Explore the states of a TLA+ specification, and show how a property breaks";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct McArgs {
    #[command(flatten)]
    spec: SpecArgs,
    /// How many threads, or `auto` for one per core; the answer does not depend on it
    #[arg(long, short, value_name = "N", default_value = "1", value_parser = quantity::workers)]
    workers: u16,
    /// A definition or an expression that holds in every state, besides the configuration's; may be given several times
    #[arg(long = "inv", value_name = "NAME|EXPR")]
    invariants: Vec<String>,
    /// A property of all behaviours. Without a configuration, the behaviours are then those of Spec, if it is defined
    #[arg(long = "prop", value_name = "NAME|EXPR")]
    properties: Vec<String>,
    /// Only states that satisfy it are explored
    #[arg(long = "constraint", value_name = "NAME|EXPR")]
    constraints: Vec<String>,
    /// States with equal views count as one
    #[arg(long, value_name = "NAME|EXPR")]
    view: Option<String>,
    /// Explore the state found last first, with one worker
    #[arg(long, conflicts_with = "simulate")]
    dfs: bool,
    /// Generate N random behaviours instead of exploring all; 0 for as many as the time limit allows
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    simulate: Option<u64>,
    /// The same, but a specification that asks is told `generate`, as by TLC's -generate
    #[arg(long, value_name = "N", value_parser = quantity::count, conflicts_with_all = ["simulate", "dfs", "dump"])]
    generate: Option<u64>,
    /// What decides random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The deepest level to explore; the length of simulated behaviours, 100 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// A state without successors is a violation, whatever the configuration says
    #[arg(long, overrides_with = "no_deadlock")]
    deadlock: bool,
    /// A state without successors is none, whatever the configuration says
    #[arg(long)]
    no_deadlock: bool,
    /// Give up after this time: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<std::time::Duration>,
    /// Stay within this much memory: 512MB, 2GB; three quarters of what is available if not given
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
    /// Write the state graph: FILE.dot for Graphviz, anything else as one JSON object a line
    #[arg(long, value_name = "FILE", conflicts_with = "simulate")]
    dump: Option<PathBuf>,
    /// Where standard error is no terminal, the time between two lines that say how far it is; 0s for none
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "30s")]
    progress_every: std::time::Duration,
    /// Go on after a violation, and report one of each property that is violated
    #[arg(long = "continue")]
    continues: bool,
    /// Show the value of an expression in each state of a counterexample; x' is the value in the next one. May be given several times
    #[arg(long = "expr", value_name = "EXPR")]
    expressions: Vec<String>,
    /// Explore all states, whatever SYMMETRY the configuration names
    #[arg(long)]
    no_symmetry: bool,
    /// Write the counterexample to a file: FILE.itf.json, FILE.json as TLC's -dumpTrace, or FILE.dot for Graphviz
    #[arg(long, value_name = "FILE", value_parser = trace_file)]
    trace_out: Option<(PathBuf, TraceFormat)>,
    /// Write the counterexample as a specification with this one behaviour, and its configuration beside it; TLC reads them, too
    #[arg(long, value_name = "FILE.tla", value_parser = module_file)]
    trace_spec: Option<PathBuf>,
    /// Replay a trace instead of exploring: ITF, TLC's JSON, or evidence of an earlier run; says where it departs from the specification
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["dfs", "simulate", "generate", "dump", "depth"])]
    replay: Option<PathBuf>,
    /// Keep a checkpoint of the search in a folder, from which --resume goes on after a kill or a limit
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["dfs", "simulate", "generate", "dump", "continues", "replay", "resume"])]
    checkpoint: Option<PathBuf>,
    /// Go on with the search whose checkpoint is in a folder; takes the same specification and options
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["dfs", "simulate", "generate", "dump", "continues", "replay"])]
    resume: Option<PathBuf>,
    /// The time between two checkpoints: 30s, 10m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "5m")]
    checkpoint_every: std::time::Duration,
    /// Also write the evidence to a file, for `omnilink report` and `omnilink view`
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Show how often each action was taken and each definition evaluated
    #[arg(long)]
    coverage: bool,
    /// Say how much of the search was done by compiled code, and what is left to the evaluator, where and why
    #[arg(long)]
    explain_compile: bool,
    /// What expands states; compiled if not given. Changes the speed, not the answer
    #[arg(long, value_name = "WHICH", value_enum)]
    evaluator: Option<EvaluatorChoice>,
    /// Show all variables of every state of a counterexample, not only what changed
    #[arg(long)]
    full: bool,
    /// Let the specification run commands (IOExec and the like)
    #[arg(long)]
    allow_exec: bool,
    /// Integers of 32 bits, as in TLC; 64 if not given
    #[arg(long)]
    int32: bool,
    /// Warnings are errors: a translation that is not that of its PlusCal algorithm, and others
    #[arg(long)]
    strict: bool,
    /// Print one JSON object and nothing else; what the specification prints goes to standard error
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  omnilink mc Spec.tla
  omnilink mc Spec.tla --config Small.cfg --workers 4
  omnilink mc Spec.tla --const N=3 --const 'Procs={p1, p2}' --json
  omnilink mc Spec.tla --inv TypeOK --inv 'Len(queue) < 4' --prop Termination --constraint 'n < 10'
  omnilink mc Trace.tla --dfs --time-limit 60s
  omnilink mc Large.tla --simulate 10000 --depth 200 --seed 7
  omnilink mc Spec.tla --dump states.dot
  omnilink mc Spec.tla --continue                a counterexample to each property that is violated
  omnilink mc Spec.tla --expr 'Len(queue)' --expr 'x + y'
  omnilink mc Spec.tla --trace-out bug.itf.json  keep the counterexample ...
  omnilink mc Spec.tla --trace-spec Bug.tla      the counterexample as a specification, also for TLC
  omnilink mc Spec.tla --replay bug.itf.json     ... and see whether the changed specification still allows it
  omnilink mc Large.tla --checkpoint states --time-limit 1h   explore for an hour ...
  omnilink mc Large.tla --resume states                       ... and go on tomorrow
  omnilink mc Spec.tla --explain-compile         what runs as compiled code, and what does not
  omnilink mc Spec.tla --evidence run.json && omnilink view run.json
  omnilink mc examples/mc/Door.tla               a temporal property that needs strong fairness
  omnilink mc examples/pluscal/Ticket.tla        a PlusCal algorithm, which is translated in memory

Exit codes: 0 all states explored, nothing wrong; 1 a violation was found; 2 bad usage, bad input or an expression
that cannot be evaluated; 3 unknown: a limit was reached, or temporal properties were not checked.";

const BEHAVIOUR_LENGTH: u32 = 100;

fn trace_file(text: &str) -> Result<(PathBuf, TraceFormat), String> {
    match TraceFormat::of_file_name(text) {
        Some(format) => Ok((text.into(), format)),
        None => Err(format!(
            "\"{text}\" does not say the format: name it .itf.json, .json or .dot"
        )),
    }
}

/// A file that a module can be in.
fn module_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_tla = path.extension().is_some_and(|extension| extension == "tla");
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let is_name = name.is_some_and(|name| {
        name.chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && name.chars().any(|letter| letter.is_ascii_alphabetic())
    });
    match is_tla && is_name {
        true => Ok(path),
        false => Err(format!(
            "\"{text}\" is no file of a module: write a name of letters, digits and _, such as Bug.tla"
        )),
    }
}

/// Runs the command.
pub(crate) fn run(args: &McArgs) -> Result<Exit, CliError> {
    let mut out = Output::new(&Look::plain());
    // An hour later it would be too late to find out that a file cannot be written or read.
    let evidence = args.evidence.as_deref().map(EvidenceFile::create).transpose()?;
    let trace_out = args.trace_out.as_ref();
    let trace_out = trace_out
        .map(|(path, format)| Ok::<_, CliError>((NewFile::check(path)?, *format)))
        .transpose()?;
    let beside = args.trace_spec.as_ref().map(|path| path.with_extension("cfg"));
    let trace_spec = match (args.trace_spec.as_deref(), beside.as_deref()) {
        (Some(path), _) if path.file_stem() == args.spec.spec.file_stem() => {
            let message =
                "--trace-spec needs another name than that of the specification, which the new one extends";
            return Err(CliError::Usage(message.to_owned()));
        }
        (Some(path), Some(beside)) => Some((path, NewFile::check(path)?, NewFile::check(beside)?)),
        _ => None,
    };
    let trace = args.replay.as_deref().map(read_trace).transpose()?;
    let source = SpecSource {
        is_32_bit: args.int32,
        is_strict: args.strict,
        checks: checks(args),
        ..args.spec.source(&args.expressions)
    };
    let built = match source.build() {
        Ok(built) => built,
        Err(refused) => return refuse(args, &mut out, &refused),
    };
    let live = Arc::new(SearchProgress::default());
    let constants = format!("{:?}", args.spec.constants);
    let request = McRequest {
        options: options(args, trace.as_ref(), &constants),
        dump: args.dump.as_deref(),
        has_graph: evidence.is_some(),
        trace: trace_out.as_ref().map(|(_, format)| *format),
        trace_spec: args
            .trace_spec
            .as_deref()
            .and_then(Path::file_stem)
            .and_then(OsStr::to_str),
    };
    let explored = {
        let progress = McProgress::start(&source.spec.display().to_string(), &live, args.progress_every);
        let print = |text: &str| {
            progress.suspend(|| {
                if args.json {
                    eprintln!("{text}");
                } else {
                    println!("{text}");
                }
            });
        };
        built.explore(&source, &request, &live, &print)?
    };
    if let Some((file, _)) = trace_out {
        match explored.trace {
            Some(text) => file.write(text.as_bytes())?,
            None => output::note(&"there is no counterexample with states, so no trace was written"),
        }
    }
    if let Some((path, module, config)) = trace_spec {
        match explored.trace_spec {
            Some(written) => {
                module.write(written.module.as_bytes())?;
                config.write(written.config.as_bytes())?;
                output::note(&format!(
                    "the counterexample is the specification {}",
                    path.display()
                ));
            }
            None => output::note(
                &"there is no counterexample with the values of all variables, so no specification of it was written",
            ),
        }
    }
    let report = explored.evidence;
    if let Some(mut evidence) = evidence {
        evidence.add(&report.to_json());
        evidence.finish()?;
    }
    tell(args, &report, &mut out)?;
    Ok(Exit::of(report.verdict))
}

/// Invariants and the like that are given on the command line.
fn checks(args: &McArgs) -> Vec<GivenCheck> {
    let view: Vec<String> = args.view.iter().cloned().collect();
    let given = [
        (CheckKind::Invariant, &args.invariants),
        (CheckKind::Property, &args.properties),
        (CheckKind::Constraint, &args.constraints),
        (CheckKind::View, &view),
    ];
    let each = given.into_iter().flat_map(|(kind, texts)| {
        let text = texts.iter().cloned();
        text.map(move |text| GivenCheck { kind, text })
    });
    each.collect()
}

fn read_trace(path: &Path) -> Result<RecordedTrace, CliError> {
    let text = std::fs::read_to_string(path).map_err(|error| CliError::read(path, error))?;
    RecordedTrace::read(&text).map_err(|error| CliError::Trace {
        path: path.to_owned(),
        error,
    })
}

fn refuse(args: &McArgs, out: &mut Output, refused: &RefusedSpec) -> Result<Exit, CliError> {
    if args.json {
        out.print(&format!("{}\n", refused.to_json()))?;
    } else {
        eprint!("{}", refused.text());
    }
    Ok(Exit::BadInput)
}

fn options<'a>(args: &'a McArgs, trace: Option<&'a RecordedTrace>, constants: &'a str) -> CheckOptions<'a> {
    let default = SearchLimits::default();
    let folder = args.resume.as_deref().or(args.checkpoint.as_deref());
    CheckOptions {
        mode: match (trace, args.dfs, args.simulate.or(args.generate)) {
            (Some(trace), ..) => SearchMode::Replay(trace),
            (None, true, _) => SearchMode::DepthFirst,
            (None, false, None) => SearchMode::BreadthFirst,
            (None, false, Some(behaviours)) => SearchMode::Simulate(SimulationOptions {
                behaviours: (behaviours > 0).then_some(behaviours),
                depth_max: args.depth.unwrap_or(BEHAVIOUR_LENGTH),
                seed: args.seed,
                is_generated: args.generate.is_some(),
            }),
        },
        workers: usize::from(args.workers),
        limits: SearchLimits {
            time: args.time_limit,
            memory_bytes: args.memory_limit.unwrap_or(default.memory_bytes),
        },
        deadlock: match (args.deadlock, args.no_deadlock) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        },
        depth_max: args.depth,
        may_execute: args.allow_exec,
        is_32_bit: args.int32,
        seed: args.seed,
        evaluators: EvaluatorChoice::evaluators(args.evaluator),
        counts_definitions: args.coverage,
        explains_compilation: args.explain_compile,
        continues: args.continues,
        uses_symmetry: !args.no_symmetry,
        checkpoints: folder.map(|folder| CheckpointOptions {
            folder,
            is_resumed: args.resume.is_some(),
            interval: args.checkpoint_every,
            constants,
        }),
        ..CheckOptions::default()
    }
}

fn tell(args: &McArgs, report: &Evidence, out: &mut Output) -> Result<(), CliError> {
    if args.json {
        return out.print(&format!("{}\n", report.to_json()));
    }
    for note in &report.notes {
        output::note(note);
    }
    if has_no_step(report) {
        output::note(
            &"no step is possible in any state: the next-state relation is never true, so little was checked",
        );
    }
    if let Some(folder) = args.resume.as_ref().or(args.checkpoint.as_ref())
        && report.verdict == Verdict::Unknown
    {
        let has_checkpoint = std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
        let folder = folder.display().to_string();
        if has_checkpoint {
            output::note(&format!(
                "to go on from here, give --resume {} instead of --checkpoint",
                shell_word(&folder)
            ));
        } else {
            output::note(
                &"there is no checkpoint yet: it ended while initial states were enumerated, which cannot be resumed",
            );
        }
    }
    let options = TextOptions {
        coverage: args.coverage,
        full_states: args.full,
        ..TextOptions::from(Look::plain())
    };
    let page = text(report, &options);
    match report.verdict {
        // What could not be checked is no answer.
        Verdict::Error => {
            eprint!("{page}");
            Ok(())
        }
        _ => out.print(&page),
    }
}

/// Whether a search has found initial states and no step from any of them.
fn has_no_step(report: &Evidence) -> bool {
    let exploration = report.exploration.as_ref();
    report.verdict == Verdict::Valid
        && exploration.is_some_and(|exploration| {
            let is_search = exploration.distinct.is_some_and(|distinct| distinct > 0);
            let has_steps = exploration.coverage.iter().any(|action| action.generated > 0);
            is_search && exploration.depth <= 1 && !has_steps
        })
}
