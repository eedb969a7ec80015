//! PlusCal: `omnilink tla translate`, and which translation other commands read.

use std::fmt;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use omnilink_report::Look;
use omnilink_tla::diagnostic::render;
use omnilink_tla::semantics::PlusCal;
use omnilink_tla::semantics::pluscal::{
    AlgorithmError, Difference, DifferenceKind, Translation, TranslationOptions, compare, find_algorithm,
    find_markers, has_translation, ignored_algorithm, translate, with_translation,
};
use omnilink_tla::semantics::search_path::read_text;
use omnilink_tla::source::{Source, Sources};
use omnilink_verify::NewFile;

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Output};

/// Which translation of a PlusCal algorithm is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlusCalChoice {
    /// The one in the file, or a new one if there is none or it is not that of the algorithm
    #[default]
    Auto,
    /// The one in the file, whatever the algorithm says
    Use,
    /// A new one, whatever the file has
    Translate,
    /// The one in the file; if it is not that of the algorithm, it is an error
    Error,
}

impl fmt::Display for PlusCalChoice {
    /// As it is given on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Use => "use",
            Self::Translate => "translate",
            Self::Error => "error",
        })
    }
}

impl From<PlusCalChoice> for PlusCal {
    fn from(choice: PlusCalChoice) -> Self {
        match choice {
            PlusCalChoice::Auto => Self::Auto,
            PlusCalChoice::Use => Self::Use,
            PlusCalChoice::Translate => Self::Translate,
            PlusCalChoice::Error => Self::Error,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TranslateArgs {
    /// Only say whether the translation in the file is that of the algorithm: exit code 0 if it is, 1 if not
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Print the translation, and leave the file as it is
    #[arg(long)]
    stdout: bool,
    /// The module with the algorithm
    file: PathBuf,
    /// TranslationOptions of the translator, after the file: -wf, -sf, -wfNext, -nof, -termination, -noDoneDisjunct, -label, -labelRoot R, -lineWidth N
    #[arg(value_name = "OPTION", allow_hyphen_values = true, trailing_var_arg = true)]
    options: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  omnilink tla translate Algo.tla                write the translation after the algorithm
  omnilink tla translate --check Algo.tla        is it up to date?
  omnilink tla translate --stdout Algo.tla -wf   print it, with weak fairness for every process";

/// Runs `omnilink tla translate`.
pub(crate) fn run_translate(args: &TranslateArgs) -> Result<Exit, CliError> {
    let mut out = Output::new(&Look::plain());
    let text = read_text(&args.file).map_err(|error| {
        CliError::Usage(format!(
            "cannot read {}: {error}; give the path of a `.tla` file with an algorithm",
            args.file.display()
        ))
    })?;
    let options = TranslationOptions::from_arguments(args.options.iter().map(|option| &**option))
        .map_err(|fault| CliError::Usage(advice(&fault)))?;
    let options = TranslationOptions {
        adds_labels: options.adds_labels || args.check,
        ..options
    };
    let translation = match translate(&text, &options) {
        Ok(translation) => translation,
        Err(faults) => {
            show_faults(args, &text, &faults);
            return Ok(Exit::BadInput);
        }
    };
    if args.stdout {
        out.print(&format!("{}\n", translation.text.trim_end()))?;
        return Ok(Exit::Valid);
    }
    // Both were found when the algorithm was translated.
    let (Ok(place), Ok(markers)) = (find_algorithm(&text), find_markers(&text)) else {
        return Ok(Exit::BadInput);
    };
    let stored = markers.as_ref().filter(|markers| has_translation(&text, markers));
    if args.check {
        let compared = stored.map(|markers| compare(&text, markers, &translation));
        let has_other_fairness = compared
            .as_ref()
            .is_some_and(|compared| compared.has_other_fairness);
        let difference = match compared {
            Some(compared) => compared.difference.map(|found| tell(&found)),
            None => Some("there is no translation".to_owned()),
        };
        let name = args.file.display();
        return match difference {
            None => {
                out.print(&format!("{name}: the translation is that of the algorithm\n"))?;
                if has_other_fairness {
                    output::note(
                        &"its `Spec` demands other fairness than the algorithm: give the option that demands it, such as -wf, or translate again",
                    );
                }
                Ok(Exit::Valid)
            }
            Some(difference) => {
                out.print(&format!("{name}: not up to date: {difference}\n"))?;
                Ok(Exit::Violation)
            }
        };
    }
    let new = with_translation(&text, &place, markers.as_ref(), &translation);
    if new != text {
        NewFile::check(&args.file)?.write(new.as_bytes())?;
    }
    out.print(&format!("{}: translated\n", args.file.display()))?;
    tell_changes(&text, &translation);
    Ok(Exit::Valid)
}

fn advice(fault: &AlgorithmError) -> String {
    match &fault.help {
        Some(help) => format!("{}; {help}", fault.message),
        None => fault.message.clone(),
    }
}

fn show_faults(args: &TranslateArgs, text: &str, faults: &[AlgorithmError]) {
    let mut sources = Sources::default();
    let id = sources.add(Source::new(&args.file, text));
    for fault in faults {
        eprintln!("{}", render(&fault.diagnostic(id), &sources));
    }
    let plural = if faults.len() == 1 { "" } else { "s" };
    eprintln!("{}: {} error{plural}", args.file.display(), faults.len());
}

fn tell(difference: &Difference) -> String {
    let name = &difference.name;
    match difference.kind {
        DifferenceKind::OnlyStored => {
            format!("the translation defines `{name}`, and the algorithm has no such part")
        }
        DifferenceKind::OnlyNew => format!("the translation does not define `{name}`"),
        DifferenceKind::Changed => format!("the translation's definition of `{name}` is another one"),
    }
}

/// Says which labels were added, which names were changed, and what was left out.
fn tell_changes(text: &str, translation: &Translation) {
    let source = Source::new("", text);
    for (label, span) in &translation.added_labels {
        let place = source.line_column(span.start);
        output::note(&format!(
            "label {label} added at line {}, column {}",
            place.line, place.column
        ));
    }
    if let Some(ignored) = ignored_algorithm(text) {
        let line = source.line_column(ignored.start).line;
        output::note(&format!(
            "the algorithm at line {line} is not translated: it is the second one of this file"
        ));
    }
    for (old, new) in &translation.renamings {
        output::note(&format!(
            "{old} is called {new} in the translation, because its name is used twice"
        ));
    }
}
