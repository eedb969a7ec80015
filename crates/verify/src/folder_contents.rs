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
    /// What it is a project of.
    pub projects: Vec<Project>,
    /// Whether there was more than is looked at.
    pub is_partial: bool,
}

/// What a folder is a project of, by its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Project {
    /// Rust.
    Cargo,
    /// C or C++.
    CMake,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript.
    JavaScript,
}

impl Project {
    fn of(file: &str) -> Option<Self> {
        Some(match file {
            "Cargo.toml" => Self::Cargo,
            "CMakeLists.txt" => Self::CMake,
            "pyproject.toml" | "setup.py" | "setup.cfg" | "requirements.txt" => Self::Python,
            "go.mod" => Self::Go,
            "pom.xml" | "build.gradle" | "build.gradle.kts" => Self::Java,
            "package.json" => Self::JavaScript,
            _ => return None,
        })
    }
}

/// A history of operations, by its first ones.
#[derive(Debug)]
pub struct FoundHistory {
    /// Its file, or the folder of a recording: one file for each thread.
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
/// The models whose operations have a key.
const OF_KEYS: [&str; 3] = ["kv", "map", "multi-register"];
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
                    if depth == 0
                        && text == "store"
                        && let Some(run) = latest_run(root)
                    {
                        found.add_data(root, run);
                    } else if SKIPPED.contains(&&*text) || depth == DEPTH_MAX {
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
        let mut recordings: Vec<PathBuf> = Vec::new();
        for path in data.into_iter().take(FILES_MAX) {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            if recordings.contains(&folder) {
                continue;
            }
            if recording_beside(&root.join(&path)).is_empty() {
                found.add_data(root, path);
            } else {
                let shown = if folder.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    &folder
                };
                found.add_data(root, shown.to_owned());
                recordings.push(folder);
            }
        }
        Ok(found)
    }

    fn add(&mut self, path: PathBuf, depth: usize, data: &mut Vec<PathBuf>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let plain = [".gz", ".zst"]
            .iter()
            .find_map(|ending| name.strip_suffix(ending));
        let ending = plain.unwrap_or(&name).rsplit_once('.').map(|(_, ending)| ending);
        if let Some(project) = Project::of(&name).filter(|_| depth == 0) {
            if !self.projects.contains(&project) {
                self.projects.push(project);
            }
            return;
        }
        match ending {
            // Not the modules that TLC's tools write for error traces.
            Some("tla") if !name.contains("_TTrace_") => self.specs.push(path),
            Some("ndjson" | "jsonl" | "json" | "edn" | "log" | "csv" | "msgpack") => data.push(path),
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

/// The newest run of Jepsen, which keeps a link to it in its folder `store`.
fn latest_run(root: &Path) -> Option<PathBuf> {
    let latest = Path::new("store/latest");
    ["history.edn", "history.txt", "jepsen.log"]
        .iter()
        .any(|file| root.join(latest).join(file).is_file())
        .then(|| latest.to_owned())
}

/// The other files of a recording of which a file is one: a recorder writes a folder with one file for each thread.
pub fn recording_beside(file: &Path) -> Vec<PathBuf> {
    // As recorders name them: 3.ndjson, 0003-main.msgpack.
    let is_named = |file: &Path| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let number = stem.split('-').next().unwrap_or_default();
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    };
    let is_recorded = |file: &Path| {
        Trace::open(file, &OpenOptions::new()).is_ok_and(|trace| {
            trace
                .header()
                .is_some_and(|header| header.get("omnilink").is_some())
        })
    };
    if !is_named(file) || !file.is_file() || !is_recorded(file) {
        return Vec::new();
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let others = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let mut others: Vec<PathBuf> = others
        .filter(|other| other.extension() == file.extension() && other.file_name() != file.file_name())
        .filter(|other| is_named(other))
        .take(ENTRIES_MAX)
        .collect();
    others.sort();
    // All files of a recording begin alike. One that does not says that this is a folder of something else.
    if others.iter().take(FILES_MAX).all(|other| is_recorded(other)) {
        others
    } else {
        Vec::new()
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
    let mut fitting: Vec<&'static str> = names.filter(|name| fits(name)).collect();
    // Others take each key for an object of its own, which says less of what has keys.
    let has_keys = first
        .iter()
        .any(|operation| operation.args.field("key").is_some());
    let rank = |name: &&str| OF_KEYS.iter().position(|of_keys| of_keys == name);
    fitting.sort_by_key(|name| rank(name).filter(|_| has_keys).unwrap_or(OF_KEYS.len()));
    Some(HistoryKind::Models(fitting))
}
