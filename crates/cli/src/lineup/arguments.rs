//! The arguments of `omnilink lineup`, and the options that they ask for.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use omnilink_lineup::{
    Blocking, Description, LineupOptions, Matrices, Matrix, MemoryModel, RunSelection, SerialCriterion,
    StopConditions,
};
use omnilink_memory::default_limit_bytes;
use omnilink_sched::ExploreOptions;

use super::harness::{Engine, Target};
use super::specification::SpecificationArgs;
use crate::error::CliError;
use crate::interrupt;
use crate::output::Drawing;
use crate::quantity;

/// What it is for.
pub(crate) const ABOUT: &str = "Find concurrency bugs with no specification: a component's serial runs are the specification of its concurrent ones";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct LineupArgs {
    #[command(flatten)]
    pub(super) target: Target,
    /// Check this matrix only: threads apart by bars, {initial} and {final} calls in braces
    #[arg(long, value_name = "MATRIX", help_heading = MATRICES)]
    pub(super) matrix: Vec<String>,
    /// Check N random matrices of each shape; 100 and, until the time limit, more if not given
    #[arg(long, value_name = "N", help_heading = MATRICES)]
    pub(super) samples: Option<u64>,
    /// The shape of random matrices: threads x calls; 3x2 and then 3x3 if not given
    #[arg(long, value_name = "TxC", value_parser = shape, help_heading = MATRICES)]
    pub(super) shape: Option<(usize, usize)>,
    /// Check all matrices up to N threads of N calls, small ones first, and no random ones
    #[arg(long, value_name = "N", help_heading = MATRICES)]
    pub(super) auto: Option<usize>,
    /// Run this schedule of the matrix and nothing else
    #[arg(long, value_name = "SCHEDULE", requires = "matrix", help_heading = RUNS)]
    pub(super) schedule: Option<String>,
    /// With the schedule: switch at these plain accesses too, as a report gives them
    #[arg(long, value_name = "PLACES", value_delimiter = ',', value_parser = place, requires = "schedule", help_heading = RUNS)]
    pub(super) switch_at: Vec<u64>,
    /// When a violation is reported, make its run again and open gdb before a step: the last one of the call that nothing explains, or this one
    #[arg(long, value_name = "STEP", num_args = 0..=1, require_equals = true, help_heading = RUNS)]
    pub(super) gdb: Option<Option<usize>>,
    /// Make all runs with up to N preemptions
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = RUNS)]
    pub(super) preemptions: u32,
    /// Make all runs in which a thread that waits by reading goes on up to N times although nothing has changed
    #[arg(long, value_name = "N", default_value_t = ExploreOptions::SPINS_MAX_DEFAULT, help_heading = RUNS)]
    pub(super) spins: u32,
    /// Make N random runs of each matrix instead
    #[arg(long, value_name = "N", conflicts_with_all = ["pct", "pos"], help_heading = RUNS)]
    pub(super) random: Option<u64>,
    /// Make N runs with random priorities instead
    #[arg(long, value_name = "N", conflicts_with = "pos", help_heading = RUNS)]
    pub(super) pct: Option<u64>,
    /// Make N runs with random priorities of steps instead (partial-order sampling)
    #[arg(long, value_name = "N", help_heading = RUNS)]
    pub(super) pos: Option<u64>,
    /// How many times priorities change in such a run
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = RUNS)]
    pub(super) depth: u32,
    /// The most concurrent runs of a matrix
    #[arg(long, value_name = "N", default_value = "20000", value_parser = quantity::count, help_heading = RUNS)]
    pub(super) executions: u64,
    /// The most serial runs of a matrix
    #[arg(long, value_name = "N", default_value = "200000", value_parser = quantity::count, help_heading = RUNS)]
    pub(super) serial_max: u64,
    /// The most steps of a run: one that is still going on then is cut, and nothing follows from it
    #[arg(long, value_name = "N", default_value = "20000", value_parser = quantity::count, help_heading = RUNS)]
    pub(super) steps: u64,
    /// Also switch threads at accesses that are not atomic
    #[arg(long, help_heading = RUNS)]
    pub(super) plain: bool,
    /// Which stores an atomic load may read: the newest one, or each that the memory orders of C11 and C++20 allow
    #[arg(long, value_name = "MODEL", value_enum, default_value_t = Memory::Sc, help_heading = RUNS)]
    pub(super) memory: Memory,
    /// With `--memory c11`: make all runs in which up to N accesses read a store other than the newest
    #[arg(long, value_name = "N", default_value_t = STALE_READS, help_heading = RUNS)]
    pub(super) stale_reads: u32,
    /// Memory that nothing points to when the component has been destroyed is a violation
    #[arg(long, help_heading = RUNS)]
    pub(super) leaks: bool,
    /// Make each run in a process of its own: slower, for components that change signal handlers, timers or the working directory
    #[arg(long, help_heading = RUNS)]
    pub(super) isolate: bool,
    /// Do not look for data races
    #[arg(long, help_heading = RUNS)]
    pub(super) no_races: bool,
    /// Make all runs, also those whose history another run shows
    #[arg(long, help_heading = RUNS)]
    pub(super) no_reduction: bool,
    /// Equal seeds give equal matrices and equal runs
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = RUNS)]
    pub(super) seed: u64,
    /// How many processors to use; all if not given
    #[arg(long, short, value_name = "N", help_heading = RUNS)]
    pub(super) jobs: Option<usize>,
    /// Stop after this long: 30s, 10m. Without it, all that is asked for is checked; random matrices go on for a minute
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, help_heading = RUNS)]
    pub(super) time_limit: Option<Duration>,
    /// Stop when the command and the processes it started hold this much: 512MB, 2GB
    #[arg(long, value_name = "BYTES", value_parser = quantity::memory, help_heading = RUNS)]
    pub(super) memory_limit: Option<u64>,
    /// No call may ever block: a run that is stuck is a violation
    #[arg(long)]
    pub(super) no_blocking: bool,
    #[command(flatten)]
    pub(super) specification: SpecificationArgs,
    /// Write the serial histories: what the component does one call at a time
    #[arg(long, value_name = "FILE", help_heading = OBSERVATIONS)]
    pub(super) observations: Option<PathBuf>,
    /// Write the serial histories as the XML of the Line-Up paper
    #[arg(long, value_name = "FILE", help_heading = OBSERVATIONS)]
    pub(super) xml: Option<PathBuf>,
    /// Tell how serial behaviour differs from that in this file of another version
    #[arg(long, value_name = "FILE", help_heading = OBSERVATIONS)]
    pub(super) compare: Option<PathBuf>,
    /// Write the full evidence as JSON, one object per component
    #[arg(long, value_name = "FILE")]
    pub(super) evidence: Option<PathBuf>,
    /// Print one JSON object per component and nothing else
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) drawing: Drawing,
}

