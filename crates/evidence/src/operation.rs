//! An observed call, as reports show it.

use std::cmp::Ordering;
use std::fmt;

use serde::Serialize;

/// An observed call, as reports show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedOperation {
    /// Its position in the history, counted from 0.
    pub id: u64,
    /// The identifier that the input gives it, if it gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The thread that called it.
    pub thread: ThreadName,
    /// Name, arguments and result, in the model's notation.
    pub text: String,
    /// When it was called, in the unit of the trace, if that was recorded.
    pub start: Option<i64>,
    /// When it returned; absent if it never did, or if no times were recorded.
    pub end: Option<i64>,
    /// Whether it never returned. Then it may or may not have taken effect.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// Where it was read: file and line.
    pub place: Option<String>,
}

impl ReportedOperation {
    /// An operation with a timebox; without an end it is pending.
    pub fn timed(id: u64, thread: u32, text: String, start: i64, end: Option<i64>) -> Self {
        Self {
            id,
            label: None,
            thread: ThreadName::Number(thread),
            text,
            start: Some(start),
            end,
            pending: end.is_none(),
            place: None,
        }
    }

    /// The label of the input, or else the position.
    pub fn name(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// A thread: by its number, until the trace's own name for it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum ThreadName {
    /// The number by which a checker knows it.
    Number(u32),
    /// Its name in the trace.
    Name(String),
}

impl ThreadName {
    /// The name, or `None` while only the number is known.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Number(_) => None,
            Self::Name(name) => Some(name),
        }
    }

    /// The number, whether it is still one or its name is written as one.
    fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(i64::from(*number)),
            Self::Name(name) => name.parse().ok(),
        }
    }
}

impl From<&str> for ThreadName {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl PartialOrd for ThreadName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order in which people look for threads: numbers by value, before names.
impl Ord for ThreadName {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |thread: &Self| {
            let number = thread.number();
            (number.is_none(), number, thread.to_string())
        };
        key(self).cmp(&key(other))
    }
}
