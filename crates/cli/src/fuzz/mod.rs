//! `omnilink fuzz`: run a harness under chaos, check every run, keep it all.

mod screen;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use omnilink_campaign::{Campaign, CampaignOptions, Chaos, Shard, Store, ThreadCounts};
use omnilink_lineup::opaque_libraries;
use omnilink_report::wrapped;
use omnilink_verify::NewFile;

use self::screen::Tally;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{self, Drawing, Output};
use crate::progress::ProgressLine;
use crate::quantity;
use crate::runs;
use crate::subject::SubjectArgs;

/// What it is for.
pub(crate) const ABOUT: &str =
    "Run a harness many times under chaos, check every run against a specification, and keep it all";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct FuzzArgs {
    #[command(flatten)]
    subject: SubjectArgs,
    /// How rare interleavings are made to happen: auto, schedule (an instrumented harness; repeatable), signals (any program), rr, none
    #[arg(long, value_name = "KIND", default_value = "auto")]
    chaos: String,
    /// Stop after this many runs; 100 if there is no --time either
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    runs: Option<u64>,
    /// Stop after this long: 30s, 10m, 8h
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time: Option<Duration>,
    /// Stop at the first finding
    #[arg(long)]
    until_violation: bool,
    /// How many runs at a time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// The seed from which the seeds of runs are derived
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A run that takes longer is hung, which is a finding
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = quantity::duration)]
    run_time_limit: Duration,
    /// How many threads the harness is asked to run (OMNILINK_THREADS): 4, or 2..8 for another number in each run
    #[arg(long, value_name = "N", value_parser = thread_counts)]
    threads: Option<ThreadCounts>,
    /// How many operations each thread is asked for (OMNILINK_OPS)
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    ops: Option<u64>,
    /// Bind each run to N processors, other ones for the next run: with 1 its threads take turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pin: Option<u16>,
    /// schedule: priorities that change N times, 0 for random decisions; otherwise a niceness from 0 to N for each thread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=64))]
    priorities: Option<u8>,
    /// A variable for the harness's environment; may be given several times
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    environment: Vec<(String, String)>,
    /// The store: one SQLite file, made if it is not there
    #[arg(long, value_name = "FILE", default_value = crate::runs::STORE)]
    store: PathBuf,
    /// The campaign's name, to go on with it or to share it between machines
    #[arg(long, value_name = "NAME")]
    campaign: Option<String>,
    /// The part of the runs to make here, of several machines: I/N
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Keep the traces of findings only
    #[arg(long)]
    drop_valid: bool,
    /// Write the evidence of the first run of each finding as JSON, one object a line
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Write a JUnit report: a failed test case for each finding, or one that passed
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Print one JSON object per run, and one for the campaign
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    drawing: Drawing,
    /// The harness with its arguments
    #[arg(last = true, value_name = "HARNESS", required = true)]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  omnilink fuzz --spec Queue.tla -- ./harness
  omnilink fuzz --model queue --until-violation --time 10m -- ./harness --rounds 3
  omnilink fuzz --spec Map.tla --chaos schedule --runs 5000 --jobs 4 -- ./instrumented-harness
  omnilink fuzz --model queue --runs 200 --junit fuzz.xml --sarif fuzz.sarif -- ./harness
  omnilink fuzz --model kv --shard 2/8 --campaign nightly --store shard-2.db -- python3 harness.py

The harness is any program that writes a trace into the folder OMNILINK_TRACE; see docs/recording.md. It finds its seed in
OMNILINK_SEED, and OMNILINK_THREADS and OMNILINK_OPS if they were given.

Exit codes: 0 nothing was found; 1 something was found; 2 bad usage, or runs that could not be checked; 3 interrupted.";

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("give NAME=VALUE".to_owned()),
    }
}

fn thread_counts(text: &str) -> Result<ThreadCounts, String> {
    text.parse::<ThreadCounts>().map_err(|error| error.to_string())
}

fn shard(text: &str) -> Result<Shard, String> {
    text.parse::<Shard>().map_err(|error| error.to_string())
}

