//! What can be wrong with a log or with what is said about it.

use std::path::PathBuf;

use omnilink_link::LinkError;
use thiserror::Error;

/// Why a log cannot be checked. Every message says where, what and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The spec cannot be read or linked.
    #[error("{0}")]
    Link(#[from] LinkError),
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A line is wrong.
    #[error("{place}: {message}")]
    Line {
        /// File and line.
        place: String,
        /// What is wrong, and what to do.
        message: String,
    },
    /// A log that is read line by line is not in the order of its clocks.
    #[error(
        "{place}: {why}, and the log is read line by line; give a file instead of a \
         pipe, sort it by its clock, or write order = \"lines\" under [log] in the link file if the lines stand in the order of their steps"
    )]
    Unordered {
        /// File and line.
        place: String,
        /// What it is that is not in order.
        why: &'static str,
    },
    /// Evaluating something of the spec failed.
    #[error("{place}: {message}")]
    Evaluation {
        /// File and line, or the spec.
        place: String,
        /// What failed.
        message: String,
    },
    /// Two ways to compute the same thing disagree: a mistake in this program.
    #[error("internal error: {0}; please report this")]
    Internal(String),
    /// An option or entry that makes no sense.
    #[error("{0}")]
    Usage(String),
}
