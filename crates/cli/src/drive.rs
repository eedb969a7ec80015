//! `omnilink drive`: a system driven through behaviours of its specification.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use omnilink_drive::{BehaviourTest, DriveOptions, DrivenSystem, DriverError};
use omnilink_evidence::{Command, Evidence, Limit, Subject, Verdict};
use omnilink_mc::{Explorer, ExplorerOptions, RecordedTrace, SearchLimits, SearchProgress, explore};
use omnilink_report::{TextOptions, counted, text};
use omnilink_tla::model::CompiledSpec;

use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{self, Drawing, Output};
use crate::quantity;
use crate::reports::EvidenceFile;
use crate::spec_args::{SpecArgs, named_expression};

/// What it is for.
pub(crate) const ABOUT: &str =
    "Drive a system through behaviours of its TLA+ specification, and compare its states";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct DriveArgs {
    #[command(flatten)]
    spec: SpecArgs,
    /// A behaviour in the ITF format, or a folder of them; may be given several times
    #[arg(long, value_name = "DIR", required = true)]
    tests: Vec<PathBuf>,
    /// The driver and its arguments: what omnilink gen driver writes, or any program that speaks the protocol of docs/drive.md
    #[arg(last = true, required = true, value_name = "DRIVER")]
    driver: Vec<String>,
    /// An expression over states that the driver may show; may be given several times
    #[arg(long, value_name = "NAME=EXPR", value_parser = named_expression)]
    observe: Vec<(String, String)>,
    /// Go on with the other behaviours after a difference
    #[arg(long = "continue")]
    continues: bool,
    /// The time that the driver has for each step: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = quantity::duration)]
    step_timeout: Duration,
    /// Give up after this time: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<Duration>,
    /// Give up rather than take more memory: 512MB, 2GB
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
    /// How many states the system may be in at a time, as far as its driver shows them
    #[arg(long, value_name = "N", default_value = "10000", value_parser = quantity::count)]
    states_max: u64,
    /// Also write the evidence to a file, for `omnilink report` and `omnilink view`
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Show all variables of every state, not only what changed
    #[arg(long)]
    full: bool,
    /// Print one JSON object per behaviour and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    drawing: Drawing,
}

const EXAMPLES: &str = "\
Examples:
  omnilink gen tests Spec.tla --out tests
  omnilink gen driver Spec.tla --lang python --out driver      then say in driver/system.py how to do each action
  omnilink drive Spec.tla --tests tests -- python3 driver/omnilink/driver.py
  omnilink drive Spec.tla --tests tests --continue --evidence why.json -- ./driver && omnilink view why.json
  omnilink drive Spec.tla --tests tests --observe 'length=Len(queue)' -- ./driver
  omnilink drive Spec.tla --tests bug.itf.json -- ./driver     a counterexample of omnilink mc, on the system

Exit codes: 0 the system does what the specification says; 1 it does not; 2 bad usage or bad input; 3 unknown: a limit was
reached, the driver did not answer in time, or does not implement an action yet.";

/// Runs the command.
pub(crate) fn run(args: &DriveArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    let evidence = args.evidence.as_deref().map(EvidenceFile::create).transpose()?;
    let tests = read_tests(&args.tests)?;
    let expressions: Vec<String> = args.observe.iter().map(|(_, text)| text.clone()).collect();
    let model = args.spec.build(&expressions)?;
    let options = drive_options(args, &model);
    let limits = ExplorerOptions {
        limits: SearchLimits {
            time: args.time_limit,
            memory_bytes: args.memory_limit.unwrap_or(SearchLimits::default().memory_bytes),
        },
        ..ExplorerOptions::default()
    };
    interrupt::listen();
    let live = Arc::new(SearchProgress::default());
    interrupt::tell(&live);
    let mut told = Told {
        args,
        text_options: TextOptions {
            full_states: args.full,
            ..TextOptions::from(look)
        },
        out: &mut out,
        evidence,
        counts: [0; 3],
        exit: Exit::Valid,
    };
    let _limits = limits.limits.begin();
    explore(&model, &limits, &live, &|text| eprintln!("{text}"), |explorer| {
        drive_all(explorer, &tests, &options, &mut told)
    })??;
    told.finish(tests.len())
}

fn drive_options(args: &DriveArgs, model: &CompiledSpec) -> DriveOptions {
    let observables = args.observe.iter().zip(&model.expressions);
    DriveOptions {
        command: args.driver.clone(),
        timeout: args.step_timeout,
        observables: observables
            .map(|((name, _), named)| (name.clone(), named.formula))
            .collect(),
        states_max: usize::try_from(args.states_max).unwrap_or(usize::MAX),
        is_interrupted: interrupt::is_raised,
    }
}

