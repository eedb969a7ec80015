//! `omnilink logs`: logs of text become events.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use omnilink_link::Outline;
use omnilink_log_extract::{DraftAction, ExtractionCounts, ExtractionRules, draft};
use omnilink_report::Look;
use omnilink_verify::{LineReader, LogSurvey, NewFile, VerifyError, log_files};

use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::linking::Linking;
use crate::output::{self, Output};

/// What it is for.
pub(crate) const ABOUT: &str = "Turn lines of text logs into events, and draft the rules for it";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct LogsArgs {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  omnilink logs draft server.log Raft.tla -o rules.toml --link-file Raft.toml
  omnilink logs extract rules.toml server.log | head
  omnilink validate Raft.tla server.log --extract rules.toml";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Look at a log and a specification, and write rules with everything that can be guessed; what needs a decision is marked
    Draft(DraftArgs),
    /// Print the events that rules make of logs, one JSON object a line
    Extract(ExtractArgs),
}

#[derive(Debug, Args)]
struct DraftArgs {
    /// The log: a file, or a folder of files
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// The specification
    #[arg(value_name = "SPEC.tla")]
    spec: PathBuf,
    #[command(flatten)]
    linking: Linking,
    /// Where to write the rules; standard output if not given
    #[arg(long, short, value_name = "RULES.toml")]
    output: Option<PathBuf>,
    /// Also write a link file for what the rules make of the log
    #[arg(long, value_name = "FILE.toml")]
    link_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ExtractArgs {
    /// The rules
    #[arg(value_name = "RULES.toml")]
    rules: PathBuf,
    /// The logs: files, folders of files, or - for standard input
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &LogsArgs) -> Result<Exit, CliError> {
    interrupt::listen();
    match &args.verb {
        Verb::Draft(args) => draft_rules(args),
        Verb::Extract(args) => extract(args),
    }
}

fn draft_rules(args: &DraftArgs) -> Result<Exit, CliError> {
    // Whether files can be written is found out before anything is read.
    let rules_file = args.output.as_deref().map(NewFile::check).transpose()?;
    let link_file = args.link_file.as_deref().map(NewFile::check).transpose()?;
    if args.log.as_os_str() == "-" && link_file.is_some() {
        let message = "--link-file reads the log twice: give a file instead of standard input";
        return Err(CliError::Usage(message.to_owned()));
    }
    let (options, _) = args.linking.options(&args.spec)?;
    let outline = Outline::read(&args.spec, &options)?;
    let actions: Vec<DraftAction> = outline
        .actions
        .iter()
        .filter(|action| action.in_next)
        .map(|action| DraftAction {
            name: action.name.clone(),
            parameters: action.params.clone(),
        })
        .collect();
    let files = log_files(&args.log).map_err(VerifyError::from)?;
    let lines = first_lines(&files)?;
    if lines.iter().all(|line| line.trim().is_empty()) {
        let message = format!("{}: there is no line to draft rules for", args.log.display());
        return Err(CliError::Usage(message));
    }
    let (log, spec) = (args.log.display().to_string(), args.spec.display().to_string());
    let text = draft(&log, &spec, &lines, files.len(), &actions);
    match rules_file {
        Some(file) => file.write(text.as_bytes())?,
        None => Output::new(&Look::plain()).print(&text)?,
    }
    if let Some(file) = link_file {
        let rules = Arc::new(ExtractionRules::parse(&text, "the draft")?);
        let survey = LogSurvey::read(&args.log, Some(&rules)).map_err(VerifyError::from)?;
        let link = survey.link_file(&spec, &outline.actions, &outline.constants);
        file.write(link.as_bytes())?;
    }
    Ok(Exit::Valid)
}

/// The first lines of some files, which a draft looks at.
fn first_lines(files: &[PathBuf]) -> Result<Vec<String>, CliError> {
    const LINES_MAX: usize = 5_000;
    const LINE_BYTES_MAX: u64 = 1 << 16;
    let mut lines = Vec::new();
    let most = LINES_MAX / files.len().max(1);
    for path in files {
        let mut reader = LineReader::open(path).map_err(VerifyError::from)?;
        for _ in 0..most.max(1) {
            match reader.next_text(LINE_BYTES_MAX).map_err(VerifyError::from)? {
                Some(line) => lines.push(line),
                None => break,
            }
        }
    }
    Ok(lines)
}

fn extract(args: &ExtractArgs) -> Result<Exit, CliError> {
    let rules = Arc::new(ExtractionRules::read(&args.rules)?);
    let mut out = Output::new(&Look::plain());
    let mut counts = ExtractionCounts::default();
    for path in &args.logs {
        for file in log_files(path).map_err(VerifyError::from)? {
            counts.add(extract_file(&file, &rules, &mut out)?);
            if interrupt::is_raised() {
                return Ok(Exit::Interrupted);
            }
        }
    }
    output::note(&format!(
        "{} events; no rule is about {} lines, {} are left out, and {} have not the format",
        counts.events, counts.others, counts.skipped, counts.unreadable
    ));
    match counts.events {
        0 => Err(CliError::Usage(
            "no line is an event by these rules; `omnilink logs draft LOG SPEC.tla` writes some to start from".to_owned(),
        )),
        _ => Ok(Exit::Valid),
    }
}

fn extract_file(
    file: &Path,
    rules: &Arc<ExtractionRules>,
    out: &mut Output,
) -> Result<ExtractionCounts, CliError> {
    let mut reader = LineReader::open(file)
        .map_err(VerifyError::from)?
        .with_rules(Some(rules));
    while let Some(line) = reader.next_line().map_err(VerifyError::from)? {
        out.print(&format!("{}\n", line.record.to_json()))?;
        if interrupt::is_raised() {
            break;
        }
    }
    Ok(reader.extraction().unwrap_or_default())
}
