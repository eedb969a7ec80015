//! A directory of one file per thread.

use std::path::{Path, PathBuf};

use crate::note::Notes;
use crate::{Note, Place, Problem, TraceError};

/// The extensions that make a file of a directory part of the trace. A harness leaves other things there.
const EXTENSIONS: [&str; 9] = [
    "ndjson", "jsonl", "json", "msgpack", "mp", "mpk", "log", "edn", "txt",
];

/// The files of `directory` that belong to the trace, in the order of their names.
pub(crate) fn files_of(directory: &Path, notes: &Notes) -> Result<Vec<PathBuf>, TraceError> {
    let error = |error| TraceError::new(Place::whole(&directory.display().to_string()), error);
    let mut files = Vec::new();
    let mut skipped = 0;
    for entry in std::fs::read_dir(directory).map_err(error)? {
        let path = entry.map_err(error)?.path();
        match path.is_file() && is_trace_name(&path) {
            true => files.push(path),
            false => skipped += 1,
        }
    }
    if files.is_empty() {
        return Err(TraceError::new(
            Place::whole(&directory.display().to_string()),
            Problem::EmptyDirectory,
        ));
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

/// The file's name without folder, compression and extension.
pub(crate) fn stem(path: &Path) -> String {
    let name = uncompressed_name(path);
    Path::new(&name)
        .file_stem()
        .map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
}
