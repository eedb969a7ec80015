//! `omnilink test`: the tests that a project has, under many schedules.

mod cargo_arguments;
pub(crate) mod debugger;
mod kept;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};
use omnilink_evidence::{Evidence, Verdict, Violation};
use omnilink_report::{Look, TextOptions, counted, junit, shell_word, test_line, text};
use omnilink_sched::build::{RustTests, TestBinary, whole_program_flags};
use omnilink_sched::{MemoryModel, OutsideUse};
use omnilink_test_runner::{
    FailureCause, FoundFailure, ScheduleStrategy, ScheduleText, ScheduledTest, SessionOptions, TestProgress,
    TestResult, TestSession, WaitingPoints, evidence, framework,
};
use omnilink_verify::NewFile;

use self::cargo_arguments::CargoArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::progress::ProgressLine;
use crate::reports::EvidenceFile;
use crate::runs::STORE;
use crate::{interrupt, quantity};

pub(crate) const ABOUT: &str = "Run the tests of a project under many schedules";

const EXAMPLES: &str = "\
Examples:
  omnilink test                                    all tests of the cargo project here
  omnilink test --release -p queue -- pops         as `cargo test --release -p queue -- pops`
  omnilink test --schedules 1000 --time 5m
  omnilink test --schedule 1.5-2 -- --exact queue::pops    repeat a failure
  omnilink test --regressions                      what failed before first
  omnilink test --evidence why.json; omnilink view why.json
  omnilink test --cpp ./queue_test -- Queue        GoogleTest, Catch2, doctest; else the program is one test
  g++ -g -c q.cpp $(omnilink test --cpp-flags)     how such a program is compiled and linked

Each test runs in a fresh process: first without preemptions, then under random schedules. It fails if it panics, aborts, exits with
another code than 0, deadlocks, livelocks, has a data race, uses freed memory, or with --leaks leaves memory behind. Time is simulated: sleeping takes no time.

Exit codes: 0 no test failed; 1 a test failed; 2 bad usage, or the tests cannot be built; 3 time was up before all schedules were run.";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
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
    /// Which stores an atomic load may read: the newest one, or each that the memory orders of C11, C++20 and Rust allow
    #[arg(long, value_name = "MODEL", value_enum, default_value_t = Memory::Sc)]
    memory: Memory,
    /// Do not look for data races
    #[arg(long, conflicts_with = "memory")]
    no_races: bool,
    /// A test fails if it leaves memory behind that nothing points to
    #[arg(long)]
    leaks: bool,
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
    /// Print the evidence of each test as a line of JSON
    #[arg(long)]
    json: bool,
    /// Write the evidence of tests that did not pass, for omnilink view and omnilink report
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Write the results as JUnit does
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Where failures are kept, for omnilink runs, omnilink replay and --regressions
    #[arg(long, value_name = "FILE", default_value = STORE)]
    store: PathBuf,
    /// Keep no failures
    #[arg(long, conflicts_with = "regressions")]
    no_store: bool,
    /// Run the schedules of failures that were kept first
    #[arg(long)]
    regressions: bool,
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

