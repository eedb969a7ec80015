//! `omnilink demo`: the whole loop: a specification, a harness, a campaign, a violation explained.
//!
//! The bug is planted and real: threads race for it, and no schedule is forced. So runs are made until it shows, which
//! takes a few; how many it took is told. Finding it is what the demonstration is for, so that is a success.

mod harness;
mod ring;
mod taken_twice;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use omnilink_campaign::{Campaign, CampaignOptions, Chaos, CheckedTrace, FinishedRun, Store};
use omnilink_engine::{Limits, Options};
use omnilink_evidence::{Command, Evidence, Verdict};
use omnilink_link::{CollectedConstants, LinkOptions};
use omnilink_report::{Look, TextOptions, Tone, count, text};
use omnilink_trace::OpenOptions;
use omnilink_verify::{CheckRequest, Input, NewFile, ProgressCounter, Validation};

use self::harness::{OPERATIONS_PER_THREAD, THREADS};
use self::ring::Ring;
use self::taken_twice::TakenTwice;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Drawing, Output};
use crate::progress::ProgressLine;

/// What it is for.
pub(crate) const ABOUT: &str =
    "See a bug found: two queues are run many times, recorded, and validated against a specification";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct DemoArgs {
    /// Keep the specification, the store with all runs, the violation's trace, its evidence and the report in this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Be the harness: run this queue, and write its trace into OMNILINK_TRACE
    #[arg(long, hide = true, value_name = "QUEUE")]
    harness: Option<String>,
    #[command(flatten)]
    drawing: Drawing,
}

const EXAMPLES: &str = "\
Examples:
  omnilink demo
  omnilink demo --keep demo && omnilink runs ls --store demo/runs.db

Exit code: 0 also when the planted bug is found; that is what the demonstration is for.";

const SPEC: &str = include_str!("Queue.tla");
const CONFIG: &str = "CONSTANT Nothing = null\n";
const CORRECT: &str = "two-locks";
const BUGGY: &str = "one-lock";
/// How often the correct queue is run.
const RUNS_OF_CORRECT: u64 = 10;
const RUNS_MAX: u64 = 400;
/// How often the bug is looked for, until it shows as one element that is taken twice.
const ATTEMPTS_MAX: u32 = 5;
const TIME_MAX: Duration = Duration::from_secs(15);

/// Runs the command.
pub(crate) fn run(args: &DemoArgs) -> Result<Exit, CliError> {
    if let Some(queue) = &args.harness {
        return be_harness(queue);
    }
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    interrupt::listen();
    let scratch = tempfile::tempdir().map_err(|error| CliError::write(std::env::temp_dir(), error))?;
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    std::fs::create_dir_all(folder).map_err(|error| CliError::write(folder, error))?;
    let spec = folder.join("Queue.tla");
    write(&spec, SPEC)?;
    write(&folder.join("Queue.cfg"), CONFIG)?;

    let total = count((THREADS * OPERATIONS_PER_THREAD) as u64);
    out.print(&heading(&look, "1. What is wanted: Queue.tla"))?;
    for line in SPEC.lines().skip_while(|line| !line.starts_with("enqueue")) {
        if !line.starts_with("====") {
            out.print(&format!("    {line}\n"))?;
        }
    }
    out.print(&format!(
        "\nIn each run {THREADS} threads share a queue and record {total} calls, while their threads are stalled at random. Then OmniLink\n\
         looks for an order of the calls that the specification allows and that respects when each call began and ended.\n\n"
    ))?;

    let demo = Demonstration {
        folder,
        validation: validation(&spec, false)?,
    };
    out.print(&heading(&look, "2. A ring with a lock at each end"))?;
    let correct = demo.campaign(CORRECT, RUNS_OF_CORRECT)?;
    out.print(&correct.line())?;

    out.print(&heading(
        &look,
        "\n3. The same ring after an \"optimisation\": dequeue takes no lock",
    ))?;
    let mut attempts = ATTEMPTS_MAX;
    let (report, twice) = loop {
        let buggy = demo.campaign(BUGGY, RUNS_MAX)?;
        out.print(&buggy.line())?;
        let Some(violation) = &buggy.violation else {
            out.print("  no two threads met at the head: run the demonstration again\n")?;
            return Ok(Exit::Valid);
        };
        let trace = folder.join("violation");
        if trace.exists() {
            std::fs::remove_dir_all(&trace).map_err(|error| CliError::write(&trace, error))?;
        }
        let trace = demo.store()?.export(violation.record.id, &trace)?;
        let report = explained(&spec, &trace)?;
        let twice = TakenTwice::find(&report, &trace);
        attempts -= 1;
        if twice.is_some() || attempts == 0 {
            break (report, twice);
        }
        out.print(
            "  that one shows the bug by what came later; once more, for one that shows it as it happens\n",
        )?;
    };
    let shown = text(&report, &TextOptions::from(look));
    out.print(&format!("\n{shown}"))?;
    if let Some(twice) = &twice {
        out.print(&twice.text(&look))?;
    }
    let plain = text(&report, &TextOptions::from(Look::plain()));
    write(&folder.join("evidence.json"), &report.to_json())?;
    write(&folder.join("report.txt"), &plain)?;
    out.print(
        "\nThe bug was planted: without the lock, two threads may find the same element at the head and both take it. No test\n\
         that looks at one thread can see that.\n",
    )?;
    if let Some(folder) = &args.keep {
        let folder = folder.display();
        out.print(&format!(
            "\nEverything is in {folder}: the specification, runs.db with every run, report.txt and evidence.json. Try:\n  \
             omnilink validate {folder}/Queue.tla {folder}/violation/trace --minimize\n  \
             omnilink runs ls --store {folder}/runs.db\n"
        ))?;
    }
    out.print(NEXT)?;
    Ok(match report.verdict {
        Verdict::Error => Exit::BadInput,
        _ => Exit::Valid,
    })
}

