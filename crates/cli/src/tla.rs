//! `omnilink tla`: read specifications, say what is wrong with them, and show what they consist of.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use omnilink_report::Look;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::{
    Options, check, render_check_json, render_check_text, render_show_json, render_show_text, show,
};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

/// Read TLA+ specifications.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TlaArgs {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  omnilink tla check Spec.tla
  omnilink tla check MCSpec.tla --config MCSpec.cfg -L lib --json
  omnilink tla show Spec.tla";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Say what is wrong with specifications: exit code 0 if nothing is, 2 if something is
    Check(CheckArgs),
    /// Show constants, variables, definitions with their levels, and the actions that Next is made of
    Show(ShowArgs),
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct CheckArgs {
    /// Specifications, each on its own
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct ShowArgs {
    /// The specification
    file: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Args)]
struct Reading {
    /// A configuration that belongs to the specification
    #[arg(long, value_name = "FILE.cfg")]
    config: Option<PathBuf>,
    /// A folder to look for modules in, after the specification's own
    #[arg(short = 'L', long = "library", value_name = "FOLDER")]
    libraries: Vec<PathBuf>,
    /// Print one JSON object per file
    #[arg(long)]
    json: bool,
}

impl Reading {
    fn options(&self) -> Options {
        Options {
            search: SearchPath::new(self.libraries.iter().cloned()),
            config: self.config.clone(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &TlaArgs) -> Result<Exit, CliError> {
    match &args.verb {
        Verb::Check(args) => run_check(args),
        Verb::Show(args) => run_show(args),
    }
}

fn run_check(args: &CheckArgs) -> Result<Exit, CliError> {
    let options = args.reading.options();
    let mut out = Output::new(&Look::plain());
    let mut worst = Exit::Valid;
    for file in &args.files {
        let checked = check(file, &options);
        if args.reading.json {
            out.print(&format!("{}\n", render_check_json(file, &checked)))?;
        } else {
            out.print(&render_check_text(file, &checked))?;
        }
        worst = worst.max(if checked.is_ok() {
            Exit::Valid
        } else {
            Exit::BadInput
        });
    }
    Ok(worst)
}

fn run_show(args: &ShowArgs) -> Result<Exit, CliError> {
    let checked = check(&args.file, &args.reading.options());
    let mut out = Output::new(&Look::plain());
    let shown = show(&checked.spec, checked.config.as_ref()).filter(|_| checked.is_ok());
    match shown {
        Some(shown) if args.reading.json => out.print(&format!("{}\n", render_show_json(&shown)))?,
        Some(shown) => out.print(&render_show_text(&shown))?,
        None if args.reading.json => out.print(&format!("{}\n", render_check_json(&args.file, &checked)))?,
        None => eprint!("{}", render_check_text(&args.file, &checked)),
    }
    Ok(if checked.is_ok() {
        Exit::Valid
    } else {
        Exit::BadInput
    })
}
