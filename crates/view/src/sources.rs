//! Lines of source that evidence mentions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
/// folders that the reader has named, not hidden there, and only if it is source by its extension.
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

    /// Whether a file is below one of the folders, and not hidden there.
    pub fn holds(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|real| self.holds_real(&real))
    }

    fn holds_real(&self, path: &Path) -> bool {
        let is_hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
        let is_below = |folder: &PathBuf| {
            path.strip_prefix(folder)
                .is_ok_and(|rest| !rest.iter().any(is_hidden))
        };
        self.folders.iter().any(is_below)
    }

    /// The lines around all places, such as `Queue.tla:12` and `src/lib.rs:3:5`, that occur in some evidence.
    pub fn excerpts<'e>(&self, evidence: impl IntoIterator<Item = &'e str>) -> Vec<SourceExcerpt> {
        let mut places: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for evidence in evidence {
            if let Ok(evidence) = serde_json::from_str(evidence) {
                collect(&evidence, &mut places);
            }
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
            .filter(|path| self.holds_real(path))
            .find(|path| {
                std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= FILE_BYTES_MAX)
            })
    }
}

/// The places in the texts of some JSON: those of fields that are places by their names.
fn collect(value: &Value, places: &mut BTreeMap<String, BTreeSet<usize>>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, places)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("place" | "at", Value::String(text)) => add(text, places),
                    ("places", Value::Array(texts)) => {
                        texts
                            .iter()
                            .filter_map(Value::as_str)
                            .for_each(|text| add(text, places));
                    }
                    (_, value) => collect(value, places),
                }
            }
        }
        _ => {}
    }
}

fn add(place: &str, places: &mut BTreeMap<String, BTreeSet<usize>>) {
    if let Some((file, first, last)) = parse(place) {
        let lines = places.entry(file.to_owned()).or_default();
        lines.extend([first, last]);
    }
}

/// File, first and last line of `Queue.tla:12`, `Queue.tla:12:5`, `Queue.tla:12:5-14:9`, `src/lib.rs:12 in …` or `src/lib.rs:12 (x)`; of a
/// place in a dependency that is `called at` one of the project, the latter.
fn parse(place: &str) -> Option<(&str, usize, usize)> {
    let place = place.rsplit(", called at ").next().unwrap_or(place);
    let place = place.split(" in ").next().unwrap_or(place);
    let place = place.split(" (").next().unwrap_or(place);
    let end = place.rsplit_once('-').and_then(|(start, end)| {
        let (line, column) = end.split_once(':')?;
        column.parse::<usize>().ok()?;
        Some((start, line.parse::<usize>().ok()?))
    });
    let (start, last) = end.map_or((place, None), |(start, last)| (start, Some(last)));
    let (rest, number) = start.rsplit_once(':')?;
    let number: usize = number.parse().ok()?;
    let with_column = rest
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, first) = with_column.unwrap_or((rest, number));
    Some((file, first, last.unwrap_or(first)))
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
        let excerpts = finder.excerpts([evidence.to_string().as_str()]);
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
        std::fs::create_dir(inner.join(".cargo")).expect("it can be made");
        std::fs::write(inner.join(".cargo/credentials.toml"), "key\n").expect("it can be written");
        let finder = SourceFinder::new([inner]);
        let outside = folder.path().join("secret.rs").display().to_string();
        let evidence = json!([{"place": format!("{outside}:1")}, {"place": "../secret.rs:1"}, {"place": "id_rsa:1"}, {"place": ".cargo/credentials.toml:1"}]);
        assert_eq!(finder.excerpts([evidence.to_string().as_str()]), []);
    }

    #[test]
    fn a_place_may_be_a_range_and_one_of_several() {
        let folder = tempfile::tempdir().expect("a folder");
        let text: String = (1..=90).map(|line| format!("line {line}\n")).collect();
        std::fs::write(folder.path().join("A-1.tla"), text).expect("it can be written");
        let finder = SourceFinder::new([folder.path().to_owned()]);
        let evidence = json!({"fate": "refused", "places": ["", "A-1.tla:30:3-41:7", "A-1.tla:80:1-80:4"]});
        let excerpts = finder.excerpts([evidence.to_string().as_str()]);
        let shown: Vec<_> = excerpts.iter().map(|one| (one.first, one.lines.len())).collect();
        assert_eq!(shown, [(22, 28), (72, 17)]);
    }
}
