//! `omnilink test`: the tests that a project has, under many schedules.

mod cargo_arguments;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};
use omnilink_sched::build::{RustTests, TestBinary, whole_program_flags};
use omnilink_test_runner::{
    FailureCause, FoundFailure, Obstacle, ScheduleStrategy, ScheduleText, ScheduledTest, SessionOptions,
    TestProgress, TestResult, TestSession, framework, junit, record, report,
};

use self::cargo_arguments::CargoArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::progress::ProgressLine;
use crate::{interrupt, quantity};

pub(crate) const ABOUT: &str = "Run the tests of a project under many schedules";

const EXAMPLES: &str = "\
Examples:
  omnilink test                                    all tests of the cargo project here
  omnilink test --release -p queue -- pops         as `cargo test --release -p queue -- pops`
  omnilink test --schedules 1000 --time 5m
  omnilink test --schedule 1.5-2 -- --exact queue::pops    repeat a failure
  omnilink test --cpp ./queue_test -- Queue        GoogleTest, Catch2, doctest; else the program is one test
  g++ -g -c q.cpp $(omnilink test --cpp-flags)     how such a program is compiled and linked

Each test runs in a fresh process: first without preemptions, then under random schedules. It fails if it panics, aborts, exits with
another code than 0, deadlocks, livelocks, has a data race, or uses freed memory. Time is simulated: sleeping takes no time.

Exit codes: 0 no test failed; 1 a test failed; 2 bad usage, or the tests cannot be built; 3 time was up before all schedules were run.";

/// The arguments of `omnilink test`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TestArgs {
    /// Schedules for each test
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    schedules: u64,
    /// Time for all tests, shared evenly: 30s, 5m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time: Option<Duration>,
    /// How schedules are chosen
    #[arg(long, value_enum, default_value_t)]
    strategy: StrategyName,
    /// What all random choices are derived from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Tests at the same time; one for each processor if not given
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// How long one run of a test may take
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "60s")]
    run_limit: Duration,
    /// Do not look for data races
    #[arg(long)]
    no_races: bool,
    /// Runs that shrink a failure
    #[arg(long, value_name = "N", default_value_t = 200)]
    shrinking_runs: u64,
    /// End with the first test that fails
    #[arg(long)]
    until_failure: bool,
    /// Run this schedule only, as the report of a failure gives it
    #[arg(long, value_name = "SCHEDULE", value_parser = str::parse::<ScheduleText>)]
    schedule: Option<ScheduleText>,
    /// Compile the standard library with instrumentation too (needs `rustup component add rust-src`)
    #[arg(long)]
    build_std: bool,
    /// Programs with tests in C++, compiled with the flags that --cpp-flags prints
    #[arg(long, value_name = "PROGRAM", num_args = 1..)]
    cpp: Vec<PathBuf>,
    /// Print the flags with which C++ is compiled and linked
    #[arg(long, exclusive = true)]
    cpp_flags: bool,
    /// Print one JSON object for each test
    #[arg(long)]
    json: bool,
    /// Write the results as JUnit does
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// The project; the folder here if not given
    #[arg(long, value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    #[command(flatten)]
    cargo: CargoArgs,
    /// A part of the names of the tests
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Filters, as the test programs take them: names, --exact, --skip NAME, --ignored
    #[arg(last = true, value_name = "FILTER")]
    filters: Vec<String>,
}

/// How schedules are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum StrategyName {
    /// The others in turn
    #[default]
    Mixed,
    /// Any thread at each step
    Random,
    /// Priorities of threads that change at one to three steps (PCT)
    Pct,
    /// Priorities of steps (partial-order sampling)
    Pos,
    /// Orders of the accesses to one location, another one for each schedule (selectively uniform random walk)
    Surw,
}

