//! The folder of this process for temporary files, which is gone when the process is, however it ends.
//!
//! Files that clean up after themselves do not do so when a process ends at once: by force after a limit, or from within. So all of them lie in
//! one folder, and only that has to be removed. After SIGKILL it stays, and a later process removes it: nobody holds its lock any more.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder, and the lock on it.
static FOLDER: OnceLock<(PathBuf, File)> = OnceLock::new();

/// Before the number of the process.
const PREFIX: &str = "omnilink-tmp-";

/// From now on, temporary files of this process lie in a folder of their own.
pub(crate) fn make() {
    let all = std::env::temp_dir();
    remove_abandoned(&all);
    let folder = all.join(format!("{PREFIX}{}", std::process::id()));
    // Without it, they lie where they lay before; what cannot be written says so itself.
    let Some(lock) = create(&folder).ok().and_then(|()| locked(&folder)) else {
        return;
    };
    if folder.exists() && tempfile::env::override_temp_dir(&folder).is_ok() {
        let _ = FOLDER.set((folder, lock));
    }
}

/// Where temporary files lie.
pub(crate) fn folder() -> PathBuf {
    let ours = FOLDER.get().map(|(folder, _)| folder.clone());
    ours.unwrap_or_else(std::env::temp_dir)
}

/// Removes the folder with all that is in it.
pub(crate) fn remove() {
    if let Some((folder, _)) = FOLDER.get() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Removes the folders of processes that ended without doing so.
fn remove_abandoned(all: &Path) {
    for entry in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_ours && locked(&entry.path()).is_some() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(unix)]
fn create(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    std::fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir(folder)
}

/// The lock on a folder, unless a process holds it. It ends with the process.
#[cfg(unix)]
fn locked(folder: &Path) -> Option<File> {
    use std::os::fd::AsRawFd;

    let file = File::open(folder).ok()?;
    // SAFETY: the descriptor is that of an open file.
    let locked = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    (locked == 0).then_some(file)
}

#[cfg(not(unix))]
fn locked(folder: &Path) -> Option<File> {
    File::open(folder).ok()
}
