//! A campaign: run, check, keep, until there is enough.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use omnilink_evidence::{CheckedTrace, Verdict};
use thiserror::Error;

use crate::chaos::{Chaos, ChaosError};
use crate::disk_room::is_full;
use crate::finding::{Finding, FindingKind};
use crate::host::{host_name, now_ns, unique_id};
use crate::kept_files::{kept_files, no_trace};
use crate::planned_run::{PlannedRun, Shard};
use crate::process::{Ended, HarnessCommand, ProcessEnding};
use crate::repetition::resolve;
use crate::store::{CampaignRecord, KeptFile, RunRecord, Store, StoreError};
use crate::thread_counts::ThreadCounts;

/// What a campaign does.
#[derive(Clone, Debug)]
pub struct CampaignOptions {
    /// The harness with its arguments.
    pub command: Vec<OsString>,
    /// The folder in which it is started.
    pub directory: PathBuf,
    /// The campaign's name: machines that share one use the same, and a campaign that is in the store goes on. A new one if `None`.
    pub name: Option<String>,
    /// The specification or model, for the store.
    pub subject: String,
    /// What belongs to it, as words of a command line, for the store.
    pub subject_options: Vec<String>,
    /// How rare interleavings are made to happen.
    pub chaos: Chaos,
    /// The seed of everything.
    pub seed: u64,
    /// How many runs at a time.
    pub jobs: NonZeroUsize,
    /// After how many runs to stop.
    pub runs: Option<u64>,
    /// After which time to stop.
    pub time: Option<Duration>,
    /// Whether to stop at the first finding.
    pub until_finding: bool,
    /// After which time a run is hung.
    pub run_time_limit: Duration,
    /// The part of the runs to make here.
    pub shard: Option<Shard>,
    /// Whether traces of valid runs are kept.
    pub keeps_valid: bool,
    /// What every run is told in its environment; stored with each run, so that it can be repeated.
    pub environment: BTreeMap<String, String>,
    /// From how many threads the number for each run is drawn; the harness's own number if `None`.
    pub threads: Option<ThreadCounts>,
}

impl CampaignOptions {
    /// A campaign of this command, without a limit.
    pub fn new(command: Vec<OsString>, directory: PathBuf) -> Self {
        Self {
            command,
            directory,
            name: None,
            subject: String::new(),
            subject_options: Vec::new(),
            chaos: Chaos::None,
            seed: 0,
            jobs: NonZeroUsize::MIN,
            runs: None,
            time: None,
            until_finding: false,
            run_time_limit: Duration::from_secs(60),
            shard: None,
            keeps_valid: true,
            environment: BTreeMap::new(),
            threads: None,
        }
    }
}

/// A run that is over and stored.
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// The run.
    pub record: RunRecord,
    /// Whether no run before had its signature.
    pub is_new: bool,
}

/// Why a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All runs were made.
    Runs,
    /// Time was up.
    Time,
    /// Something was found.
    Finding,
    /// It was interrupted.
    Interrupt,
}

