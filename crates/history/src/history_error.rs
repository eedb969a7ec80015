//! What can be wrong with a recorded history.

use std::io;

use omnilink_trace::Location;
use omnilink_value::Value;
use thiserror::Error;

use crate::order::OrderError;

/// A history that cannot be read.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The input could not be read.
    #[error("{name}: {error}")]
    Io {
        /// The input.
        name: String,
        /// What went wrong.
        #[source]
        error: io::Error,
    },
    /// Something is wrong with a history.
    #[error("{place}: {problem}")]
    Bad {
        /// Where.
        place: Location,
        /// What.
        problem: HistoryProblem,
    },
}

/// What is wrong with a history.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HistoryProblem {
    /// Not JSON.
    #[error("{0}")]
    Json(String),
    /// No text.
    #[error("column {column} is not UTF-8, which JSON must be; convert the file, for example with iconv")]
    NotUtf8 {
        /// The column, counted in characters from 1.
        column: usize,
    },
    /// A field is missing.
    #[error("{whole} has no \"{field}\"; expected {expected}")]
    Missing {
        /// What lacks it.
        whole: String,
        /// The field.
        field: &'static str,
        /// What should be there.
        expected: &'static str,
    },
    /// A field holds something else.
    #[error("\"{field}\" of {whole} is {found}; expected {expected}")]
    Wrong {
        /// What it belongs to.
        whole: String,
        /// The field.
        field: &'static str,
        /// What is there.
        found: Value,
        /// What should be there.
        expected: &'static str,
    },
    /// Two operations have one id.
    #[error("two operations have the id {0}; give each its own")]
    Duplicate(Value),
    /// The order names an operation that is not there.
    #[error("the order names operation {0}, which the history does not have")]
    NoSuchOp(Value),
    /// The order is no partial order.
    #[error("{}", error.in_words(labels))]
    Order {
        /// What is wrong with it.
        error: OrderError,
        /// The names of the operations.
        labels: Vec<String>,
    },
    /// A thread has overlapping operations.
    #[error(
        "thread {thread} starts operation {label} at {start} while its operation {earlier} is open; if calls of one thread may \
         overlap, say so (on the command line: --async)"
    )]
    Overlap {
        /// The thread.
        thread: Value,
        /// The operation.
        label: String,
        /// When it starts.
        start: i64,
        /// The one that is open.
        earlier: String,
    },
    /// The model cannot decode an operation.
    #[error("operation {label}: {message}")]
    Decode {
        /// The operation.
        label: String,
        /// The model's message.
        message: String,
    },
}
