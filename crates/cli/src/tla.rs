//! `omnilink tla`: read specifications, say what is wrong with them, show what they consist of, and evaluate expressions.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use omnilink_report::Look;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::{
    Entered, EvaluateError, EvaluateOptions, Evaluated, Repl, SpecOptions, check, evaluate,
    render_check_json, render_check_text, render_show_json, render_show_text, show,
};
use omnilink_verify::limit_text;
use serde_json::json;

use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::limits::{self, LimitArgs};
use crate::output::Output;
use crate::pluscal::{PlusCalChoice, TranslateArgs, run_translate};

/// What it is for.
pub(crate) const ABOUT: &str = "Read TLA+ specifications";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct TlaArgs {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  omnilink tla check Spec.tla
  omnilink tla check MCSpec.tla --config MCSpec.cfg -L lib --json
  omnilink tla show Spec.tla
  omnilink tla eval '{x * x : x \\in 1..5}'
  omnilink tla eval --from long.txt                  or - for standard input
  omnilink tla eval 'Cardinality(Server)' --in Raft.tla --config Raft.cfg
  omnilink tla translate Algo.tla -wf
  omnilink tla repl --in Spec.tla --const N=3";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Say what is wrong with specifications: exit code 0 if nothing is, 2 if something is
    Check(CheckArgs),
    /// Show constants, variables, definitions with their levels, and the actions that Next is made of
    Show(ShowArgs),
    /// Evaluate a constant expression: exit code 0 if it has a value, 2 if it has none, 3 if a limit was reached
    Eval(EvalArgs),
    /// Translate the PlusCal algorithm of a module to TLA+, and write the translation into its file
    Translate(TranslateArgs),
    /// Read definitions and expressions from standard input, and print the values of the expressions; :help explains
    #[command(after_help = EXAMPLES)]
    Repl(Surroundings),
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
#[command(after_help = EXAMPLES)]
struct EvalArgs {
    /// The expression
    #[arg(
        value_name = "EXPR",
        allow_hyphen_values = true,
        required_unless_present = "from"
    )]
    expression: Option<String>,
    /// A file with the expression, for one that is too long for a command line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "expression")]
    from: Option<PathBuf>,
    #[command(flatten)]
    surroundings: Surroundings,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl EvalArgs {
    fn expression(&self) -> Result<String, CliError> {
        let Some(file) = &self.from else {
            return Ok(self.expression.clone().unwrap_or_default());
        };
        let read = if file.as_os_str() == "-" {
            std::io::read_to_string(std::io::stdin())
        } else {
            std::fs::read_to_string(file)
        };
        read.map_err(|error| {
            let message = format!("{}: {error}; give a file with an expression", file.display());
            CliError::Usage(message)
        })
    }
}

/// What an expression may use.
#[derive(Debug, Args)]
struct Surroundings {
    /// A specification whose definitions the expression uses, in the place of the built-in modules
    #[arg(long = "in", value_name = "FILE")]
    file: Option<PathBuf>,
    /// A configuration that gives the specification's constants their values
    #[arg(long, value_name = "FILE.cfg", requires = "file")]
    config: Option<PathBuf>,
    /// A value for a constant, which counts more than the configuration
    #[arg(long = "const", value_name = "NAME=EXPR", value_parser = constant, requires = "file")]
    constants: Vec<(String, String)>,
    /// A folder to look for modules in, after the specification's own
    #[arg(short = 'L', long = "library", value_name = "FOLDER")]
    libraries: Vec<PathBuf>,
    /// Integers of 32 bits, as TLC has them
    #[arg(long)]
    int32: bool,
    /// Let the expression run commands (IOExec and the like)
    #[arg(long)]
    allow_exec: bool,
}

/// A constant and what it is to be.
fn constant(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=EXPR, such as N=3 or Server={s1,s2}".into()),
    }
}

impl Surroundings {
    fn options(&self) -> EvaluateOptions {
        EvaluateOptions {
            file: self.file.clone(),
            config: self.config.clone(),
            constants: self.constants.clone(),
            search: SearchPath::new(self.libraries.iter().cloned()),
            definitions: String::new(),
            is_32_bit: self.int32,
            may_execute: self.allow_exec,
            is_over: None,
        }
    }
}

#[derive(Debug, Args)]
struct Reading {
    /// A configuration that belongs to the specification
    #[arg(long, value_name = "FILE.cfg")]
    config: Option<PathBuf>,
    /// A folder to look for modules in, after the specification's own
    #[arg(short = 'L', long = "library", value_name = "FOLDER")]
    libraries: Vec<PathBuf>,
    /// Which translation of a PlusCal algorithm to read
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pluscal: PlusCalChoice,
    /// Print one JSON object per file
    #[arg(long)]
    json: bool,
}

