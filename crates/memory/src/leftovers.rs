//! Files that are half-written, and must not stay when a process ends at once.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static HALF_WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file is half-written until this is dropped.
#[derive(Debug)]
#[must_use = "the file is half-written until this is dropped"]
pub struct HalfWritten(PathBuf);

impl HalfWritten {
    /// Who removes the file otherwise does so still; this is for the end by force.
    pub fn new(path: &Path) -> Self {
        let mut all = HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for HalfWritten {
    fn drop(&mut self) {
        let mut all = HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = all.iter().position(|path| *path == self.0) {
            all.swap_remove(at);
        }
    }
}

/// Removes what is half-written, when the process ends and nobody else will.
pub fn remove_half_written() {
    let mut all = HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    for path in all.drain(..) {
        let _ = std::fs::remove_file(path);
    }
}

/// An error of a temporary file without its name, which nobody has given: messages name the file that was asked for.
pub fn without_name(error: std::io::Error) -> std::io::Error {
    let inner = error.get_ref().and_then(|inner| inner.source());
    match inner.and_then(|inner| inner.downcast_ref::<std::io::Error>()?.raw_os_error()) {
        Some(number) => std::io::Error::from_raw_os_error(number),
        None => error,
    }
}