/// Runs the command.
pub(crate) fn run(args: &FuzzArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    interrupt::listen();
    // Now, not when the campaign is over.
    for file in [&args.evidence, &args.junit, &args.sarif].into_iter().flatten() {
        NewFile::check(file)?;
    }
    let checker = args.subject.checker()?;
    let store = Store::create(&args.store)?;
    let options = args.options()?;
    let chaos = options.chaos;
    let opaque = match chaos {
        Chaos::Schedule => args.opaque_libraries(&options.directory),
        _ => Vec::new(),
    };
    if let (false, Some(note)) = (args.json, screen::not_switched_inside(&opaque)) {
        output::note(&note);
    }
    let campaign = Campaign::start(options, store)?;
    let tally = Mutex::new(Tally::default());
    let output = Mutex::new(&mut out);
    let failed: Mutex<Option<CliError>> = Mutex::new(None);
    let line = ProgressLine::counting("fuzz", "runs");
    let stop = campaign.run(&|trace| checker.check(trace), &interrupt::is_raised, &|run| {
        line.add_one();
        let lock = |error: std::sync::PoisonError<_>| error.into_inner();
        tally.lock().unwrap_or_else(lock).add(&run.record);
        let text = match args.json {
            true => format!("{}\n", screen::run_json(&run.record)),
            false if run.is_new => screen::finding(&run.record, &args.store, &look),
            false => return,
        };
        let printed = line.suspend(|| {
            output
                .lock()
                .unwrap_or_else(|error| error.into_inner())
                .print(&text)
        });
        if let Err(error) = printed {
            *failed.lock().unwrap_or_else(|error| error.into_inner()) = Some(error);
        }
    })?;
    drop(line);
    if let Some(error) = failed.into_inner().unwrap_or_else(|error| error.into_inner()) {
        return Err(error);
    }
    let id = campaign.id().to_owned();
    let store = campaign.into_store();
    let tally = tally.into_inner().unwrap_or_else(|error| error.into_inner());
    let groups = store.findings(Some(&id))?;
    let text = if args.json {
        format!("{}\n", screen::campaign_json(&id, stop, &tally, &groups, &opaque))
    } else {
        let summary = screen::summary(&tally, stop, &groups, chaos, &args.store, &look);
        let unseen = screen::not_switched_inside(&opaque).filter(|_| groups.is_empty());
        summary + &unseen.map(|note| wrapped("  ", &note, &look)).unwrap_or_default()
    };
    out.print(&text)?;
    args.write_reports(&store, &id)?;
    Ok(tally.exit(stop))
}

impl FuzzArgs {
    /// Writes what was found for other tools.
    fn write_reports(&self, store: &Store, campaign: &str) -> Result<(), CliError> {
        let (evidence, junit, sarif) = (&self.evidence, &self.junit, &self.sarif);
        if evidence.is_none() && junit.is_none() && sarif.is_none() {
            return Ok(());
        }
        let found = runs::evidence::of_findings(store, Some(campaign), &self.store)?;
        let write = |file: &Path, text: String| NewFile::check(file)?.write(text.as_bytes());
        if let Some(file) = evidence {
            write(file, found.iter().map(|one| one.to_json() + "\n").collect())?;
        }
        if let Some(file) = junit {
            write(file, omnilink_report::junit(&found))?;
        }
        if let Some(file) = sarif {
            write(file, omnilink_report::sarif(&found))?;
        }
        Ok(())
    }

    /// The libraries of the harness inside of which no schedule switches threads.
    fn opaque_libraries(&self, directory: &Path) -> Vec<String> {
        let program = self.command.first();
        program.map_or_else(Vec::new, |program| opaque_libraries(&directory.join(program)))
    }

    fn options(&self) -> Result<CampaignOptions, CliError> {
        let directory = std::env::current_dir()
            .map_err(|error| CliError::Usage(format!("the current folder cannot be used: {error}")))?;
        let program = self.command.first().map(PathBuf::from).unwrap_or_default();
        let chaos = match self.chaos.as_str() {
            "auto" => Chaos::auto(&directory.join(&program)),
            name => name.parse()?,
        };
        if !self.json && self.chaos == "auto" {
            output::note(&format!("--chaos {chaos}"));
        }
        let mut environment: BTreeMap<String, String> = self.environment.iter().cloned().collect();
        let numbers = [
            ("OMNILINK_OPS", self.ops),
            ("OMNILINK_PIN", self.pin.map(u64::from)),
            ("OMNILINK_PRIORITIES", self.priorities.map(u64::from)),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                environment.insert(name.to_owned(), number.to_string());
            }
        }
        let without_limit = self.runs.is_none() && self.time.is_none() && !self.until_violation;
        Ok(CampaignOptions {
            subject: self.subject.name().unwrap_or_default(),
            subject_options: self.subject.words(),
            name: self.campaign.clone(),
            chaos,
            seed: self.seed,
            jobs: NonZeroUsize::new(self.jobs.into()).unwrap_or(NonZeroUsize::MIN),
            runs: self.runs.or(without_limit.then_some(RUNS)),
            time: self.time,
            until_finding: self.until_violation,
            run_time_limit: self.run_time_limit,
            shard: self.shard,
            keeps_valid: !self.drop_valid,
            environment,
            threads: self.threads,
            ..CampaignOptions::new(self.command.clone(), directory)
        })
    }
}

/// Without a limit, a campaign makes this many runs.
const RUNS: u64 = 100;
