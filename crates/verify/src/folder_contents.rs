//! What a folder holds that can be checked.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use omnilink_models::{AnyModel, catalogue};
use omnilink_trace::{OpenOptions, Operation, Trace};

use crate::is_log;

/// What a folder holds that can be checked, by looking at names and at the beginning of files. Paths are below the folder.
#[derive(Debug, Default)]
pub struct FolderContents {
    /// Modules of TLA+ that have a configuration beside them, then the others.
    pub specs: Vec<PathBuf>,
    /// Histories of operations.
    pub histories: Vec<FoundHistory>,
    /// Logs of events and variables, as JSON.
    pub event_logs: Vec<PathBuf>,
    /// Logs of text.
    pub text_logs: Vec<PathBuf>,
    /// Whether it is a project of cargo.
    pub is_cargo: bool,
    /// Whether it is a project of CMake.
    pub is_cmake: bool,
    /// Whether there was more than is looked at.
    pub is_partial: bool,
}

/// A history of operations, by its first ones.
#[derive(Debug)]
pub struct FoundHistory {
    /// Its file.
    pub path: PathBuf,
    /// What its operations may be of.
    pub kind: HistoryKind,
}

/// What the operations of a history may be of.
#[derive(Debug, PartialEq, Eq)]
pub enum HistoryKind {
    /// Transactions.
    Transactions,
    /// One of these native models, which have all of its operations. May be empty.
    Models(Vec<&'static str>),
}

/// Folders that hold what was built or downloaded.
const SKIPPED: [&str; 4] = ["target", "node_modules", "states", "build"];
const DEPTH_MAX: usize = 4;
const ENTRIES_MAX: usize = 20_000;
/// How many files of a kind are looked into.
const FILES_MAX: usize = 50;
/// How many operations tell what a history is.
const OPERATIONS_MAX: usize = 200;

impl FolderContents {
    /// Looks at a folder.
    ///
    /// # Errors
    /// The folder cannot be read. What cannot be read below it is left out.
    pub fn of(root: &Path) -> std::io::Result<Self> {
        let mut found = Self::default();
        let mut data = Vec::new();
        let mut queue = VecDeque::from([(PathBuf::new(), 0)]);
        let mut seen = 0;
        while let Some((folder, depth)) = queue.pop_front() {
            let entries = match std::fs::read_dir(root.join(&folder)) {
                Ok(entries) => entries,
                Err(error) if depth == 0 => return Err(error),
                Err(_) => continue,
            };
            let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
            names.sort();
            for name in names {
                seen += 1;
                if seen > ENTRIES_MAX {
                    found.is_partial = true;
                    break;
                }
                let text = name.to_string_lossy();
                if text.starts_with('.') {
                    continue;
                }
                let path = folder.join(&name);
                let Ok(about) = std::fs::symlink_metadata(root.join(&path)) else {
                    continue;
                };
                if about.is_dir() {
                    if SKIPPED.contains(&&*text) || depth == DEPTH_MAX {
                        found.is_partial |= depth == DEPTH_MAX;
                    } else {
                        queue.push_back((path, depth + 1));
                    }
                } else if about.is_file() {
                    found.add(path, depth, &mut data);
                }
            }
        }
        // A configuration says that a module is meant to be checked.
        found
            .specs
            .sort_by_key(|spec| !root.join(spec.with_extension("cfg")).is_file());
        found.is_partial |= data.len() > FILES_MAX;
        for path in data.into_iter().take(FILES_MAX) {
            found.add_data(root, path);
        }
        Ok(found)
    }

    fn add(&mut self, path: PathBuf, depth: usize, data: &mut Vec<PathBuf>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let plain = [".gz", ".zst"]
            .iter()
            .find_map(|ending| name.strip_suffix(ending));
        let ending = plain.unwrap_or(&name).rsplit_once('.').map(|(_, ending)| ending);
        match ending {
            // Not the modules that TLC's tools write for error traces.
            Some("tla") if !name.contains("_TTrace_") => self.specs.push(path),
            Some("ndjson" | "jsonl" | "json" | "edn" | "log" | "csv") => data.push(path),
            _ if depth == 0 && name == "Cargo.toml" => self.is_cargo = true,
            _ if depth == 0 && name == "CMakeLists.txt" => self.is_cmake = true,
            _ => {}
        }
    }

    fn add_data(&mut self, root: &Path, path: PathBuf) {
        let file = root.join(&path);
        if let Some(kind) = history_kind(&file) {
            self.histories.push(FoundHistory { path, kind });
        } else if is_log(&file) {
            self.event_logs.push(path);
        } else if path.to_string_lossy().contains(".log") {
            self.text_logs.push(path);
        }
    }
}

/// What the first operations of a file are of; `None` if it is no history.
fn history_kind(file: &Path) -> Option<HistoryKind> {
    let trace = Trace::open(file, &OpenOptions::new()).ok()?;
    let first: Vec<Operation> = trace.take(OPERATIONS_MAX).collect::<Result<_, _>>().ok()?;
    if first.is_empty() {
        return None;
    }
    if first.iter().any(omnilink_isolation::is_transaction) {
        return Some(HistoryKind::Transactions);
    }
    let fits = |name: &str| {
        AnyModel::from_spec(name)
            .is_ok_and(|model| first.iter().all(|operation| model.decode(operation).is_ok()))
    };
    let names = catalogue().iter().map(|entry| entry.name);
    Some(HistoryKind::Models(names.filter(|name| fits(name)).collect()))
}
