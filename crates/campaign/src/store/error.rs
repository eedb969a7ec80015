//! Why a store cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a store cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such file.
    #[error("{}: there is no such store; `omnilink fuzz --store` makes one", .0.display())]
    Missing(PathBuf),
    /// A file that something else has made.
    #[error("{}: this is not a store of OmniLink's runs; choose another file", .0.display())]
    Foreign(PathBuf),
    /// A store of another version.
    #[error("{}: the store has version {version}, which this omnilink does not know; use the omnilink that made it", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i32,
    },
    /// No run has this number.
    #[error("there is no run {run} in {}; `omnilink runs ls` lists them", path.display())]
    NoRun {
        /// The file.
        path: PathBuf,
        /// The run, as the user named it.
        run: String,
    },
    /// SQLite refused.
    #[error("{}: {error}{}", path.display(), advice(error))]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
    /// A file of a run could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl StoreError {
    pub(crate) fn sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let is_foreign = matches!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::NotADatabase));
        if is_foreign {
            Self::Foreign(path.to_owned())
        } else {
            Self::Sqlite {
                path: path.to_owned(),
                error,
            }
        }
    }

    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            error,
        }
    }
}

fn advice(error: &rusqlite::Error) -> &'static str {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "; make room, or choose a store on another disk",
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            "; choose a file in a folder that exists and can be written"
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "; another process keeps it locked",
        Some(ErrorCode::DatabaseCorrupt) => "; copy what can be read: omnilink runs export",
        _ => "",
    }
}
