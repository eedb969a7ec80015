//! Lines of source that evidence mentions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use omnilink_evidence::{Continuation, Evidence, ReportedOperation, Violation};
use serde::Serialize;
use serde_json::Value;

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceExcerpt {
    /// The file, as the evidence names it.
    pub file: String,
    /// The number of the first line.
    pub first: usize,
    /// The lines.
    pub lines: Vec<String>,
}

/// Finds files that evidence names.
///
/// Evidence may come from anywhere, and the page that quotes a file may be sent on. So a file is quoted only if it is below one of the
/// folders that the reader works in or has named, and only if it is source by its extension.
#[derive(Clone, Debug)]
pub struct SourceFinder {
    folders: Vec<PathBuf>,
}

const EXTENSIONS: [&str; 16] = [
    "tla", "cfg", "toml", "rs", "c", "cc", "cpp", "cxx", "h", "hpp", "hh", "py", "java", "go", "ndjson",
    "jsonl",
];
/// Lines before and after the one that is mentioned.
const AROUND: usize = 8;
const FILE_BYTES_MAX: u64 = 4 << 20;
const LINE_MAX: usize = 400;

impl SourceFinder {
    /// Looks below these folders, in this order.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let folders = folders
            .into_iter()
            .filter_map(|folder| folder.canonicalize().ok());
        Self {
            folders: folders.collect(),
        }
    }

    /// The lines around all places, such as `Queue.tla:12` and `src/lib.rs:3:5`, that occur in some evidence.
    pub fn excerpts<'e>(
        &self,
        evidence: impl IntoIterator<Item = &'e str>,
        others: impl IntoIterator<Item = &'e String>,
    ) -> Vec<SourceExcerpt> {
        let mut places: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for evidence in evidence {
            if let Ok(evidence) = serde_json::from_str(evidence) {
                collect(&evidence, &mut places);
            }
        }
        for (file, line) in others.into_iter().filter_map(|place| parse(place)) {
            places.entry(file.to_owned()).or_default().insert(line);
        }
        let mut excerpts = Vec::new();
        for (file, lines) in places {
            let Some(text) = self
                .find(&file)
                .and_then(|path| std::fs::read_to_string(path).ok())
            else {
                continue;
            };
            let text: Vec<&str> = text.lines().collect();
            for (first, end) in ranges(&lines, text.len()) {
                let lines = text[first - 1..end].iter();
                excerpts.push(SourceExcerpt {
                    file: file.clone(),
                    first,
                    lines: lines.map(|line| line.chars().take(LINE_MAX).collect()).collect(),
                });
            }
        }
        excerpts
    }

    /// Where the false parts of refusals stand in a specification: a reason quotes the text, the specification has it in the action
    /// or in a definition that the action uses.
    pub fn conjuncts(&self, evidence: &Evidence) -> BTreeMap<String, String> {
        let mut conjuncts = BTreeMap::new();
        let Some(name) = evidence.model.as_ref().filter(|name| name.ends_with(".tla")) else {
            return conjuncts;
        };
        let Some(text) = self
            .find(name)
            .and_then(|path| std::fs::read_to_string(path).ok())
        else {
            return conjuncts;
        };
        let words = Words::of(&text);
        for (op, reason) in refusals(evidence) {
            let from = action_line(evidence, &op.text);
            for quoted in reason.split('`').skip(1).step_by(2) {
                if let Some(line) = words.find(quoted, from).or_else(|| words.find(quoted, 1)) {
                    conjuncts.insert(one_line(quoted), format!("{name}:{line}"));
                }
            }
        }
        conjuncts
    }

    /// The file, if it is source and below one of the folders.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let extension = Path::new(name).extension()?.to_str()?;
        if !EXTENSIONS.contains(&extension) {
            return None;
        }
        let candidates = self.folders.iter().flat_map(|folder| {
            // The name as it is, and the file of that name in the folder itself.
            let base = Path::new(name).file_name().map(|base| folder.join(base));
            [Some(folder.join(name)), base]
        });
        candidates
            .flatten()
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| self.folders.iter().any(|folder| path.starts_with(folder)))
            .find(|path| {
                std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= FILE_BYTES_MAX)
            })
    }
}

/// Every refusal of some evidence, with the operation that is refused.
fn refusals(evidence: &Evidence) -> Vec<(&ReportedOperation, &str)> {
    let alternatives = match (&evidence.violation, &evidence.unknown) {
        (Some(Violation::Operation(counterexample)), _) => &counterexample.alternatives,
        (Some(Violation::Visibility(refutation)), _) => {
            let candidates = refutation.candidates.iter();
            return candidates
                .filter_map(|candidate| Some((&refutation.op, candidate.reason.as_deref()?)))
                .collect();
        }
        (None, Some(unknown)) => &unknown.alternatives,
        _ => return Vec::new(),
    };
    let candidates = alternatives
        .iter()
        .flat_map(|alternative| &alternative.candidates);
    candidates
        .filter_map(|candidate| match &candidate.continuation {
            Continuation::Refused { reason: Some(reason) } => Some((&candidate.op, reason.as_str())),
            _ => None,
        })
        .collect()
}

