//! `omnilink lineup`: does a component do concurrently what it does serially?

mod harness;
mod outlook;
mod specification;

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use omnilink_engine::default_memory_bytes;
use omnilink_evidence::Evidence;
use omnilink_lineup::{
    Blocking, CampaignSubject, CheckedMatrix, Description, Diagnosis, HarnessCommand, HarnessError,
    LineupOptions, Matrices, Matrix, MatrixExecutor, MatrixVerdict, MemoryModel, Request, RunSelection,
    Schedule, ScheduleError, Scheduled, ScheduledOptions, SerialCriterion, SerialObservation, Specification,
    StopConditions, behavioural_diff, read_observations, run_campaign, run_schedule, write_observations,
    write_xml,
};
use omnilink_report::{Look, TextOptions, text};
use omnilink_sched::SchedError;
use omnilink_verify::{NewFile, peak_bytes};

use self::harness::{Built, Engine, Target};
use self::outlook::Outlook;
use self::specification::{Explained, SpecificationArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{self, Drawing, Output};
use crate::progress::ProgressLine;
use crate::quantity;
use crate::reports::EvidenceFile;

/// What it is for.
pub(crate) const ABOUT: &str = "Find concurrency bugs with no specification: a component's serial runs are the specification of its concurrent ones";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct LineupArgs {
    #[command(flatten)]
    target: Target,
    /// Check this matrix only: threads apart by bars, {initial} and {final} calls in braces
    #[arg(long, value_name = "MATRIX", help_heading = MATRICES)]
    matrix: Vec<String>,
    /// Check N random matrices
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = MATRICES)]
    samples: u64,
    /// The shape of random matrices: threads x calls
    #[arg(long, value_name = "TxC", default_value = "3x3", value_parser = shape, help_heading = MATRICES)]
    shape: (usize, usize),
    /// Check all matrices up to N threads of N calls, small ones first, and no random ones
    #[arg(long, value_name = "N", help_heading = MATRICES)]
    auto: Option<usize>,
    /// Run this schedule of the matrix and nothing else
    #[arg(long, value_name = "SCHEDULE", requires = "matrix", help_heading = RUNS)]
    schedule: Option<String>,
    /// With the schedule: switch at these plain accesses too, as a report gives them
    #[arg(long, value_name = "PLACES", value_delimiter = ',', value_parser = place, requires = "schedule", help_heading = RUNS)]
    switch_at: Vec<u64>,
    /// Make all runs with up to N preemptions
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = RUNS)]
    preemptions: u32,
    /// Make N random runs of each matrix instead
    #[arg(long, value_name = "N", conflicts_with = "pct", help_heading = RUNS)]
    random: Option<u64>,
    /// Make N runs with random priorities instead
    #[arg(long, value_name = "N", help_heading = RUNS)]
    pct: Option<u64>,
    /// How many times priorities change in such a run
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = RUNS)]
    depth: u32,
    /// The most concurrent runs of a matrix
    #[arg(long, value_name = "N", default_value = "20000", value_parser = quantity::count, help_heading = RUNS)]
    executions: u64,
    /// The most serial runs of a matrix
    #[arg(long, value_name = "N", default_value = "200000", value_parser = quantity::count, help_heading = RUNS)]
    serial_max: u64,
    /// The most steps of a run: one that is still going on then is cut, and nothing follows from it
    #[arg(long, value_name = "N", default_value = "20000", value_parser = quantity::count, help_heading = RUNS)]
    steps: u64,
    /// Also switch threads at accesses that are not atomic
    #[arg(long, help_heading = RUNS)]
    plain: bool,
    /// Which stores an atomic load may read: the newest one, or each that the memory orders of C11 and C++20 allow
    #[arg(long, value_name = "MODEL", value_enum, default_value_t = Memory::Sc, help_heading = RUNS)]
    memory: Memory,
    /// With `--memory c11`: make all runs in which up to N accesses read a store other than the newest
    #[arg(long, value_name = "N", default_value_t = STALE_READS, help_heading = RUNS)]
    stale_reads: u32,
    /// Do not look for data races
    #[arg(long, help_heading = RUNS)]
    no_races: bool,
    /// Make all runs, also those whose history another run shows
    #[arg(long, help_heading = RUNS)]
    no_reduction: bool,
    /// Equal seeds give equal matrices and equal runs
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = RUNS)]
    seed: u64,
    /// How many processors to use; all if not given
    #[arg(long, short, value_name = "N", help_heading = RUNS)]
    jobs: Option<usize>,
    /// Stop after this long: 30s, 10m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, help_heading = RUNS)]
    time_limit: Option<Duration>,
    /// Stop when the command and the processes it started hold this much: 512MB, 2GB
    #[arg(long, value_name = "BYTES", value_parser = quantity::memory, help_heading = RUNS)]
    memory_limit: Option<u64>,
    /// No call may ever block: a run that is stuck is a violation
    #[arg(long)]
    no_blocking: bool,
    #[command(flatten)]
    specification: SpecificationArgs,
    /// Write the serial histories: what the component does one call at a time
    #[arg(long, value_name = "FILE", help_heading = OBSERVATIONS)]
    observations: Option<PathBuf>,
    /// Write the serial histories as the XML of the Line-Up paper
    #[arg(long, value_name = "FILE", help_heading = OBSERVATIONS)]
    xml: Option<PathBuf>,
    /// Tell how serial behaviour differs from that in this file of another version
    #[arg(long, value_name = "FILE", help_heading = OBSERVATIONS)]
    compare: Option<PathBuf>,
    /// Write the full evidence as JSON, one object per component
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Print one JSON object per component and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    drawing: Drawing,
}

