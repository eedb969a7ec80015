//! The `omnilink` command: does a running concurrent system do what its specification says?
//!
//! One file (or folder) per subcommand, and no logic of its own: `omnilink-verify` checks, `omnilink-report` renders. What
//! lives here is what only a command has: arguments, exit codes, a terminal, signals.

mod check;
mod demo;
mod drive;
mod error;
mod exit;
mod fuzz;
mod gdb;
mod gen_driver;
mod gen_harness;
mod gen_tests;
mod generated;
mod init;
mod interrupt;
mod limits;
mod lineup;
mod link;
mod linking;
mod logs;
mod mc;
mod mc_progress;
mod mcp;
mod output;
mod pluscal;
mod progress;
mod quantity;
mod replay;
mod report_command;
mod reports;
mod runs;
mod scratch;
mod shell;
mod shell_words;
mod spec_args;
mod step;
mod subject;
#[cfg(target_os = "linux")]
mod test;
mod tla;
mod trace_args;
mod trace_command;
mod untrusted;
mod validate;
mod view;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
use omnilink_tla::deep_stack;

use crate::error::CliError;
use crate::exit::Exit;

// Interning and memoisation allocate many small objects on several threads; mimalloc is faster at that than most system allocators.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Does a running concurrent system do what its specification says?
#[derive(Debug, Parser)]
#[command(name = "omnilink", version, after_help = EXAMPLES, max_term_width = 110)]
#[command(arg_required_else_help = true, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    color: output::Color,
    /// Read files of others: small limits, and no files, links or programs beside what is named (docs/troubleshooting.md)
    #[arg(long, global = true)]
    untrusted: bool,
}

const EXAMPLES: &str = "\
Examples:
  omnilink demo                                  see a bug found, in a few seconds
  omnilink init                                  which commands make sense in this folder
  omnilink check history.ndjson --model queue    is this history that of a queue?
  omnilink check etcd.log --model cas-register   also Jepsen, Porcupine and fastlin histories
  omnilink check --list-models                   what can be checked
  omnilink lineup                                find concurrency bugs with no specification
  omnilink test                                  the tests of a cargo project, under many schedules
  omnilink trace stats history.ndjson            what is in a trace
  omnilink validate Spec.tla trace.ndjson        does the spec explain this trace?
  omnilink tla check Spec.tla                    what is wrong with a specification
  omnilink mc Spec.tla                           does it do what it says it does
  omnilink gen tests Spec.tla --out tests        behaviours that cover a specification ...
  omnilink drive Spec.tla --tests tests -- ./d   ... and a system that is driven through them
  omnilink gen harness Spec.tla --out DIR        a harness for a specification, in C++ or Rust
  omnilink fuzz --spec Spec.tla -- ./harness     run a system many times, and check every run
  omnilink view why.json                         see why, in a browser
  omnilink mcp .                                 the same as tools for agents

Exit codes: 0 all valid; 1 a violation was found; 2 bad usage or bad input; 3 unknown.";

// Deferred: only the arguments of the command that runs are built. The list of commands needs their descriptions, so these
// are given here.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    #[command(about = check::ABOUT)]
    Check(check::CheckArgs),
    #[command(about = demo::ABOUT)]
    Demo(demo::DemoArgs),
    #[command(about = drive::ABOUT)]
    Drive(Box<drive::DriveArgs>),
    #[command(about = fuzz::ABOUT)]
    Fuzz(Box<fuzz::FuzzArgs>),
    #[command(about = gen_harness::ABOUT)]
    Gen(gen_harness::GenArgs),
    #[command(about = init::ABOUT)]
    Init(init::InitArgs),
    #[command(about = replay::ABOUT)]
    Replay(replay::ReplayArgs),
    #[command(about = runs::ABOUT)]
    Runs(runs::RunsArgs),
    #[command(about = report_command::ABOUT)]
    Report(report_command::ReportArgs),
    #[command(about = view::ABOUT)]
    View(Box<view::ViewArgs>),
    #[command(about = lineup::ABOUT)]
    Lineup(Box<lineup::LineupArgs>),
    #[cfg(target_os = "linux")]
    #[command(about = test::ABOUT)]
    Test(Box<test::TestArgs>),
    #[command(about = trace_command::ABOUT)]
    Trace(trace_command::TraceArgs),
    #[command(about = mc::ABOUT)]
    Mc(mc::McArgs),
    #[command(about = mcp::ABOUT)]
    Mcp(mcp::McpArgs),
    #[command(hide = true)]
    McpCall(mcp::McpCallArgs),
    #[command(about = step::ABOUT)]
    Step(Box<step::StepArgs>),
    #[command(about = tla::ABOUT)]
    Tla(tla::TlaArgs),
    #[command(about = validate::ABOUT)]
    Validate(validate::ValidateArgs),
    #[command(about = link::ABOUT)]
    Link(link::LinkArgs),
    #[command(about = logs::ABOUT)]
    Logs(logs::LogsArgs),
    #[command(about = shell::ABOUT_COMPLETIONS)]
    Completions(shell::CompletionsArgs),
    #[command(about = shell::ABOUT_MAN)]
    Man(shell::ManArgs),
}

fn main() {
    // Specs are read and evaluated on a deep stack, which is a thread of its own.
    interrupt::block();
    deep_stack::run(|| {
        interrupt::unblock();
        run().leave()
    })
}

fn run() -> Exit {
    let words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let Some(message) = shell_words::split_constant(&words).or_else(|| shell_words::tlc_flag(&words)) {
        output::error(&message);
        return Exit::BadInput;
    }
    let cli = Cli::parse();
    cli.color.apply();
    scratch::make();
    interrupt::end_by_force();
    let begun = match cli.untrusted {
        true => untrusted::begin(&words, &scratch::folder()),
        false => Ok(()),
    };
    begun
        .and_then(|()| run_command(cli.command))
        .unwrap_or_else(|error| {
            output::error(&error);
            error.exit()
        })
}

fn run_command(command: Command) -> Result<Exit, CliError> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Drive(args) => drive::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Gen(args) => gen_harness::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Runs(args) => runs::run(&args),
        Command::View(args) => view::run(&args),
        Command::Report(args) => report_command::run(&args),
        Command::Lineup(args) => lineup::run(&args),
        #[cfg(target_os = "linux")]
        Command::Test(args) => test::run(&args),
        Command::Trace(args) => trace_command::run(&args),
        Command::Mc(args) => mc::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::McpCall(args) => {
            let words = mcp::begin_call(args)?;
            let program = std::iter::once("omnilink".to_owned());
            run_command(Cli::parse_from(program.chain(words)).command)
        }
        Command::Step(args) => step::run(&args),
        Command::Tla(args) => tla::run(&args),
        Command::Link(args) => link::run(&args),
        Command::Logs(args) => logs::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Completions(args) => shell::completions(&args, Cli::command()),
        Command::Man(args) => shell::man(&args, Cli::command()),
    }
}
