//! Lines of a log as they were read.

use std::fmt;
use std::sync::Arc;

use omnilink_value::Value;

/// Where a line was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the user named it.
    pub file: Arc<str>,
    /// The line, counted from 1.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A line as it was read: a JSON object.
#[derive(Clone, Debug)]
pub struct RawLine {
    /// Where it was read.
    pub place: Place,
    /// Its content.
    pub record: Value,
}

impl RawLine {
    /// The field at a path with dots.
    pub fn field(&self, path: &str) -> Option<&Value> {
        // A field whose own name has dots comes first.
        if let Some(value) = self.record.field(path) {
            return Some(value);
        }
        let mut value = &self.record;
        for name in path.split('.') {
            value = value.field(name)?;
        }
        Some(value)
    }
}
