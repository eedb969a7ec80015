//! Locations in an input.

use std::fmt;
use std::sync::Arc;

/// The unit of positions in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Line,
    Byte,
}

/// An input: its name (a path, `-` for standard input, or a name given by the caller) and the unit of its positions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) unit: Unit,
}

impl Source {
    pub(crate) fn lines(name: &str) -> Arc<Self> {
        let (name, unit) = (name.to_owned(), Unit::Line);
        Arc::new(Self { name, unit })
    }

    pub(crate) fn bytes(name: &str) -> Arc<Self> {
        let (name, unit) = (name.to_owned(), Unit::Byte);
        Arc::new(Self { name, unit })
    }
}

/// A line of a text file or a byte of a binary file; prints as `file:12` or `file: byte 340`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    source: Arc<Source>,
    position: u64,
}

impl Location {
    const WHOLE: u64 = u64::MAX;

    pub(crate) fn at(source: &Arc<Source>, position: u64) -> Self {
        Self {
            source: Arc::clone(source),
            position,
        }
    }

    /// The whole input.
    pub fn whole(name: &str) -> Self {
        Self {
            source: Source::lines(name),
            position: Self::WHOLE,
        }
    }

    /// A line, counted from 1, of a text input.
    pub fn line(name: &str, line: u64) -> Self {
        Self {
            source: Source::lines(name),
            position: line,
        }
    }

    /// The file or other input.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// The line (counted from 1) or byte (counted from 0); `None` for the whole input.
    pub fn position(&self) -> Option<u64> {
        (self.position != Self::WHOLE).then_some(self.position)
    }

    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.source.name;
        match (self.position(), self.source.unit) {
            (None, _) => f.write_str(name),
            (Some(line), Unit::Line) => write!(f, "{name}:{line}"),
            (Some(byte), Unit::Byte) => write!(f, "{name}: byte {byte}"),
        }
    }
}
