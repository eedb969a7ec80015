//! `omnilink report`: evidence as text, or in the forms that other tools read.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_campaign::Store;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_report::{TextOptions, annotations, dot, junit, markdown, sarif, text};
use omnilink_view::FileKind;

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Drawing, Output};
use crate::runs::{self, STORE};
use crate::view::evidence_in;

/// What it is for.
pub(crate) const ABOUT: &str =
    "Print evidence: as text, Markdown, JUnit, SARIF, GitHub annotations, or a graph";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct ReportArgs {
    /// Evidence that other commands wrote with --evidence FILE or printed with --json; stores of runs, of which the first run of each
    /// finding is printed; or the numbers of runs in --store
    #[arg(required = true, value_name = "EVIDENCE|RUN|STORE")]
    what: Vec<PathBuf>,
    /// The store of the runs given by number
    #[arg(long, value_name = "FILE", default_value = STORE)]
    store: PathBuf,
    /// Markdown, for a comment on a pull request
    #[arg(long, group = "form")]
    markdown: bool,
    /// A JUnit report: a test case per input
    #[arg(long, group = "form")]
    junit: bool,
    /// SARIF 2.1.0, for code scanning
    #[arg(long, group = "form")]
    sarif: bool,
    /// Annotations for GitHub Actions
    #[arg(long, group = "form")]
    github: bool,
    /// The cycles of transactions as a graph for Graphviz
    #[arg(long, group = "form")]
    dot: bool,
    /// All lines of a long report
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    drawing: Drawing,
}

const EXAMPLES: &str = "\
Examples:
  omnilink report why.json
  omnilink report why.json --markdown >> \"$GITHUB_STEP_SUMMARY\"
  omnilink report why.json --github
  omnilink report *.json --junit > omnilink.xml
  omnilink report *.json --sarif > omnilink.sarif
  omnilink report why.json --dot | dot -Tsvg > cycles.svg
  omnilink report 17 --store omnilink-runs.db
  omnilink report omnilink-runs.db --junit > omnilink.xml

The exit code is that of the worst verdict: 0 valid, 1 violation, 2 error, 3 unknown.";

/// A report that is longer is cut: the page of `omnilink view` shows the rest better.
const LINES_MAX: usize = 58;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    let mut evidence = Vec::new();
    for what in &args.what {
        let run = what.to_str().and_then(|text| text.parse::<i64>().ok());
        match run.filter(|_| !what.exists()) {
            Some(run) => {
                let store = Store::open(&args.store)?;
                evidence.push(runs::evidence::of_run(&store, run, &args.store)?);
            }
            None => evidence.extend(evidence_of(what)?),
        }
    }
    let worst = evidence.iter().map(|one| Exit::of(one.verdict)).max();
    if args.markdown {
        out.print(&markdown(&evidence))?;
    } else if args.junit {
        out.print(&junit(&evidence))?;
    } else if args.sarif {
        out.print(&sarif(&evidence))?;
    } else if args.github {
        out.print(&annotations(&evidence))?;
    } else if args.dot {
        out.print(&dot(&evidence))?;
    } else {
        for one in &evidence {
            let page = match &one.error {
                Some(error) if one.verdict == Verdict::Error => {
                    format!("{}: {}\n", look.clean(&one.input), look.clean(error))
                }
                _ => text(one, &TextOptions::from(look)),
            };
            out.print(&if args.all { page } else { shortened(&page) })?;
        }
    }
    Ok(worst.unwrap_or(Exit::Valid))
}

/// The evidence in a file or a store of runs.
fn evidence_of(path: &Path) -> Result<Vec<Evidence>, CliError> {
    match FileKind::of(path).map_err(|error| CliError::read(path, error))? {
        FileKind::Store => Ok(runs::evidence::of_findings(&Store::open(path)?, None, path)?),
        FileKind::Evidence => {
            let text = fs::read_to_string(path).map_err(|error| CliError::read(path, error))?;
            evidence_in(&text, path)
        }
        FileKind::Trace => Err(CliError::Usage(format!(
            "{}: this is no evidence; give a file that a command wrote with --evidence FILE, a store of runs, or the number of a run \
             (`omnilink view` also shows traces)",
            path.display()
        ))),
    }
}

/// The first lines of a page, and how many more there are.
fn shortened(page: &str) -> String {
    let lines = page.lines().count();
    if lines <= LINES_MAX {
        return page.to_owned();
    }
    let mut shown: String = page
        .lines()
        .take(LINES_MAX - 1)
        .flat_map(|line| [line, "\n"])
        .collect();
    shown.push_str(&format!(
        "… {} more lines: omnilink report --all prints them, omnilink view shows them\n",
        lines - (LINES_MAX - 1)
    ));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_report_has_under_60_lines() {
        let page: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let short = shortened(&page);
        assert!(short.lines().count() < 60);
        assert!(
            short
                .ends_with("… 143 more lines: omnilink report --all prints them, omnilink view shows them\n")
        );
        assert_eq!(shortened("a\nb\n"), "a\nb\n");
    }
}