const NEXT: &str = "
Next: your own system. omnilink gen harness SPEC.tla --out DIR writes a harness for a specification, omnilink fuzz runs it
(docs/fuzzing.md). Or bring histories from Jepsen, Porcupine or fastlin: omnilink check HISTORY --model queue
";

fn be_harness(queue: &str) -> Result<Exit, CliError> {
    let Some(folder) = std::env::var_os("OMNILINK_TRACE") else {
        let message = "the harness of the demonstration is started by omnilink demo";
        return Err(CliError::Usage(message.to_owned()));
    };
    harness::run(&Ring::new(queue == CORRECT), Path::new(&folder), queue)?;
    Ok(Exit::Valid)
}

fn heading(look: &Look, text: &str) -> String {
    format!("{}\n", look.paint(Tone::Strong, text))
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    Ok(NewFile::check(path)?.write(text.as_bytes())?)
}

fn validation(spec: &Path, minimize: bool) -> Result<Validation, CliError> {
    let options = LinkOptions {
        config: Some(spec.with_extension("cfg")),
        ..LinkOptions::default()
    };
    let request = CheckRequest {
        command: Command::Validate,
        options: Options {
            limits: Limits {
                time: Some(TIME_MAX),
                ..Limits::default()
            },
            ..Options::default()
        },
        minimize,
        ..CheckRequest::new("Queue.tla")
    };
    Ok(Validation::new(
        spec,
        options,
        CollectedConstants::default(),
        request,
    )?)
}

/// The violation, of as few operations as will do.
fn explained(spec: &Path, trace: &Path) -> Result<Evidence, CliError> {
    let input = Input::new(trace, OpenOptions::default(), Some(interrupt::flag()))?;
    let line = ProgressLine::start(BUGGY);
    let mut report = validation(spec, true)?.check(&input, line.progress());
    BUGGY.clone_into(&mut report.input);
    // The folder is gone before anyone can look there, or its name is known.
    report.visit_operations(&mut |op| op.place = None);
    Ok(report)
}

struct Demonstration<'a> {
    folder: &'a Path,
    validation: Validation,
}

/// What a campaign of the demonstration gave.
struct Outcome {
    name: &'static str,
    runs: u64,
    ops: u64,
    seconds: f64,
    violation: Option<FinishedRun>,
}

impl Outcome {
    fn line(&self) -> String {
        let verdict = match &self.violation {
            Some(run) => format!("violation in run {}", run.record.number + 1),
            None => "all valid".to_owned(),
        };
        format!(
            "  {}: {} {}, {} operations in {:.1} s: {verdict}\n",
            self.name,
            count(self.runs),
            if self.runs == 1 { "run" } else { "runs" },
            count(self.ops),
            self.seconds
        )
    }
}

impl Demonstration<'_> {
    fn store(&self) -> Result<Store, CliError> {
        Ok(Store::create(&self.folder.join("runs.db"))?)
    }

    fn campaign(&self, name: &'static str, runs: u64) -> Result<Outcome, CliError> {
        let program = std::env::current_exe()
            .map_err(|error| CliError::Usage(format!("where is this program? {error}")))?;
        let chaos = match Chaos::Signals.probe(&program) {
            Ok(()) => Chaos::Signals,
            Err(_) => Chaos::None,
        };
        let command = vec![
            program.into_os_string(),
            "demo".into(),
            "--harness".into(),
            name.into(),
        ];
        let options = CampaignOptions {
            subject: self.folder.join("Queue.tla").display().to_string(),
            chaos,
            runs: Some(runs),
            time: Some(TIME_MAX),
            until_finding: true,
            ..CampaignOptions::new(command, self.folder.to_owned())
        };
        let started = std::time::Instant::now();
        let campaign = Campaign::start(options, self.store()?)?;
        let tally = Mutex::new(Outcome {
            name,
            runs: 0,
            ops: 0,
            seconds: 0.0,
            violation: None,
        });
        let line = ProgressLine::counting(name, "runs");
        campaign.run(&|trace| self.check(trace), &interrupt::is_raised, &|run| {
            line.add_one();
            let mut tally = tally.lock().unwrap_or_else(|error| error.into_inner());
            tally.runs += 1;
            tally.ops += (THREADS * OPERATIONS_PER_THREAD) as u64;
            if run.record.finding.is_some() {
                tally.violation = Some(run.clone());
            }
        })?;
        drop(line);
        let mut outcome = tally.into_inner().unwrap_or_else(|error| error.into_inner());
        outcome.seconds = started.elapsed().as_secs_f64();
        Ok(outcome)
    }

    fn check(&self, trace: &Path) -> CheckedTrace {
        let input = match Input::new(trace, OpenOptions::default(), Some(interrupt::flag())) {
            Ok(input) => input,
            Err(error) => return CheckedTrace::error(error.to_string()),
        };
        let evidence = self.validation.check(&input, &ProgressCounter::default());
        CheckedTrace {
            verdict: evidence.verdict,
            headline: evidence.error.clone(),
            cause: None,
            evidence: evidence.to_json(),
            ops: evidence.figures.ops,
            threads: evidence.figures.threads.unwrap_or_default(),
            coverage: BTreeMap::new(),
        }
    }
}
