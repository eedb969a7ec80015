//! `omnilink init`: what to do first in a folder.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_verify::{FolderContents, FoundHistory, HistoryKind, Project};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Output};

/// What it is for.
pub(crate) const ABOUT: &str = "Look at a folder, and print the commands that make sense there";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    /// The folder
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

const EXAMPLES: &str = "\
Nothing is asked, and nothing is written.

Examples:
  omnilink init
  omnilink init store/latest";

/// How many commands are printed.
const COMMANDS_MAX: usize = 3;

/// A command, and why it makes sense.
struct Suggestion {
    reason: String,
    command: String,
}

pub(crate) fn run(args: &InitArgs) -> Result<Exit, CliError> {
    let contents = FolderContents::of(&args.folder).map_err(|error| {
        CliError::Usage(format!(
            "{}: {error}; give the path of a folder",
            args.folder.display()
        ))
    })?;
    let look = output::look(false);
    let mut suggestions = suggestions(&contents);
    let mut text = String::new();
    if suggestions.is_empty() {
        text.push_str("There is no specification, no history, no log and no project here. To begin with:\n");
        suggestions.push(Suggestion {
            reason: "see a bug found, in a few seconds".to_owned(),
            command: "omnilink demo".to_owned(),
        });
        suggestions.push(Suggestion {
            reason: "what a recorded history can be checked against".to_owned(),
            command: "omnilink check --list-models".to_owned(),
        });
    }
    for suggestion in suggestions.iter().take(COMMANDS_MAX) {
        let _ = write!(
            text,
            "\n# {}\n{}\n",
            look.clean(&suggestion.reason),
            look.clean(&suggestion.command)
        );
    }
    if args.folder != Path::new(".") {
        let folder = quoted(&args.folder);
        text.insert_str(0, &format!("cd {}\n", look.clean(&folder)));
    }
    Output::new(&look).print(text.trim_start_matches('\n'))?;
    if contents.is_partial {
        output::note(&"there are more files than were looked at");
    }
    Ok(Exit::Valid)
}

/// What makes sense, the most telling command first.
fn suggestions(contents: &FolderContents) -> Vec<Suggestion> {
    let mut found = Vec::new();
    let spec = contents.specs.first();
    let mut add = |reason: String, command: String| found.push(Suggestion { reason, command });
    if let Some((spec, log)) = neighbours(&contents.specs, &contents.event_logs) {
        add(
            format!("is {} a behaviour of {}?", log.display(), spec.display()),
            format!("omnilink validate {} {}", quoted(spec), quoted(log)),
        );
    }
    if let Some(history) = contents.histories.first() {
        let near = neighbours(&contents.specs, std::slice::from_ref(&history.path));
        let (reason, command) = of_history(history, near.map(|(spec, _)| spec));
        add(reason, command);
    }
    if let Some(spec) = spec {
        add(
            format!("does {} do what it says it does?", spec.display()),
            format!("omnilink mc {}", quoted(spec)),
        );
    }
    if let Some(first) = contents.text_logs.first() {
        match neighbours(&contents.specs, &contents.text_logs) {
            Some((spec, log)) => add(
                format!(
                    "rules that turn the lines of {} into events of {}",
                    log.display(),
                    spec.display()
                ),
                format!(
                    "omnilink logs draft {} {} -o rules.toml --link-file link.toml",
                    quoted(log),
                    quoted(spec)
                ),
            ),
            None => add(
                format!(
                    "rules that turn the lines of {} into events, once there is a specification",
                    first.display()
                ),
                format!("omnilink logs draft {} SPEC.tla -o rules.toml", quoted(first)),
            ),
        }
    }
    for project in &contents.projects {
        if let Some(command) = tests_of(*project) {
            found.push(command);
        }
    }
    if contents.histories.is_empty() {
        found.extend(contents.projects.iter().map(|project| recording_of(*project)));
    }
    found
}

/// The tests of a project, if they can be run under controlled schedules.
fn tests_of(project: Project) -> Option<Suggestion> {
    let (reason, command) = match project {
        Project::Cargo => ("the tests of this project, under many schedules", "omnilink test"),
        Project::CMake => (
            "a program of tests in C++, compiled with its sources, under many schedules",
            "omnilink test --cpp TESTS.cpp",
        ),
        _ => return None,
    };
    Some(Suggestion {
        reason: reason.to_owned(),
        command: command.to_owned(),
    })
}

/// How a project comes to a history: the recorder of its language.
fn recording_of(project: Project) -> Suggestion {
    let recorder = match project {
        Project::Cargo => "the crate omnilink-record (docs/record.md)",
        Project::CMake => "recorders/cpp/omnilink.hpp, or omnilink.h in C (docs/recording.md)",
        Project::Python => {
            "omnilink.Recorder (pip install the wheel, or copy recorders/python/omnilink.py: docs/python.md)"
        }
        Project::Go => "the package recorders/go (docs/recording.md)",
        Project::Java => "recorders/java, or the jar that its script build makes (docs/recording.md)",
        Project::JavaScript => "a line of JSON for each call (docs/trace-format.md)",
    };
    Suggestion {
        reason: format!(
            "record what the program does with {recorder}; then, with one of the models of omnilink check --list-models"
        ),
        command: "omnilink check traces/run-1 --model MODEL".to_owned(),
    }
}

fn of_history(history: &FoundHistory, spec: Option<&PathBuf>) -> (String, String) {
    let (shown, path) = (history.path.display(), quoted(&history.path));
    match (&history.kind, spec) {
        (HistoryKind::Transactions, _) => (
            format!("which isolation levels do the transactions of {shown} have?"),
            format!("omnilink check {path} --infer"),
        ),
        (HistoryKind::Models(models), _) if !models.is_empty() => {
            let others = match models.len() {
                1 => String::new(),
                _ => format!(" (it has operations of {})", models.join(", ")),
            };
            (
                format!("is {shown} linearizable?{others}"),
                format!("omnilink check {path} --model {}", models[0]),
            )
        }
        (HistoryKind::Models(_), Some(spec)) => (
            format!("does {} explain {shown}?", spec.display()),
            format!("omnilink validate {} {path}", quoted(spec)),
        ),
        (HistoryKind::Models(_), None) => (
            format!("what is in {shown}? No model has all of its operations"),
            format!("omnilink trace stats {path}"),
        ),
    }
}

/// A specification and a file that belong together: the first ones with the most folders in common. Those in different folders of
/// the top have nothing to do with each other.
fn neighbours<'a>(specs: &'a [PathBuf], files: &'a [PathBuf]) -> Option<(&'a PathBuf, &'a PathBuf)> {
    let mut best = None;
    for spec in specs {
        for file in files {
            let folders = |path: &'a Path| path.parent().into_iter().flat_map(Path::components);
            let common = folders(spec)
                .zip(folders(file))
                .take_while(|(a, b)| a == b)
                .count();
            let is_near = common > 0 || folders(spec).count() == 0 || folders(file).count() == 0;
            if is_near && best.is_none_or(|(most, _)| common > most) {
                best = Some((common, (spec, file)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./+=:@%,".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        return text;
    }
    let text = if text.starts_with('-') {
        format!("./{text}")
    } else {
        text
    };
    format!("'{}'", text.replace('\'', "'\\''"))
}
