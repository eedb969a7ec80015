//! Locations in an input.

use std::fmt;
use std::sync::Arc;

/// The unit of positions in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Line,
    /// A line and a column, as [`line_and_column`] packs them.
    Column,
    Byte,
}

/// The bits of a packed position that are the column.
const COLUMN_BITS: u32 = 28;

/// A line and a column, both counted from 1, as one position that grows with both. Without a column, the place is the line, and so it is where
/// the column is too large to be packed.
pub(crate) fn line_and_column(line: u64, column: Option<u64>) -> u64 {
    let column = column.filter(|column| *column < 1 << COLUMN_BITS).unwrap_or(0);
    (line << COLUMN_BITS) | column
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

    pub(crate) fn columns(name: &str) -> Arc<Self> {
        let (name, unit) = (name.to_owned(), Unit::Column);
        Arc::new(Self { name, unit })
    }

    pub(crate) fn bytes(name: &str) -> Arc<Self> {
        let (name, unit) = (name.to_owned(), Unit::Byte);
        Arc::new(Self { name, unit })
    }
}

/// A line of a text file, with a column where several records stand on one line, or a byte of a binary file; prints as `file:12`,
/// `file:12:7` or `file: byte 340`.
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
        let position = (self.position != Self::WHOLE).then_some(self.position)?;
        Some(match self.source.unit {
            Unit::Line | Unit::Byte => position,
            Unit::Column => position >> COLUMN_BITS,
        })
    }

    /// The column (counted from 1) in the line, where the line alone does not tell the place.
    pub fn column(&self) -> Option<u64> {
        let column = self.position & ((1 << COLUMN_BITS) - 1);
        let has_column = self.source.unit == Unit::Column && self.position != Self::WHOLE && column > 0;
        has_column.then_some(column)
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
            (Some(line), Unit::Line | Unit::Column) => match self.column() {
                Some(column) => write!(f, "{name}:{line}:{column}"),
                None => write!(f, "{name}:{line}"),
            },
            (Some(byte), Unit::Byte) => write!(f, "{name}: byte {byte}"),
        }
    }
}
