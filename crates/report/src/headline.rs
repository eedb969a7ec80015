//! An answer in one sentence, and the place that it is about: what lists of answers show.

use std::path::Path;

use omnilink_evidence::{Anomaly, Command, Evidence, ReportedOperation, Verdict, Violation};

use crate::look::Look;
use crate::text::system;

/// An answer in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// The sentence, without control characters.
    pub text: String,
    /// The file that it is about, if there is one: a component and a stored run are no files.
    pub file: Option<String>,
    /// The line of the file, if it is known.
    pub line: Option<u64>,
}

/// The answer in one sentence.
pub fn headline(evidence: &Evidence) -> Headline {
    let clean = |text: &str| Look::plain().clean(text).into_owned();
    let (text, place) = match (&evidence.violation, evidence.verdict) {
        (Some(Violation::Operation(counterexample)), _) => {
            let op = &counterexample.op;
            let why = counterexample
                .broken
                .as_ref()
                .map(|broken| format!(": {}", broken.rule));
            let text = format!("no order explains {} of thread {}", op.text, op.thread);
            (text + &why.unwrap_or_default(), place_of(op))
        }
        (Some(Violation::Visibility(refutation)), _) => {
            let op = &refutation.op;
            let text = format!(
                "nothing that it could see explains {} of thread {}",
                op.text, op.thread
            );
            (text, place_of(op))
        }
        (Some(Violation::Transactions(anomaly)), _) => {
            let text = match anomaly {
                Anomaly::Read(text) => text.clone(),
                Anomaly::Cycle(edges) => format!(
                    "transactions depend on each other in a cycle: {}",
                    edges.join("; ")
                ),
                Anomaly::NoOrder { keys } => {
                    format!("no order of commits explains all reads of {}", keys.join(", "))
                }
            };
            (text, None)
        }
        (Some(Violation::Behaviour(behaviour)), _) if behaviour.difference.is_some() => {
            let difference = behaviour.difference.as_deref();
            let place = difference.and_then(|difference| Some(difference.action.as_ref()?.place.clone()));
            (difference.map(system::sentence).unwrap_or_default(), place)
        }
        (Some(Violation::Behaviour(behaviour)), _) => {
            let name = behaviour.violated.as_deref().unwrap_or_default();
            let text = format!(
                "{} {name} is violated after {} steps",
                behaviour.kind.word(),
                behaviour.states.len().saturating_sub(1)
            );
            let place = behaviour.false_part.as_ref().map(|part| part.place.clone());
            (text.replace("  ", " "), place)
        }
        (Some(Violation::Run(run)), _) => (format!("{}: {}", run.diagnosis, run.matrix), None),
        (Some(Violation::Test(failing)), _) => (failing.failure.clone(), failing.place.clone()),
        (Some(Violation::Nondeterminism(runs)), _) => (format!("serial runs differ in {}", runs.call), None),
        (None, Verdict::Valid) => ("everything is explained".to_owned(), None),
        (None, Verdict::Unknown) => {
            let reason = evidence.unknown.as_ref().map(|unknown| match &unknown.reason {
                Some(reason) => reason.clone(),
                None => format!(
                    "stopped by a limit ({}) after {} operations",
                    unknown.limit.word(),
                    unknown.explained
                ),
            });
            (reason.unwrap_or_else(|| "unknown".to_owned()), None)
        }
        (None, Verdict::Violation | Verdict::Error) => {
            let text = evidence
                .error
                .clone()
                .unwrap_or_else(|| evidence.verdict.word().to_owned());
            (text, None)
        }
    };
    let place = place
        .as_deref()
        .and_then(file_and_line)
        .or_else(|| place_of_error(evidence));
    let (file, line) = place.unzip();
    let file = file.or_else(|| {
        Path::new(&evidence.input)
            .is_file()
            .then(|| evidence.input.clone())
    });
    // What is in no file has to be named in the sentence.
    let is_named = file.is_some() || evidence.input.is_empty() || text.starts_with(&evidence.input);
    let text = if is_named {
        text
    } else {
        format!("{}: {text}", evidence.input)
    };
    Headline {
        text: clean(&text),
        file: file.map(|file| clean(&file)),
        line,
    }
}

/// File and line in front of an error: `history.ndjson:12: the field …`.
fn place_of_error(evidence: &Evidence) -> Option<(String, u64)> {
    let error = evidence.error.as_deref()?;
    let place = error.split_once(": ")?.0;
    let is_place = !place.contains(char::is_whitespace) || place.starts_with(&evidence.input);
    is_place.then(|| file_and_line(place)).flatten()
}

/// The command, as it is typed.
pub(crate) fn command_word(command: Command) -> &'static str {
    match command {
        Command::Check => "check",
        Command::Validate => "validate",
        Command::Mc => "mc",
        Command::Lineup => "lineup",
        Command::Test => "test",
        Command::Drive => "drive",
    }
}

fn place_of(op: &ReportedOperation) -> Option<String> {
    op.place.clone()
}

/// File and line of `Queue.tla:12` or `Queue.tla:12:5`.
fn file_and_line(place: &str) -> Option<(String, u64)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last: u64 = last.trim().parse().ok()?;
    match rest
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse().ok()?)))
    {
        Some((file, line)) => Some((file.to_owned(), line)),
        None => Some((rest.to_owned(), last)),
    }
}
