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
    /// Lines of its node after it that tell of the same step.
    pub joined: Vec<Self>,
}

impl RawLine {
    /// A line by itself.
    pub fn new(place: Place, record: Value) -> Self {
        Self {
            place,
            record,
            joined: Vec::new(),
        }
    }

    /// The lines of its step, each by itself: this one, and those that join it.
    pub fn parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.joined)
    }

    /// The last line of its step.
    pub fn last_part(&self) -> &Self {
        self.joined.last().unwrap_or(self)
    }

    /// How many lines its step has.
    pub fn count(&self) -> u64 {
        1 + self.joined.len() as u64
    }

    /// Whether it was made of a span.
    pub fn is_span(&self) -> bool {
        self.place.file.ends_with("#span")
    }

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