/// Runs the command.
pub(crate) fn run(args: &TestArgs) -> Result<Exit, CliError> {
    let look = output::look(false);
    let mut stdout = Output::new(&look);
    if args.cpp_flags {
        let flags = whole_program_flags().map_err(|error| CliError::Usage(error.to_string()))?;
        stdout.print(&format!("{}\n", flags.join(" ")))?;
        return Ok(Exit::Valid);
    }
    interrupt::listen();
    let options = options(args);
    let tests = tests(args)?;
    if tests.is_empty() {
        return Err(CliError::Usage(
            "no test has been found: `cargo test -- --list` shows those of a project; a filter after `--` may leave all of them out"
                .to_owned(),
        ));
    }
    let screen = Screen {
        line: progress_line(tests.len()),
        stdout: Mutex::new((stdout, Ok(()))),
        is_json: args.json,
    };
    let session =
        TestSession::run(&tests, &options, &screen).map_err(|error| CliError::Usage(error.to_string()))?;
    let Screen { stdout, line, .. } = screen;
    drop(line);
    let (mut stdout, printed) = stdout.into_inner().unwrap_or_else(PoisonError::into_inner);
    printed?;
    if !args.json {
        stdout.print(&details(args, &session))?;
    }
    if let Some(file) = &args.junit {
        std::fs::write(file, junit(&session.results))
            .map_err(|error| CliError::Usage(format!("{}: it cannot be written: {error}", file.display())))?;
    }
    Ok(exit(&session))
}

fn exit(session: &TestSession) -> Exit {
    let not_linked = |result: &TestResult| result.obstacle == Some(Obstacle::NotInstrumented);
    let is_open = |result: &TestResult| result.stopped.is_some() || result.obstacle.is_some();
    let results = &session.results;
    if results.iter().any(not_linked) {
        Exit::BadInput
    } else if session.failures().next().is_some() {
        Exit::Violation
    } else if interrupt::is_raised() {
        Exit::Interrupted
    } else if session.not_begun > 0 || results.iter().any(is_open) {
        Exit::Unknown
    } else {
        Exit::Valid
    }
}

fn options(args: &TestArgs) -> SessionOptions {
    let defaults = SessionOptions::default();
    SessionOptions {
        schedules: args.schedules,
        strategy: match args.strategy {
            StrategyName::Mixed => ScheduleStrategy::Mixed,
            StrategyName::Random => ScheduleStrategy::Random,
            StrategyName::Pct => ScheduleStrategy::Priorities,
            StrategyName::Pos => ScheduleStrategy::PartialOrders,
            StrategyName::Surw => ScheduleStrategy::OneLocation,
        },
        seed: args.seed,
        jobs: args.jobs.unwrap_or(defaults.jobs),
        time_max: args.time,
        detects_races: !args.no_races,
        run_max: args.run_limit,
        shrinking_runs_max: args.shrinking_runs,
        until_failure: args.until_failure,
        schedule: args.schedule.clone(),
        interrupt: Some(interrupt::atomic()),
        ..defaults
    }
}

/// Builds what has to be built, and finds the tests.
fn tests(args: &TestArgs) -> Result<Vec<ScheduledTest>, CliError> {
    let usage = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
    let filters = [&args.names[..], &args.filters[..]].concat();
    let mut tests = Vec::new();
    if !args.cpp.is_empty() {
        for program in &args.cpp {
            tests.extend(framework::cpp_tests(program, &filters).map_err(|error| usage(&error))?);
        }
        return Ok(tests);
    }
    if !args.directory.join("Cargo.toml").is_file() && args.cargo.manifest_path.is_none() {
        let here = std::path::absolute(&args.directory).unwrap_or_else(|_| args.directory.clone());
        let is_inside = here.ancestors().any(|folder| folder.join("Cargo.toml").is_file());
        if !is_inside {
            return Err(CliError::Usage(format!(
                "{}: there is no Cargo.toml here or above: go to a cargo project, or name programs with --cpp",
                args.directory.display()
            )));
        }
    }
    let build = RustTests {
        directory: args.directory.clone(),
        arguments: args.cargo.arguments(),
        instruments_std: args.build_std,
    };
    for TestBinary {
        path,
        target,
        directory,
    } in build.build().map_err(|error| usage(&error))?
    {
        let found = framework::rust_tests(&path, &target, &directory, &filters);
        tests.extend(found.map_err(|error| usage(&error))?);
    }
    Ok(tests)
}

