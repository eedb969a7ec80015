//! Formats and names of operations, as arguments.

use std::path::{Path, PathBuf};

use omnilink_trace::{Format, OperationName, SpanRuleError, SpanRules, UnknownFormat};
use omnilink_verify::recording_beside;

use crate::output;

/// A format by its name, for arguments.
pub fn format_name(name: &str) -> Result<Format, String> {
    name.parse().map_err(|error: UnknownFormat| error.to_string())
}

/// A rule about spans, for arguments.
pub fn span_rule(rule: &str) -> Result<String, String> {
    match SpanRules::from_rules([rule]) {
        Ok(_) => Ok(rule.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The rules of a link file, and of arguments, which come later.
pub fn span_rules(link: &[String], given: &[String]) -> Result<SpanRules, SpanRuleError> {
    SpanRules::from_rules(link.iter().chain(given))
}

/// A code and the name that it stands for, for arguments.
pub fn renaming(text: &str) -> Result<(String, OperationName), String> {
    match text.split_once('=') {
        Some((code, name)) if !code.trim().is_empty() && !name.trim().is_empty() => {
            Ok((code.trim().to_owned(), OperationName::new(name.trim())))
        }
        _ => Err("give CODE=NAME, such as 0=put".to_owned()),
    }
}

/// Notes files that are only a part of a recording: what is read in one of them was written in the others.
pub(crate) fn note_recordings(traces: &[PathBuf]) {
    let mut told: Vec<&Path> = Vec::new();
    for trace in traces {
        let folder = trace.parent().unwrap_or(Path::new(""));
        if told.contains(&folder) {
            continue;
        }
        let others = recording_beside(trace);
        if others.is_empty() {
            continue;
        }
        told.push(folder);
        let shown = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        output::note(&format!(
            "{} is one of {} files of a recording, one for each thread; omnilink check {} checks them together",
            trace.display(),
            others.len() + 1,
            shown.display()
        ));
    }
}