/// Why a campaign cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Chaos.
    #[error(transparent)]
    Chaos(#[from] ChaosError),
    /// No harness.
    #[error("which harness? Give it after --, such as: omnilink fuzz --spec Queue.tla -- ./harness")]
    NoCommand,
    /// The harness cannot be started.
    #[error("{}: cannot be started: {error}; give the path of a program that can be executed", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The disk with the runs' files.
    #[error("{}: the disk is full, and no trace can be written; make room, or set TMPDIR to a folder with room", .0.display())]
    Full(PathBuf),
    /// A folder for a run's files.
    #[error("a folder for the traces cannot be made in {}: {error}; set TMPDIR to a folder with room", folder.display())]
    Folder {
        /// Where.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Checks the trace in a folder.
pub type CheckTrace<'a> = dyn Fn(&Path) -> CheckedTrace + Sync + 'a;

/// A campaign that is being run.
#[derive(Debug)]
pub struct Campaign {
    options: CampaignOptions,
    id: String,
    store: Mutex<Store>,
    store_path: PathBuf,
    known: Mutex<BTreeSet<String>>,
    /// Runs that are in the store already.
    done: BTreeSet<u64>,
}

impl Campaign {
    /// Starts a campaign in a store, or goes on with one that is there.
    ///
    /// # Errors
    /// If the harness, the chaos or the store cannot be used.
    pub fn start(options: CampaignOptions, store: Store) -> Result<Self, CampaignError> {
        let Some(program) = options.command.first() else {
            return Err(CampaignError::NoCommand);
        };
        options.chaos.probe(&resolve(program, &options.directory))?;
        let id = options.name.clone().unwrap_or_else(unique_id);
        store.add_campaign(&CampaignRecord {
            id: id.clone(),
            started_at: now_ns(),
            host: host_name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            subject: options.subject.clone(),
            subject_options: options.subject_options.clone(),
            directory: options.directory.display().to_string(),
            command: options
                .command
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect(),
            chaos: options.chaos.to_string(),
            seed: options.seed,
            shard: options.shard.map(|shard| shard.to_string()),
        })?;
        Ok(Self {
            known: Mutex::new(
                store
                    .findings(None)?
                    .into_iter()
                    .map(|group| group.signature)
                    .collect(),
            ),
            done: store.numbers(&id)?.into_iter().collect(),
            store_path: std::path::absolute(store.path()).unwrap_or_else(|_| store.path().to_owned()),
            store: Mutex::new(store),
            options,
            id,
        })
    }

    /// Its identifier in the store.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Gives the store back.
    pub fn into_store(self) -> Store {
        self.store.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs until there is enough. `finished` is called for each run, from the thread that made it.
    ///
    /// # Errors
    /// If the harness cannot be started or the store not be written; runs that are over stay stored.
    pub fn run(
        &self,
        check: &CheckTrace<'_>,
        is_interrupted: &(dyn Fn() -> bool + Sync),
        finished: &(dyn Fn(&FinishedRun) + Sync),
    ) -> Result<Stop, CampaignError> {
        let started = Instant::now();
        let next = AtomicU64::new(0);
        let has_finding = AtomicBool::new(false);
        let failure: Mutex<Option<CampaignError>> = Mutex::new(None);
        let is_over = || {
            is_interrupted()
                || has_finding.load(Ordering::Relaxed)
                || self.options.time.is_some_and(|time| started.elapsed() >= time)
                || failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
        };
        let work = || {
            while !is_over() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if self.options.runs.is_some_and(|runs| number >= runs) {
                    return;
                }
                let is_mine = self.options.shard.is_none_or(|shard| shard.contains(number));
                if !is_mine || self.done.contains(&number) {
                    continue;
                }
                match self.one(&self.plan(number), check, &is_over) {
                    Ok(None) => return,
                    Ok(Some(run)) => {
                        if run.record.finding.is_some() && self.options.until_finding {
                            has_finding.store(true, Ordering::Relaxed);
                        }
                        finished(&run);
                    }
                    Err(error) => {
                        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                        failure.get_or_insert(error);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.options.jobs.get() {
                scope.spawn(work);
            }
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        Ok(if is_interrupted() {
            Stop::Interrupt
        } else if has_finding.into_inner() {
            Stop::Finding
        } else if self.options.time.is_some_and(|time| started.elapsed() >= time) {
            Stop::Time
        } else {
            Stop::Runs
        })
    }

    /// What a run gets.
    fn plan(&self, number: u64) -> PlannedRun {
        let plan = PlannedRun {
            choices: self.options.environment.clone(),
            ..PlannedRun::new(self.options.seed, number)
        };
        plan.with_threads(self.options.threads)
    }

    /// Makes one run with the seed and the choices of another.
    ///
    /// # Errors
    /// If the harness cannot be started or the store not be written.
    pub fn repeat(
        &self,
        run: &RunRecord,
        check: &CheckTrace<'_>,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<FinishedRun>, CampaignError> {
        let plan = PlannedRun {
            number: run.number,
            seed: run.seed,
            choices: run.choices.clone(),
        };
        self.one(&plan, check, is_interrupted)
    }

    /// Makes one run and stores it. `None` if the campaign ended before the run did.
    fn one(
        &self,
        plan: &PlannedRun,
        check: &CheckTrace<'_>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<FinishedRun>, CampaignError> {
        let started = Instant::now();
        let started_at = now_ns();
        let folder = tempfile::Builder::new()
            .prefix("omnilink-run-")
            .tempdir()
            .map_err(|error| CampaignError::Folder {
                folder: std::env::temp_dir(),
                error,
            })?;
        let trace = folder.path().join("trace");
        let recording = self.recording(plan);
        let ended = self.execute(plan, &trace, &recording, is_over)?;
        if ended.ending == ProcessEnding::Stopped {
            return Ok(None);
        }
        let stderr = String::from_utf8_lossy(&ended.stderr);
        let process = Finding::of_process(ended.ending, &stderr, ended.stacks.as_deref());
        let checked = match no_trace(&trace) {
            Some(why) => CheckedTrace::error(why),
            None => check(&trace),
        };
        // A run that recorded nothing for lack of room says nothing about the system, nor would the next.
        if checked.verdict == Verdict::Error && is_full(folder.path()) {
            return Err(CampaignError::Full(std::env::temp_dir()));
        }
        let finding = chosen(process, &checked);
        let record = RunRecord {
            id: 0,
            campaign: self.id.clone(),
            number: plan.number,
            seed: plan.seed,
            started_at,
            seconds: started.elapsed().as_secs_f64(),
            choices: plan.choices.clone(),
            ending: ended.ending.to_string(),
            verdict: checked.verdict,
            ops: checked.ops,
            threads: checked.threads,
            finding: finding.as_ref().map(|finding| finding.kind.word().to_owned()),
            signature: finding.as_ref().map(|finding| finding.signature.clone()),
            headline: finding.as_ref().map(|finding| finding.headline.clone()),
            coverage: checked.coverage.clone(),
        };
        let mut files = if finding.is_some() || self.options.keeps_valid {
            kept_files(&trace, &ended, &checked).map_err(|error| CampaignError::Folder {
                folder: trace.clone(),
                error,
            })?
        } else {
            Vec::new()
        };
        if recording.exists() {
            if finding.is_some() {
                files.push(KeptFile {
                    kind: "recording".to_owned(),
                    name: "recording.txt".to_owned(),
                    bytes: recording.display().to_string().into_bytes(),
                })
            } else {
                // Recordings are large; that of a run without a finding is of no use.
                drop(fs::remove_dir_all(&recording))
            }
        }
        self.keep(record, &files)
    }

    /// Where rr puts the recording of a run: beside the store, because it is too large to be in it.
    fn recording(&self, plan: &PlannedRun) -> PathBuf {
        let mut folder = self.store_path.clone().into_os_string();
        folder.push(".recordings");
        PathBuf::from(folder).join(format!("{}-{}", self.id, plan.number))
    }

    fn execute(
        &self,
        plan: &PlannedRun,
        trace: &Path,
        recording: &Path,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Ended, CampaignError> {
        let [program, arguments @ ..] = self.options.command.as_slice() else {
            return Err(CampaignError::NoCommand);
        };
        let environment = plan.environment(self.options.chaos, trace)?;
        let program = resolve(program, &self.options.directory);
        let (program, arguments) = self.options.chaos.wrap(program.as_os_str(), arguments, recording);
        let command = HarnessCommand {
            program: &program,
            arguments: &arguments,
            directory: &self.options.directory,
            environment: &environment,
            time_limit: self.options.run_time_limit,
            processors: plan.processors(),
        };
        command.run(is_over).map_err(|error| CampaignError::Start {
            program: program.into(),
            error,
        })
    }

    fn keep(&self, mut record: RunRecord, files: &[KeptFile]) -> Result<Option<FinishedRun>, CampaignError> {
        let stored = self
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add_run(&record, files)?;
        record.id = stored.unwrap_or_default();
        let is_new = record.signature.as_ref().is_some_and(|signature| {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(signature.clone())
        });
        Ok(Some(FinishedRun { record, is_new }))
    }
}

/// What counts most: a sanitizer's report or a crash says more than the violation that may come of it; a violation says more than
/// an exit code.
pub(crate) fn chosen(process: Option<Finding>, checked: &CheckedTrace) -> Option<Finding> {
    let of_trace = match checked.verdict {
        Verdict::Violation => Some(FindingKind::Violation),
        Verdict::Error => Some(FindingKind::Error),
        Verdict::Valid | Verdict::Unknown => None,
    };
    let of_trace = of_trace.map(|kind| {
        let headline = checked
            .headline
            .clone()
            .unwrap_or_else(|| checked.verdict.to_string());
        Finding::new(
            kind,
            checked.cause.as_deref().unwrap_or(&headline),
            headline.as_str(),
        )
    });
    match (process, of_trace) {
        (Some(process), Some(trace))
            if process.kind == FindingKind::Error && trace.kind == FindingKind::Violation =>
        {
            Some(trace)
        }
        (process, trace) => process.or(trace),
    }
}