fn progress_line(tests: usize) -> ProgressLine {
    ProgressLine::showing(move |ended, seconds| format!("{ended} of {tests} tests, {seconds} s"))
}

/// Shows results as they come.
struct Screen {
    line: ProgressLine,
    stdout: Mutex<(Output, Result<(), CliError>)>,
    is_json: bool,
}

impl TestProgress for Screen {
    fn ended(&self, result: &TestResult) {
        self.line.add_one();
        let text = match self.is_json {
            true => record(result).to_string(),
            false => format!("test {}", report::line(result)),
        };
        self.line.suspend(|| {
            let mut stdout = self.stdout.lock().unwrap_or_else(PoisonError::into_inner);
            let (output, printed) = &mut *stdout;
            if printed.is_ok() {
                *printed = output.print(&format!("{text}\n"));
            }
        });
    }
}

/// All about the failures, and a summary.
fn details(args: &TestArgs, session: &TestSession) -> String {
    let mut text = Vec::new();
    for result in session.failures() {
        let Some(found) = &result.failure else { continue };
        let _ = writeln!(text, "\n{}", report::failure(result, found).trim_end());
        let _ = writeln!(text, "  Repeat it:  {}", repeat_command(args, result, found));
    }
    let (flaky, failed): (Vec<_>, Vec<_>) = session
        .failures()
        .partition(|result| result.depends_on_environment());
    let schedules: u64 = session.results.iter().map(|result| result.schedules).sum();
    let _ = writeln!(
        text,
        "\n{} of {} tests failed, {} depend on time or random numbers; {schedules} schedules were run",
        failed.len(),
        session.results.len(),
        flaky.len(),
    );
    let with = |obstacle: Option<Obstacle>| {
        session
            .results
            .iter()
            .filter(move |result| result.obstacle == obstacle)
    };
    let not_linked = with(Some(Obstacle::NotInstrumented)).count();
    let others = session.results.len() - with(None).count() - not_linked;
    if not_linked > 0 {
        let _ = writeln!(
            text,
            "{not_linked} ran without the scheduler: their programs are not linked with it; compile and link them with the flags that \
             `omnilink test --cpp-flags` prints"
        );
    }
    if others > 0 {
        let _ = writeln!(text, "{others} could not be controlled");
    }
    if session.not_begun > 0 {
        let _ = writeln!(text, "{} tests were not begun", session.not_begun);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// The command that repeats a failure.
fn repeat_command(args: &TestArgs, result: &TestResult, found: &FoundFailure) -> String {
    let mut words = vec!["omnilink".to_owned(), "test".to_owned()];
    match found.cause {
        // The schedules of a test depend on its name and on the seed only.
        FailureCause::NotRepeated => {
            let strategy = args.strategy.to_possible_value();
            words.push(format!("--seed {} --schedules {}", args.seed, found.number + 1));
            words.extend(strategy.map(|strategy| format!("--strategy {}", strategy.get_name())));
        }
        _ => words.push(format!("--schedule '{}'", found.schedule)),
    }
    if args.no_races {
        words.push("--no-races".to_owned());
    }
    if args.directory.as_os_str() != "." {
        words.push(format!("--directory {}", args.directory.display()));
    }
    if args.build_std {
        words.push("--build-std".to_owned());
    }
    match args.cpp.is_empty() {
        true => {
            words.extend(args.cargo.arguments());
            words.push(format!("-- --exact {}", result.test.name));
        }
        false => words.push(format!(
            "--cpp {} -- {:?}",
            result.test.program.display(),
            result.test.name
        )),
    }
    words.join(" ")
}
