//! What can be wrong with rules, and with lines.

use std::path::PathBuf;

use omnilink_settings::SettingsError;
use thiserror::Error;

/// Rules that cannot be used.
#[derive(Debug, Error)]
pub enum RulesError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is no TOML, or has entries that there are not.
    #[error("{file}:{}: {}", error.line, error.message)]
    Settings {
        /// The file.
        file: String,
        /// What is wrong, with its line.
        error: SettingsError,
    },
    /// An entry makes no sense.
    #[error("{file}: {entry}: {message}")]
    Entry {
        /// The file.
        file: String,
        /// The entry.
        entry: String,
        /// What is wrong, and what to do.
        message: String,
    },
}

/// A line that is an event by the rules, but cannot be one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ExtractError {
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong, and what to do.
    pub message: String,
}