/// The line on which the action of an operation is defined, or the first.
fn action_line(evidence: &Evidence, text: &str) -> usize {
    let name = text.split(['(', ' ']).next().unwrap_or(text);
    let actions = evidence.spec.iter().flat_map(|spec| &spec.actions);
    let mut of_name =
        actions.filter(|action| action.op == name || action.action.split('(').next() == Some(name));
    of_name
        .find_map(|action| parse(&action.at))
        .map_or(1, |(_, line)| line)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text with single spaces, and the line of each of its bytes.
struct Words {
    text: String,
    lines: Vec<usize>,
}

impl Words {
    fn of(source: &str) -> Self {
        let (mut text, mut lines) = (String::new(), Vec::new());
        for (at, line) in source.lines().enumerate() {
            for word in line.split_whitespace() {
                text.push_str(word);
                text.push(' ');
                lines.resize(text.len(), at + 1);
            }
        }
        Self { text, lines }
    }

    /// The line on which some text begins, from a line on.
    fn find(&self, quoted: &str, from: usize) -> Option<usize> {
        let quoted = one_line(quoted);
        let start = self.lines.partition_point(|line| *line < from);
        let at = start + self.text.get(start..)?.find(&quoted)?;
        (!quoted.is_empty()).then(|| self.lines[at])
    }
}

/// The places in the texts of some JSON: those of fields that are places by their names.
fn collect(value: &Value, places: &mut BTreeMap<String, BTreeSet<usize>>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, places)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if matches!(name.as_str(), "place" | "at") => {
                        if let Some((file, line)) = parse(text) {
                            places.entry(file.to_owned()).or_default().insert(line);
                        }
                    }
                    value => collect(value, places),
                }
            }
        }
        _ => {}
    }
}

/// File and line of `Queue.tla:12:5` or `src/lib.rs:12 in …`.
fn parse(place: &str) -> Option<(&str, usize)> {
    let place = place.split(" in ").next().unwrap_or(place);
    let (rest, last) = place.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    match rest
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse().ok()?)))
    {
        Some((file, line)) => Some((file, line)),
        None => Some((rest, last)),
    }
}

/// The lines around some lines, as ranges that do not touch: first and last, counted from 1.
fn ranges(lines: &BTreeSet<usize>, length: usize) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in lines.iter().copied().filter(|line| (1..=length).contains(line)) {
        let (first, end) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(length));
        match ranges.last_mut() {
            Some(last) if first <= last.1 + 1 => last.1 = end,
            _ => ranges.push((first, end)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_around_a_place_are_quoted_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
        std::fs::write(folder.path().join("Spec.tla"), text).expect("it can be written");
        let finder = SourceFinder::new([folder.path().to_owned()]);
        let evidence = json!({"a": {"place": "Spec.tla:20:3"}, "b": [{"at": "Spec.tla:25"}, {"place": "elsewhere/Spec.tla:58"}]});
        let excerpts = finder.excerpts([evidence.to_string().as_str()], []);
        let shown: Vec<_> = excerpts
            .iter()
            .map(|one| (one.file.as_str(), one.first, one.lines.len()))
            .collect();
        assert_eq!(shown, [("Spec.tla", 12, 22), ("elsewhere/Spec.tla", 50, 11)]);
    }

    #[test]
    fn files_outside_of_the_folders_and_files_that_are_no_source_are_not_quoted() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("work");
        std::fs::create_dir(&inner).expect("it can be made");
        std::fs::write(folder.path().join("secret.rs"), "let key = 1;\n").expect("it can be written");
        std::fs::write(inner.join("id_rsa"), "key\n").expect("it can be written");
        let finder = SourceFinder::new([inner]);
        let outside = folder.path().join("secret.rs").display().to_string();
        let evidence =
            json!([{"place": format!("{outside}:1")}, {"place": "../secret.rs:1"}, {"place": "id_rsa:1"}]);
        assert_eq!(finder.excerpts([evidence.to_string().as_str()], []), []);
    }

    #[test]
    fn a_false_part_is_found_in_its_action() {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = "---- MODULE Store ----\nPut(k) == /\\ k \\in K\nGet(k, r) ==\n    /\\ k \\in K\n    /\\ r =\n       store[k]\n====\n";
        std::fs::write(folder.path().join("Store.tla"), spec).expect("it can be written");
        let finder = SourceFinder::new([folder.path().to_owned()]);
        let json = json!({
            "evidence": 1, "command": "validate", "subject": "operations", "input": "t", "verdict": "violation", "model": "Store.tla",
            "ops": 1, "pending": 0, "aborted": 0, "seconds": 0.0, "notes": [],
            "spec": {"tags": [], "invariants": [], "frontier_mean": 1.0, "longest": [], "is_impossible": false,
                "actions": [{"op": "Get", "action": "Get(k, r)", "at": "Store.tla:3", "placed": 0, "pending": 0, "tried": 1, "refused": 1, "branches": []}]},
            "violation": {"type": "operation", "alternatives_total": 1, "agreed": null,
                "op": {"id": 0, "thread": "a", "text": "Get(1, 2)", "start": 0, "end": 1, "place": null},
                "alternatives": [{"state": "s", "recent": [], "placed": [], "candidates": [
                    {"op": {"id": 0, "thread": "a", "text": "Get(1, 2)", "start": 0, "end": 1, "place": null}, "fate": "refused",
                     "reason": "`k \\in K` is false: k = 1; or `r = store[k]` is false"}]}]},
        });
        let evidence = Evidence::from_json(&json.to_string()).expect("it is evidence");
        let expected = [("k \\in K", "Store.tla:4"), ("r = store[k]", "Store.tla:5")];
        let expected = expected.map(|(text, place)| (text.to_owned(), place.to_owned()));
        assert_eq!(finder.conjuncts(&evidence), BTreeMap::from(expected));
    }
}