/// The memory model of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Memory {
    /// Sequentially consistent
    Sc,
    /// The memory orders of C11, C++20 and Rust
    C11,
}

/// Most weak behaviour needs one.
const STALE_READS: u32 = 1;
const SAMPLES: u64 = 100;
/// Without a time limit, random matrices go on until a check has taken this long.
const MORE_FOR: Duration = Duration::from_secs(60);

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

impl LineupArgs {
    pub(super) fn memory_model(&self) -> MemoryModel {
        match self.memory {
            Memory::Sc => MemoryModel::SequentiallyConsistent,
            Memory::C11 => MemoryModel::Cpp20 {
                stale_max: self.stale_reads,
            },
        }
    }

    /// The arguments that choose the matrices.
    pub(super) fn matrix_arguments(&self) -> String {
        let matrices = self.matrix.iter();
        let mut text: String = matrices
            .map(|matrix| format!(" --matrix '{}'", matrix.replace('\'', r"'\''")))
            .collect();
        if let Some(most) = self.auto {
            text.push_str(&format!(" --auto {most}"));
        }
        if let Some((threads, calls)) = self.shape {
            text.push_str(&format!(" --shape {threads}x{calls}"));
        }
        if let Some(samples) = self.samples {
            text.push_str(&format!(" --samples {samples}"));
        }
        text
    }

    /// The arguments that a command needs to make such runs again.
    pub(super) fn run_arguments(&self) -> String {
        let leaks = if self.leaks { " --leaks" } else { "" };
        let isolate = if self.isolate { " --isolate" } else { "" };
        let spins = match self.spins {
            ExploreOptions::SPINS_MAX_DEFAULT => String::new(),
            many => format!(" --spins {many}"),
        };
        match (self.memory, self.stale_reads) {
            (Memory::Sc, _) => format!("{leaks}{isolate}{spins}"),
            (Memory::C11, STALE_READS) => format!("{leaks}{isolate}{spins} --memory c11"),
            (Memory::C11, many) => format!("{leaks}{isolate}{spins} --memory c11 --stale-reads {many}"),
        }
    }

    /// How many runs are made at a time.
    pub(super) fn processors(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(all).max(1)
    }

    pub(super) fn options(&self, description: &Description, criterion: SerialCriterion) -> LineupOptions {
        let search = match (self.random, self.pct, self.pos) {
            _ if self.target.engine == Engine::Native => RunSelection::Random {
                executions: self.random.unwrap_or(self.executions),
            },
            (Some(executions), _, _) => RunSelection::Random { executions },
            (None, None, Some(executions)) => RunSelection::PartialOrders { executions },
            (None, Some(executions), _) => RunSelection::Pct {
                executions,
                depth: self.depth,
            },
            (None, None, None) => RunSelection::Bounded {
                preemptions: self.preemptions,
            },
        };
        LineupOptions {
            criterion,
            blocking: if self.no_blocking {
                Blocking::Never
            } else {
                description.blocking
            },
            search,
            seed: self.seed,
            serial_max: self.serial_max,
            // A number of random runs that was asked for is kept.
            executions_max: self.random.or(self.pct).or(self.pos).unwrap_or(self.executions),
            more_until: match self.samples {
                None => Instant::now().checked_add(self.time_limit.unwrap_or(MORE_FOR)),
                Some(_) => None,
            },
            stop: StopConditions {
                deadline: self
                    .time_limit
                    .and_then(|limit| Instant::now().checked_add(limit)),
                memory_bytes_max: self.memory_limit.or_else(default_limit_bytes),
                interrupt: Some(interrupt::atomic()),
            },
            ..LineupOptions::default()
        }
    }

    /// What failed once comes first, then what is small, then random matrices.
    pub(super) fn matrices(&self, description: &Description) -> Result<Matrices, CliError> {
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
        let others = match (self.auto, self.shape) {
            (Some(largest), _) => Matrices::Growing { largest },
            (None, None) => Matrices::small_then_random(self.samples.unwrap_or(SAMPLES)),
            (None, Some((threads, cells))) => Matrices::Growing { largest: 2 }.then(Matrices::Random {
                threads,
                cells,
                samples: self.samples.unwrap_or(SAMPLES),
            }),
        };
        Ok(regressions.then(others))
    }
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