impl Reading {
    fn options(&self) -> SpecOptions {
        SpecOptions {
            search: SearchPath::new(self.libraries.iter().cloned()).with_pluscal(self.pluscal.into()),
            config: self.config.clone(),
            ..SpecOptions::default()
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &TlaArgs) -> Result<Exit, CliError> {
    match &args.verb {
        Verb::Check(args) => run_check(args),
        Verb::Show(args) => run_show(args),
        Verb::Eval(args) => run_eval(args),
        Verb::Translate(args) => run_translate(args),
        Verb::Repl(surroundings) => run_repl(surroundings),
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

fn run_eval(args: &EvalArgs) -> Result<Exit, CliError> {
    let mut out = Output::new(&Look::plain());
    interrupt::listen();
    let _limits = args.limits.limits().begin();
    let options = EvaluateOptions {
        is_over: Some(|| limits::process_limit().is_some()),
        ..args.surroundings.options()
    };
    let expression = args.expression()?;
    let evaluated = evaluate(&expression, &options);
    let limit = limits::process_limit().filter(|_| evaluated.is_err());
    let exit = match (&evaluated, limit) {
        (Ok(_), _) => Exit::Valid,
        (Err(_), Some(_)) => Exit::Unknown,
        (Err(_), None) => Exit::BadInput,
    };
    if let Some(limit) = limit {
        let reason = format!("unknown: {}", limit_text(limit));
        let unknown =
            json!({ "input": expression, "verdict": "unknown", "limit": limit.word(), "reason": reason });
        out.print(&if args.json {
            format!("{unknown}\n")
        } else {
            format!("{reason}\n")
        })?;
    } else if args.json {
        out.print(&format!("{}\n", as_json(&expression, &evaluated)))?;
    } else {
        report(&mut out, &evaluated)?;
    }
    Ok(exit)
}

fn as_json(expression: &str, evaluated: &Result<Evaluated, EvaluateError>) -> serde_json::Value {
    match evaluated {
        Ok(evaluated) => json!({
            "input": expression, "verdict": "valid", "value": evaluated.text, "printed": evaluated.printed,
        }),
        Err(error) => json!({
            "input": expression, "verdict": "error", "class": error.class, "message": error.message,
            "text": error.rendered, "printed": error.printed,
        }),
    }
}

/// What was printed on the way, then the value; what is wrong goes to standard error.
fn report(out: &mut Output, evaluated: &Result<Evaluated, EvaluateError>) -> Result<(), CliError> {
    let printed = match evaluated {
        Ok(evaluated) => &evaluated.printed,
        Err(error) => &error.printed,
    };
    for line in printed {
        out.print(&format!("{line}\n"))?;
    }
    match evaluated {
        Ok(evaluated) => out.print(&format!("{}\n", evaluated.text)),
        Err(error) => {
            eprint!("{}", error.rendered);
            Ok(())
        }
    }
}

/// Reads until the end of standard input. Asks only people: a prompt in a pipe would be noise.
const REPL_HELP: &str = "\
{x * x : x \\in 1..5}        an expression: its value is printed
Double(x) == 2 * x         a definition: what follows may use it
RECURSIVE Sum(_)           the definition of Sum may follow on the next line
An entry goes on in the next line while a bracket is open, or where a line ends in \\; an empty line ends it.
--in Spec.tla makes the definitions of a specification known, --const N=3 gives its constants values.
";

fn run_repl(surroundings: &Surroundings) -> Result<Exit, CliError> {
    let mut out = Output::new(&Look::plain());
    let mut repl = Repl::new(surroundings.options());
    let stdin = std::io::stdin();
    let is_person = stdin.is_terminal();
    let mut worst = Exit::Valid;
    let mut entered = String::new();
    let mut lines = stdin.lock().lines();
    if is_person {
        eprintln!("An expression prints its value. :help says more; Ctrl-D ends.");
    }
    loop {
        if is_person {
            eprint!("{}", if entered.is_empty() { "tla> " } else { "...> " });
            let _ = std::io::stderr().flush();
        }
        let line = match lines.next() {
            Some(line) => {
                line.map_err(|error| CliError::Usage(format!("standard input: {error}; give UTF-8 text")))?
            }
            None if entered.is_empty() => return Ok(worst),
            // What is left open at the end, or by an empty line, is taken as it is, to say what is missing.
            None => String::new(),
        };
        if entered.is_empty() && line.trim() == ":help" {
            out.print(REPL_HELP)?;
            continue;
        }
        let is_last = line.is_empty();
        entered.push_str(&line);
        entered.push('\n');
        if !is_last && !Repl::is_complete(&entered) {
            continue;
        }
        match repl.enter(&std::mem::take(&mut entered)) {
            Ok(Entered::Nothing | Entered::Definition(_)) => {}
            Ok(Entered::Value(evaluated)) => report(&mut out, &Ok(evaluated))?,
            Err(error) => {
                worst = if is_person { worst } else { Exit::BadInput };
                report(&mut out, &Err(error))?;
            }
        }
    }
}