/// The memory model of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Memory {
    /// Sequentially consistent
    Sc,
    /// The memory orders of C11, C++20 and Rust
    C11,
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
    /// One or two preemptions at lines of the project
    Lines,
    /// Changes of schedules in which a read saw a write for the first time, and the mixture in turn (reads-from feedback)
    Rff,
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
    // After an hour of testing it would be too late to find out that these cannot be written.
    let junit_file = args.junit.as_deref().map(NewFile::check).transpose()?;
    let evidence_file = args.evidence.as_deref().map(EvidenceFile::create).transpose()?;
    let mut options = options(args);
    if args.regressions {
        options.regressions = kept::schedules(&args.store)?;
    }
    let tests = tests(args)?;
    if tests.is_empty() {
        return Err(CliError::Usage(
            "no test has been found: `cargo test -- --list` shows those of a project; a filter after `--` may leave all of them out"
                .to_owned(),
        ));
    }
    let screen = Screen {
        line: progress_line(tests.len()),
        state: Mutex::new(ScreenState {
            stdout,
            printed: Ok(()),
            evidence: Vec::new(),
        }),
        args,
        look,
    };
    let session =
        TestSession::run(&tests, &options, &screen).map_err(|error| CliError::Usage(error.to_string()))?;
    let Screen { state, line, .. } = screen;
    drop(line);
    let ScreenState {
        mut stdout,
        printed,
        mut evidence,
    } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    printed?;
    evidence.sort_by_key(|(number, _)| *number);
    let (numbers, evidence): (Vec<usize>, Vec<Evidence>) = evidence.into_iter().unzip();
    if !args.json {
        stdout.print(&details(&session, &evidence, &look))?;
    }
    if let Some(mut file) = evidence_file {
        let failed = evidence.iter().filter(|one| one.verdict != Verdict::Valid);
        failed.for_each(|one| file.add(&one.to_json()));
        file.finish()?;
    }
    if let Some(file) = junit_file {
        file.write(junit(&evidence).as_bytes())?;
    }
    if !args.no_store && args.schedule.is_none() {
        // Targets of several packages may have the same name, so that tests go by their numbers.
        let of_tests = numbers.iter().filter_map(|number| tests.get(*number));
        kept::keep(args, of_tests.zip(&evidence));
    }
    Ok(exit(&session, &evidence))
}

fn exit(session: &TestSession, evidence: &[Evidence]) -> Exit {
    let worst = evidence.iter().map(|one| one.verdict).max();
    match worst {
        Some(Verdict::Error) => Exit::BadInput,
        Some(Verdict::Violation) => Exit::Violation,
        _ if interrupt::is_raised() => Exit::Interrupted,
        _ if session.not_begun > 0 => Exit::Unknown,
        Some(Verdict::Unknown) => Exit::Unknown,
        Some(Verdict::Valid) | None => Exit::Valid,
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
            StrategyName::Lines => ScheduleStrategy::ProjectLines,
            StrategyName::Rff => ScheduleStrategy::ReadsFrom,
        },
        seed: args.seed,
        jobs: args.jobs.unwrap_or(defaults.jobs),
        time_max: args.time,
        detects_races: !args.no_races,
        detects_leaks: args.leaks,
        memory_model: match args.memory {
            Memory::Sc => MemoryModel::SequentiallyConsistent,
            // A whole program makes many accesses; most weak behaviour needs few that are stale.
            Memory::C11 => MemoryModel::Cpp20 { stale_max: 16 },
        },
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
struct Screen<'a> {
    line: ProgressLine,
    state: Mutex<ScreenState>,
    args: &'a TestArgs,
    look: Look,
}

struct ScreenState {
    stdout: Output,
    printed: Result<(), CliError>,
    /// What is known about tests, by their numbers.
    evidence: Vec<(usize, Evidence)>,
}

impl TestProgress for Screen<'_> {
    fn ended(&self, number: usize, result: &TestResult) {
        self.line.add_one();
        let evidence = evidence(result, |found| repeat_command(self.args, result, found));
        let text = if self.args.json {
            evidence.to_json()
        } else {
            format!("test {}", test_line(&evidence, &self.look))
        };
        self.line.suspend(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.printed.is_ok() {
                state.printed = state.stdout.print(&format!("{text}\n"));
            }
            state.evidence.push((number, evidence));
        });
    }
}

