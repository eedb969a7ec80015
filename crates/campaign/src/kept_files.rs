//! What is kept of a run beside its record.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use omnilink_evidence::CheckedTrace;

use crate::process::Ended;
use crate::store::KeptFile;

/// The trace, the evidence, and what the process printed.
pub(crate) fn kept_files(trace: &Path, ended: &Ended, checked: &CheckedTrace) -> io::Result<Vec<KeptFile>> {
    let mut files = Vec::new();
    let mut keep = |kind: &str, name: &str, bytes: Vec<u8>| {
        if !bytes.is_empty() {
            files.push(KeptFile {
                kind: kind.to_owned(),
                name: name.to_owned(),
                bytes,
            });
        }
    };
    keep("evidence", "evidence.json", checked.evidence.clone().into_bytes());
    keep("output", "stdout.txt", ended.stdout.clone());
    keep("output", "stderr.txt", ended.stderr.clone());
    let stacks = ended.stacks.clone().unwrap_or_default();
    keep("stacks", "stacks.txt", stacks.into_bytes());
    if trace.is_file() {
        keep("trace", "trace", fs::read(trace)?);
    } else if trace.is_dir() {
        files_below(trace, "", &mut |name, bytes| keep("trace", name, bytes))?;
    }
    Ok(files)
}

/// Why what a harness has left cannot be a trace.
pub(crate) fn no_trace(trace: &Path) -> Option<String> {
    if !trace.exists() {
        return Some("the harness wrote no trace into OMNILINK_TRACE".to_owned());
    }
    let path = no_file_in(trace)?;
    let name = trace.parent().and_then(|folder| path.strip_prefix(folder).ok());
    Some(format!(
        "{} is neither a file nor a folder: a harness writes its trace into files",
        name.unwrap_or(&path).display()
    ))
}

/// What of a trace is neither a file nor a folder: reading a pipe or a device may never end.
fn no_file_in(trace: &Path) -> Option<PathBuf> {
    let about = fs::metadata(trace).ok()?;
    if about.is_dir() && !trace.is_symlink() {
        let entries = fs::read_dir(trace).into_iter().flatten().flatten();
        return entries
            .map(|entry| entry.path())
            .find_map(|path| no_file_in(&path));
    }
    (!about.is_file() && !about.is_dir()).then(|| trace.to_owned())
}

/// The files of a folder and of the folders in it, such as the traces of several objects.
fn files_below(folder: &Path, prefix: &str, keep: &mut dyn FnMut(&str, Vec<u8>)) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{prefix}{name}");
        // A harness may leave anything there; what is no file or folder is no trace. Links are not followed.
        let Ok(about) = fs::symlink_metadata(&path) else {
            continue;
        };
        if about.is_file() {
            keep(&name, fs::read(&path)?);
        } else if about.is_dir() {
            files_below(&path, &format!("{name}/"), keep)?;
        }
    }
    Ok(())
}