fn drive_all(
    explorer: &mut Explorer<'_>,
    tests: &[(PathBuf, RecordedTrace)],
    options: &DriveOptions,
    told: &mut Told<'_>,
) -> Result<(), CliError> {
    let mut system = DrivenSystem::new(options);
    for (path, trace) in tests {
        let input = path.display().to_string();
        let evidence = match BehaviourTest::of_trace(explorer, trace) {
            Ok(test) => system
                .drive(explorer, &input, &test)
                .map_err(|error: DriverError| CliError::Usage(error.to_string()))?,
            Err(error) => {
                let mut evidence = Evidence::new(Command::Drive, Subject::System, &input);
                evidence.fail(format!("{input}: {error}"));
                evidence
            }
        };
        if !told.add(evidence)? {
            break;
        }
    }
    Ok(())
}

/// The behaviours of files and folders, in the order of their names.
fn read_tests(paths: &[PathBuf]) -> Result<Vec<(PathBuf, RecordedTrace)>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let listed = std::fs::read_dir(path).map_err(|error| CliError::read(path, error))?;
        let mut found = Vec::new();
        for entry in listed {
            let file = entry.map_err(|error| CliError::read(path, error))?.path();
            if file.to_string_lossy().ends_with(".itf.json") {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(CliError::Usage(format!(
                "{}: there is no .itf.json in it; write tests with omnilink gen tests SPEC.tla --out {0}",
                path.display()
            )));
        }
        found.sort();
        files.extend(found);
    }
    let read = |path: PathBuf| -> Result<_, CliError> {
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        match RecordedTrace::read(&text) {
            Ok(trace) => Ok((path, trace)),
            Err(error) => Err(CliError::Trace { path, error }),
        }
    };
    files.into_iter().map(read).collect()
}

fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    CliError::Usage(format!(
        "{}: {error}; give behaviours of omnilink gen tests, or a folder of them",
        path.display()
    ))
}

/// What is printed and kept about the behaviours.
struct Told<'a> {
    args: &'a DriveArgs,
    text_options: TextOptions,
    out: &'a mut Output,
    evidence: Option<EvidenceFile<'a>>,
    /// How many behaviours are valid, violated and something else.
    counts: [usize; 3],
    exit: Exit,
}

impl Told<'_> {
    /// Adds the evidence of a behaviour. Returns whether to go on.
    fn add(&mut self, mut evidence: Evidence) -> Result<bool, CliError> {
        evidence.model = Some(self.args.spec.spec.display().to_string());
        evidence.config = self
            .args
            .spec
            .config
            .as_ref()
            .map(|config| config.display().to_string());
        let at = match evidence.verdict {
            Verdict::Valid => 0,
            Verdict::Violation => 1,
            Verdict::Unknown | Verdict::Error => 2,
        };
        self.counts[at] += 1;
        self.exit = self.exit.max(Exit::of(evidence.verdict));
        let is_interrupted = evidence
            .unknown
            .as_ref()
            .is_some_and(|unknown| unknown.limit == Limit::Interrupt);
        if is_interrupted {
            self.exit = Exit::Interrupted;
        }
        if let Some(file) = &mut self.evidence {
            file.add(&evidence.to_json());
        }
        if self.args.json {
            self.out.print(&format!("{}\n", evidence.to_json()))?;
        } else {
            if let Some(error) = &evidence.error {
                output::error(error);
            }
            for note in &evidence.notes {
                output::note(note);
            }
            if evidence.verdict != Verdict::Error {
                self.out.print(&text(&evidence, &self.text_options))?;
            }
        }
        let goes_on = match evidence.verdict {
            Verdict::Valid => true,
            _ => self.args.continues,
        };
        Ok(goes_on && !is_interrupted && !interrupt::is_raised())
    }

    fn finish(self, all: usize) -> Result<Exit, CliError> {
        let [valid, violated, other] = self.counts;
        if !self.args.json {
            let mut line = format!(
                "{}: {valid} of {} as the specification says",
                self.args.spec.spec.display(),
                counted(all as u64, "behaviour", "behaviours")
            );
            if violated > 0 {
                line.push_str(&format!(", {violated} not"));
            }
            if other > 0 {
                line.push_str(&format!(", {other} without an answer"));
            }
            match all - valid - violated - other {
                0 => {}
                left => line.push_str(&format!(", {left} not driven; --continue drives all")),
            }
            self.out.print(&format!("{line}\n"))?;
        }
        if let Some(file) = self.evidence {
            file.finish()?;
        }
        Ok(self.exit)
    }
}