/// All about the failures, and a summary.
fn details(session: &TestSession, evidence: &[Evidence], look: &Look) -> String {
    let mut page = String::new();
    for one in evidence.iter().filter(|one| one.violation.is_some()) {
        let _ = write!(page, "\n{}", text(one, &TextOptions::from(*look)));
    }
    let count = |verdict: Verdict| evidence.iter().filter(|one| one.verdict == verdict).count();
    let is_flaky =
        |one: &&Evidence| matches!(&one.violation, Some(Violation::Test(failing)) if failing.flaky);
    let flaky = evidence.iter().filter(is_flaky).count();
    let schedules: u64 = session.results.iter().map(|result| result.schedules).sum();
    let _ = writeln!(
        page,
        "\n{} of {} tests failed, {flaky} depend on time or random numbers; {schedules} schedules were run",
        count(Verdict::Violation) - flaky,
        evidence.len(),
    );
    if count(Verdict::Error) > 0 {
        let _ = writeln!(
            page,
            "{} ran without the scheduler: their programs are not linked with it; compile and link them with the flags that \
             `omnilink test --cpp-flags` prints",
            count(Verdict::Error)
        );
    }
    let others = session
        .results
        .iter()
        .filter(|result| result.is_uncontrolled())
        .count();
    let suspected = session
        .results
        .iter()
        .filter(|result| result.is_suspected())
        .count();
    if suspected > 0 {
        let _ = writeln!(page, "{suspected} are suspected to be wrong");
    }
    if others > 0 {
        let _ = writeln!(page, "{others} could not be controlled");
    }
    page.push_str(&never_waited(session, look));
    page.push_str(&outside(session, look));
    if session.not_begun > 0 {
        let _ = writeln!(page, "{} tests were not begun", session.not_begun);
    }
    page
}

/// Lines of a list that are shown; `--json` has all of them.
const LISTED_MAX: usize = 10;

/// Places of the project at which a thread may wait, and none did in any schedule of any test.
fn never_waited(session: &TestSession, look: &Look) -> String {
    let mut points = WaitingPoints::default();
    session
        .results
        .iter()
        .for_each(|result| points.merge(&result.waiting_points));
    let never: Vec<String> = points.never_waited().map(str::to_owned).collect();
    let heading = format!(
        "threads may wait at {} of the project; in no schedule one did at {} of them:",
        counted(points.len() as u64, "line", "lines"),
        never.len(),
    );
    listed(&heading, &never, look)
}

/// What tests used and nobody controls.
fn outside(session: &TestSession, look: &Look) -> String {
    let mut tests: BTreeMap<&OutsideUse, u64> = BTreeMap::new();
    for used in session.results.iter().flat_map(|result| &result.outside) {
        *tests.entry(used).or_default() += 1;
    }
    let lines: Vec<String> = tests
        .iter()
        .map(|(used, number)| format!("{used} ({})", counted(*number, "test", "tests")))
        .collect();
    listed("not controlled, but used as they are:", &lines, look)
}

/// A heading and the first lines of a list; nothing if there are none.
fn listed(heading: &str, lines: &[String], look: &Look) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("{heading}\n");
    for line in lines.iter().take(LISTED_MAX) {
        let _ = writeln!(text, "  {}", look.clean(line));
    }
    if lines.len() > LISTED_MAX {
        let _ = writeln!(text, "  … and {} more (--json has all)", lines.len() - LISTED_MAX);
    }
    text
}

/// The command that repeats a failure.
fn repeat_command(args: &TestArgs, result: &TestResult, found: &FoundFailure) -> String {
    let mut words = vec!["omnilink".to_owned(), "test".to_owned()];
    match found.cause {
        // The schedules of a test depend on its name and on the seed only.
        FailureCause::NotRepeated => {
            let strategy = args.strategy.to_possible_value();
            let schedules = found.number.map_or(args.schedules, |number| number + 1);
            words.push(format!("--seed {} --schedules {schedules}", args.seed));
            words.extend(strategy.map(|strategy| format!("--strategy {}", strategy.get_name())));
        }
        _ => words.push(format!("--schedule '{}'", found.schedule)),
    }
    let flags = [
        ("--no-races", args.no_races),
        ("--leaks", args.leaks),
        ("--memory c11", args.memory == Memory::C11),
    ];
    words.extend(
        flags
            .iter()
            .filter(|(_, is_given)| *is_given)
            .map(|(flag, _)| (*flag).to_owned()),
    );
    if args.directory.as_os_str() != "." {
        words.push(format!("--directory {}", args.directory.display()));
    }
    if args.build_std {
        words.push("--build-std".to_owned());
    }
    if args.cpp.is_empty() {
        words.extend(args.cargo.arguments());
        words.push(format!("-- --exact {}", result.test.name));
    } else {
        let program = result.test.program.display().to_string();
        words.push(format!("--cpp {}", shell_word(&program)));
        if !result.test.name.is_empty() {
            words.push(format!("-- {}", shell_word(&result.test.name)));
        }
    }
    words.join(" ")
}
