//! `omnilink gen`: what can be generated from a specification.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use omnilink_gen::{Generated, HarnessPlan, Language, PlanOptions, generate};
use omnilink_report::Look;
use omnilink_sched::build::{RustBuild, RustTarget};
use omnilink_verify::NewFile;

use crate::error::CliError;
use crate::exit::Exit;
use crate::gen_driver::{self, DriverArgs};
use crate::gen_tests::{self, TestsArgs};
use crate::generated::what_changed;
use crate::linking::Linking;
use crate::output::Output;

/// What it is for.
pub(crate) const ABOUT: &str = "Generate tests, drivers and harnesses from a TLA+ specification";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct GenArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a project in which one function per action waits for the call that it stands for
    Harness(HarnessArgs),
    /// Write behaviours of the specification as tests, few and short, which cover its actions, branches and pairs of actions
    Tests(Box<TestsArgs>),
    /// Write a driver, in which one function per action waits for the call that does it, and one that reads the state back
    Driver(Box<DriverArgs>),
    /// Build a harness in Rust so that a seed decides its schedule, for omnilink fuzz --chaos schedule
    Schedule(ScheduleArgs),
}

const EXAMPLES: &str = "\
Examples:
  omnilink gen harness Queue.tla --out queue-harness
  omnilink gen harness Map.tla --lang rust --out map-harness --const 'NoValue=0'
  omnilink gen harness Bag.tla --out bag-harness --result Remove.item
  omnilink gen tests Spec.tla --out tests    behaviours that cover it, for omnilink drive
  omnilink gen driver Spec.tla --lang python --out driver
  omnilink gen schedule map-harness          builds map-harness/harness-schedule; for C++: make -C DIR harness-schedule

Running it again after the specification has changed adds what is new; what you wrote stays.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct HarnessArgs {
    /// The specification: each of its actions becomes a function
    #[arg(value_name = "SPEC.tla")]
    spec: PathBuf,
    /// The language: cpp or rust
    #[arg(long, value_name = "LANG", default_value = "cpp")]
    lang: Language,
    /// The project's folder
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// A parameter that the system returns, if its name and its definition do not show it
    #[arg(long, value_name = "OP.PARAM")]
    result: Vec<String>,
    /// A parameter that the harness chooses, though it looks like a result
    #[arg(long, value_name = "OP.PARAM")]
    argument: Vec<String>,
    #[command(flatten)]
    linking: Linking,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct ScheduleArgs {
    /// The folder of the cargo package: one that omnilink gen harness --lang rust has made, or any other
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which of its programs, if there are several
    #[arg(long, value_name = "NAME")]
    bin: Option<String>,
    /// Features of the package
    #[arg(long, value_name = "FEATURES")]
    features: Vec<String>,
    /// Recompile Rust's standard library, too; needs rustup component add rust-src
    #[arg(long)]
    build_std: bool,
}

/// Runs the command.
pub(crate) fn run(args: &GenArgs) -> Result<Exit, CliError> {
    match &args.verb {
        Verb::Harness(args) => harness(args),
        Verb::Tests(args) => gen_tests::run(args),
        Verb::Driver(args) => gen_driver::run(args),
        Verb::Schedule(args) => schedule(args),
    }
}

/// Builds a package with instrumentation, and puts the program beside its manifest.
fn schedule(args: &ScheduleArgs) -> Result<Exit, CliError> {
    let manifest = args.folder.join("Cargo.toml");
    if !manifest.is_file() {
        let message = format!(
            "{}: there is no such file; name the folder of a cargo package. A harness in C++ is built by: make -C {} harness-schedule",
            manifest.display(),
            args.folder.display()
        );
        return Err(CliError::Usage(message));
    }
    let target = args.bin.clone().map_or(RustTarget::Only, RustTarget::Bin);
    let program = RustBuild {
        target,
        features: args.features.clone(),
        instruments_std: args.build_std,
        ..RustBuild::new(&args.folder)
    }
    .build()
    .map_err(|error| CliError::Usage(error.to_string()))?;
    let mut name = program.file_stem().unwrap_or_default().to_owned();
    name.push("-schedule");
    let copy = args.folder.join(name);
    // A campaign may be running the old one: it is replaced, not overwritten.
    let file = NewFile::check(&copy)?;
    let bytes = std::fs::read(&program).map_err(|error| CliError::read(&program, error))?;
    file.write(&bytes)?;
    make_executable(&copy).map_err(|error| CliError::write(&copy, error))?;
    let text = format!(
        "{}\n\nNext:\n  omnilink fuzz --spec SPEC.tla --chaos schedule -- {}\n",
        copy.display(),
        startable(&copy)
    );
    Output::new(&Look::plain()).print(&text)?;
    Ok(Exit::Valid)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn harness(args: &HarnessArgs) -> Result<Exit, CliError> {
    let (link, _) = args.linking.options(&args.spec)?;
    let options = PlanOptions {
        link,
        link_text: args.linking.link_text(&args.spec),
        results: args.result.clone(),
        arguments: args.argument.clone(),
    };
    // The generated files name the specification from wherever they are.
    let spec = std::path::absolute(&args.spec).unwrap_or_else(|_| args.spec.clone());
    let plan = HarnessPlan::read(&spec, &options)?;
    let generated = generate(&plan, args.lang, &args.out)?;
    Output::new(&Look::plain()).print(&summary(args, &plan, &generated))?;
    Ok(Exit::Valid)
}

fn summary(args: &HarnessArgs, plan: &HarnessPlan, generated: &Generated) -> String {
    let system = generated.system.display();
    let mut text = if generated.was_there {
        format!("{system}: kept\n")
    } else {
        format!("{system}: write the calls of your system here\n")
    };
    for op in &plan.ops {
        text.push_str(&format!("  {}", op.signature()));
        for result in op.results() {
            let name = &result.name;
            match &result.reason {
                Some(reason) => text.push_str(&format!(" -> {name} (because of {reason})")),
                None => text.push_str(&format!(" -> {name}")),
            }
        }
        text.push('\n');
    }
    text.push_str(&what_changed(generated));
    let link = generated
        .link
        .as_deref()
        .map_or_else(String::new, |link| format!(" --link {}", link.display()));
    let (build, harness) = match args.lang {
        Language::Cpp => (
            format!("make -C {}", args.out.display()),
            args.out.join("harness"),
        ),
        Language::Rust => (
            format!(
                "cargo build --release --manifest-path {}",
                args.out.join("Cargo.toml").display()
            ),
            args.out.join("target/release/harness"),
        ),
    };
    let scheduled = match args.lang {
        Language::Cpp => format!("make -C {} harness-schedule", args.out.display()),
        Language::Rust => format!("omnilink gen schedule {}", args.out.display()),
    };
    let spec = args.spec.display();
    text.push_str(&format!(
        "\nNext:\n  {build}\n  omnilink fuzz --spec {spec}{link} -- {}\n\nOr, so that the same seed gives the same run:\n  {scheduled}\n  \
         omnilink fuzz --spec {spec}{link} -- {}\n",
        startable(&harness),
        startable(&args.out.join("harness-schedule"))
    ));
    text
}

/// A path that a shell takes for a program.
fn startable(path: &Path) -> String {
    match path.components().count() {
        1 => format!("./{}", path.display()),
        _ => path.display().to_string(),
    }
}