/// The memory model of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Memory {
    /// Sequentially consistent
    Sc,
    /// The memory orders of C11, C++20 and Rust
    C11,
}

/// Most weak behaviour needs one.
const STALE_READS: u32 = 1;

const MATRICES: &str = "Matrices";
const RUNS: &str = "Runs";
const OBSERVATIONS: &str = "Observations";

const EXAMPLES: &str = "\
Examples:
  omnilink lineup                                  check lineup/*.rs of this package
  omnilink lineup --bin queue --auto 3             all matrices up to 3 x 3
  omnilink lineup --cpp queue.cpp --cxxflag=-Iinclude
  omnilink lineup --matrix 'push(1) | pop()' --preemptions 3
  omnilink lineup --memory c11 --stale-reads 2     loads may read older stores, as their memory orders allow
  omnilink lineup --model queue --consistency sequential
  omnilink lineup --spec Queue.tla --config Queue.cfg
  omnilink lineup --engine native --cpp store.cpp --cxxflag=-lwiredtiger
  omnilink lineup --observations new.json --compare old.json
  omnilink lineup --bin queue --evidence why.json; omnilink view why.json

Exit codes: 0 no violation; 1 a violation; 2 bad usage or bad input; 3 unknown.";

/// Runs the command.
pub(crate) fn run(args: &LineupArgs) -> Result<Exit, CliError> {
    // What runs under test gets its memory as it would without us.
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    if args.memory == Memory::C11 && args.target.engine == Engine::Native {
        return Err(CliError::Usage(
            "--memory c11 needs a component that is instrumented: leave out --engine native, which shows what this processor \
             does"
                .to_owned(),
        ));
    }
    let mut files = Files::check(args)?;
    let explained = args.specification.explained()?;
    let schedule = args.schedule.as_deref().map(parse_schedule).transpose()?;
    let mut observations = Vec::new();
    let mut exits = Vec::new();
    let all = args.target.build()?;
    // From here on Ctrl-C ends the check with a report. A build that is interrupted has nothing to report.
    interrupt::listen();
    for built in all {
        if !exits.is_empty() && interrupt::is_raised() {
            exits.push(Exit::Unknown);
            break;
        }
        let evidence = args.check(
            &built,
            &explained,
            schedule.as_ref(),
            &mut observations,
            &look,
            &mut out,
        )?;
        let Some(evidence) = evidence else { continue };
        if let Some(file) = &mut files.evidence {
            file.add(&evidence.to_json());
        }
        exits.push(Exit::of(evidence.verdict));
    }
    let Some(mut worst) = exits.into_iter().max() else {
        return Err(CliError::Usage(
            "no #[test] function offers a component; let one end in `.test()` of omnilink_harness::Component"
                .to_owned(),
        ));
    };
    if let Some(path) = &args.compare {
        let old = File::open(path).map_err(|error| {
            CliError::Usage(format!(
                "{}: {error}; name a file that `--observations` wrote",
                path.display()
            ))
        })?;
        let old = read_observations(&path.display().to_string(), BufReader::new(old))
            .map_err(|error| CliError::Usage(error.to_string()))?;
        let difference = behavioural_diff(&old, &observations);
        if !difference.is_empty() {
            output::note(&format!(
                "serial behaviour differs from that in {}",
                path.display()
            ));
            if !args.json {
                let lines = difference.lines().map(|line| format!("{}\n", look.clean(line)));
                out.print(&lines.collect::<String>())?;
            }
            worst = worst.max(Exit::Violation);
        }
    }
    files.write(&observations)?;
    Ok(worst)
}

impl LineupArgs {
    fn check(
        &self,
        built: &Built,
        explained: &Explained<'_>,
        schedule: Option<&Schedule>,
        observations: &mut Vec<SerialObservation>,
        look: &Look,
        out: &mut Output,
    ) -> Result<Option<Evidence>, CliError> {
        let bad = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        let (mut executor, description) = match self.start(&built.harness) {
            Ok(started) => started,
            // A function that offers no component is a test like any other.
            Err(HarnessError::Start(SchedError::NotAHarness { .. })) if built.is_a_guess => return Ok(None),
            Err(error) => return Err(bad(&error)),
        };
        let executor = &mut *executor;
        let options = self.options(&description, explained.criterion());
        let specification = explained.specification(&description.alphabet, options.stop)?;
        let specification = specification.as_ref();
        let request = Request {
            alphabet: &description.alphabet,
            options: &options,
            specification,
        };
        let command = format!(
            "{}{}{}",
            built.command,
            self.specification.arguments(),
            self.memory_arguments()
        );
        let subject = CampaignSubject {
            name: &description.name,
            alphabet: &description.alphabet,
            specification: specification.map(Specification::name),
            command: &command,
        };
        let matrices = self.matrices(&description)?;
        let total = matrices.at_most(&description.alphabet);
        let outlook = Arc::new(Outlook::new(
            &description.name,
            total,
            self.processors(),
            options.stop.deadline,
        ));
        let shown = Arc::clone(&outlook);
        let progress = ProgressLine::showing(move |executions, elapsed_s| {
            shown.text(executions, elapsed_s, Instant::now())
        });
        let tick = &mut || progress.add_one();
        let mut seen = |checked: &CheckedMatrix| {
            outlook.add_matrix(Instant::now());
            if let Some(found) = found_text(&description, checked) {
                output::note(&found);
            }
            observations.push(SerialObservation::of(checked, &description.alphabet));
        };
        let summary = match (schedule, &matrices) {
            (Some(schedule), Matrices::Given(given)) => {
                let [matrix] = given.as_slice() else {
                    return Err(CliError::Usage(
                        "--schedule is of one matrix: give one --matrix".to_owned(),
                    ));
                };
                executor.add_racy_accesses(&self.switch_at);
                run_schedule(executor, request, matrix, schedule, tick)
            }
            _ => run_campaign(executor, request, &matrices, &mut seen, tick),
        };
        let summary = summary.map_err(|error| bad(&error))?;
        drop(progress);
        let mut evidence = subject.evidence(&summary);
        evidence.figures.peak_bytes = peak_bytes();
        match self.json {
            true => out.print(&format!("{}\n", evidence.to_json()))?,
            false => out.print(&text(&evidence, &TextOptions::from(*look)))?,
        }
        Ok(Some(evidence))
    }

    fn memory_model(&self) -> MemoryModel {
        match self.memory {
            Memory::Sc => MemoryModel::SequentiallyConsistent,
            Memory::C11 => MemoryModel::Cpp20 {
                stale_max: self.stale_reads,
            },
        }
    }

    /// The arguments that a command needs to make runs under the same memory model.
    fn memory_arguments(&self) -> String {
        match (self.memory, self.stale_reads) {
            (Memory::Sc, _) => String::new(),
            (Memory::C11, STALE_READS) => " --memory c11".to_owned(),
            (Memory::C11, many) => format!(" --memory c11 --stale-reads {many}"),
        }
    }

    /// How many runs are made at a time.
    fn processors(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(all).max(1)
    }

    fn start(
        &self,
        harness: &HarnessCommand,
    ) -> Result<(Box<dyn MatrixExecutor>, Description), HarnessError> {
        let processors = self.processors();
        Ok(match self.target.engine {
            Engine::Instrumented => {
                let options = ScheduledOptions {
                    plain_accesses: self.plain,
                    reduction: !self.no_reduction,
                    steps_max: self.steps,
                    races: !self.no_races,
                    memory_model: self.memory_model(),
                    processors,
                };
                let (executor, description) = Scheduled::start(harness, options)?;
                (Box::new(executor), description)
            }
            #[cfg(not(target_os = "linux"))]
            Engine::Native => {
                return Err(HarnessError::System(
                    omnilink_sched::build::BuildError::Unsupported,
                ));
            }
            #[cfg(target_os = "linux")]
            Engine::Native => {
                let (executor, description) =
                    omnilink_lineup::NativeThreads::start(harness, self.seed, processors)?;
                (Box::new(executor), description)
            }
        })
    }

    fn options(&self, description: &Description, criterion: SerialCriterion) -> LineupOptions {
        let search = match (self.random, self.pct) {
            _ if self.target.engine == Engine::Native => RunSelection::Random {
                executions: self.random.unwrap_or(self.executions),
            },
            (Some(executions), _) => RunSelection::Random { executions },
            (None, Some(executions)) => RunSelection::Pct {
                executions,
                depth: self.depth,
            },
            (None, None) => RunSelection::Bounded {
                preemptions: self.preemptions,
            },
        };
        LineupOptions {
            criterion,
            blocking: match self.no_blocking {
                true => Blocking::Never,
                false => description.blocking,
            },
            search,
            seed: self.seed,
            serial_max: self.serial_max,
            // A number of random runs that was asked for is kept.
            executions_max: self.random.or(self.pct).unwrap_or(self.executions),
            stop: StopConditions {
                deadline: self
                    .time_limit
                    .and_then(|limit| Instant::now().checked_add(limit)),
                memory_bytes_max: self.memory_limit.or_else(default_memory_bytes),
                interrupt: Some(interrupt::atomic()),
            },
            ..LineupOptions::default()
        }
    }

    /// What failed once comes first, then what is small, then random matrices.
    fn matrices(&self, description: &Description) -> Result<Matrices, CliError> {
        let parse = |text: &String| {
            Matrix::parse(text, &description.alphabet).map_err(|error| CliError::Usage(error.to_string()))
        };
        if !self.matrix.is_empty() {
            return Ok(Matrices::Given(
                self.matrix.iter().map(parse).collect::<Result<_, _>>()?,
            ));
        }
        let regressions = Matrices::Given(
            description
                .regressions
                .iter()
                .map(parse)
                .collect::<Result<_, _>>()?,
        );
        let others = match self.auto {
            Some(largest) => Matrices::Growing { largest },
            None => Matrices::Then(
                Box::new(Matrices::Growing { largest: 2 }),
                Box::new(Matrices::Random {
                    threads: self.shape.0,
                    cells: self.shape.1,
                    samples: self.samples,
                }),
            ),
        };
        Ok(Matrices::Then(Box::new(regressions), Box::new(others)))
    }
}

/// Files to be written at the end.
struct Files<'a> {
    evidence: Option<EvidenceFile<'a>>,
    observations: Option<NewFile<'a>>,
    xml: Option<NewFile<'a>>,
}

impl<'a> Files<'a> {
    fn check(args: &'a LineupArgs) -> Result<Self, CliError> {
        Ok(Self {
            evidence: args.evidence.as_deref().map(EvidenceFile::create).transpose()?,
            observations: args.observations.as_deref().map(NewFile::check).transpose()?,
            xml: args.xml.as_deref().map(NewFile::check).transpose()?,
        })
    }

    fn write(self, observations: &[SerialObservation]) -> Result<(), CliError> {
        if let Some(file) = self.evidence {
            file.finish()?;
        }
        // Writing into memory does not fail.
        let mut bytes = Vec::new();
        if let Some(file) = self.observations {
            write_observations(&mut bytes, observations).map_err(CliError::Output)?;
            file.write(&bytes)?;
        }
        if let Some(file) = self.xml {
            bytes.clear();
            write_xml(&mut bytes, observations).map_err(CliError::Output)?;
            file.write(&bytes)?;
        }
        Ok(())
    }
}

/// What was found, before it is made smaller: that may take as long again.
fn found_text(description: &Description, checked: &CheckedMatrix) -> Option<String> {
    if !checked.verdict.is_failure() {
        return None;
    }
    let headline = Diagnosis::of(checked).map_or("nondeterministic", |diagnosis| diagnosis.headline());
    let matrix = checked.matrix.display(&description.alphabet);
    let schedule = match &checked.verdict {
        MatrixVerdict::Violation(violation)
            if !violation.execution.schedule.is_empty() && !violation.is_serial =>
        {
            format!(" --schedule '{}'", violation.execution.schedule)
        }
        _ => String::new(),
    };
    let name = &description.name;
    Some(format!(
        "{name}: {headline}, found in --matrix '{matrix}'{schedule}; making it smaller"
    ))
}

fn parse_schedule(text: &str) -> Result<Schedule, CliError> {
    text.parse()
        .map_err(|error: ScheduleError| CliError::Usage(error.to_string()))
}

/// A place in a program, in hexadecimal digits.
fn place(text: &str) -> Result<u64, String> {
    let digits = text.trim().trim_start_matches("0x");
    u64::from_str_radix(digits, 16)
        .map_err(|_| format!("\"{text}\" is no place; copy what the report gives, such as 1a2b,3c4d"))
}

/// `3x2`: threads and calls.
fn shape(text: &str) -> Result<(usize, usize), String> {
    let wrong = || format!("\"{text}\" is no shape; write threads x calls, such as 3x2");
    let (threads, calls) = text.split_once(['x', '×']).ok_or_else(wrong)?;
    let number = |text: &str, most: usize| {
        text.trim()
            .parse()
            .ok()
            .filter(|number| (1..=most).contains(number))
    };
    let threads = number(threads, Matrix::THREADS_MAX).ok_or_else(wrong)?;
    let calls = number(calls, Matrix::CALLS_MAX).ok_or_else(wrong)?;
    Ok((threads, calls))
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn a_shape_is_threads_times_calls() {
        assert_eq!(shape("3x2"), Ok((3, 2)));
        for wrong in ["3", "0x3", "3x0", "17x1", "ax3", "3x65"] {
            assert!(
                shape(wrong).is_err_and(|message| message.contains("3x2")),
                "{wrong}"
            );
        }
    }
}
