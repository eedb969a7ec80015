//! Directories: one file per thread, or the folder of a Jepsen run.

use std::path::{Path, PathBuf};

use crate::note::Notes;
use crate::{Location, Note, Problem, TraceError};

/// The extensions of trace files. A harness may leave other files in the directory.
const EXTENSIONS: [&str; 9] = [
    "ndjson", "jsonl", "json", "msgpack", "mp", "mpk", "log", "edn", "txt",
];

/// The files of `directory` that belong to the trace, in the order of their names.
pub(super) fn files_of(directory: &Path, notes: &Notes) -> Result<Vec<PathBuf>, TraceError> {
    let location = Location::whole(&directory.display().to_string());
    let error = |error| TraceError::new(location.clone(), error);
    if let Some((file, how)) = history_of_run(directory) {
        notes.push(Note::Interpretation { location, how });
        return Ok(vec![file]);
    }
    let mut files = Vec::new();
    let mut skipped = 0;
    for entry in std::fs::read_dir(directory).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.is_file() && is_trace_name(&path) {
            files.push(path)
        } else {
            skipped += 1
        }
    }
    if files.is_empty() {
        let problem = if directory.join("test.jepsen").exists() || directory.join("test.fressian").exists() {
            Problem::JepsenBinary
        } else if let Some(example) = run_below(directory) {
            Problem::JepsenStore { example }
        } else {
            Problem::EmptyDirectory
        };
        return Err(TraceError::new(location, problem));
    }
    files.sort_unstable();
    if skipped > 0 {
        let file = directory.display().to_string();
        notes.push(Note::Skipped {
            file,
            count: skipped,
            what: "entries that are no trace files by their extension",
        });
    }
    Ok(files)
}

/// Jepsen's names for the history of a run, in order of preference, each with the note about it.
const HISTORIES: [(&str, &str); 4] = [
    ("history.edn", "a Jepsen run; its history.edn is read"),
    ("history.json", "a Jepsen run; its history.json is read"),
    ("history.txt", "a Jepsen run; its history.txt is read"),
    ("jepsen.log", "a Jepsen run; its jepsen.log is read"),
];

/// The history of the Jepsen run whose folder this is.
fn history_of_run(directory: &Path) -> Option<(PathBuf, &'static str)> {
    HISTORIES.iter().find_map(|(name, how)| {
        let spelled = |suffix: &&str| directory.join(format!("{name}{suffix}"));
        let file = ["", ".gz", ".zst", ".zstd"]
            .iter()
            .map(spelled)
            .find(|file| file.is_file());
        file.map(|file| (file, *how))
    })
}

/// The newest run in a folder of runs, or in a folder of such folders: `store/test/` and `store/`.
fn run_below(directory: &Path) -> Option<PathBuf> {
    let folders = |directory: &Path| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        folders.sort_unstable();
        folders
    };
    let is_run = |folder: &PathBuf| history_of_run(folder).is_some();
    let below = folders(directory);
    let deeper = below
        .iter()
        .rev()
        .flat_map(|folder| folders(folder).into_iter().rev());
    below.iter().rev().cloned().chain(deeper).find(is_run)
}

fn is_trace_name(path: &Path) -> bool {
    let name = uncompressed_name(path);
    let extension = Path::new(&name)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    !name.starts_with('.') && extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

fn uncompressed_name(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let shorter = [".zst", ".zstd", ".gz"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix));
    shorter.map_or(name.clone(), str::to_owned)
}

/// The file's name without its folder, compression suffix and extension.
pub(super) fn stem(path: &Path) -> String {
    let name = uncompressed_name(path);
    Path::new(&name)
        .file_stem()
        .map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
}
