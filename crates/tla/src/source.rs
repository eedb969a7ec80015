//! Source texts and places in them.
//!
//! Every syntax node carries a [`Span`]: a pair of byte offsets, eight bytes in all. Lines and columns are worked out
//! only when somebody asks, from a line table built once per text, because a spec without mistakes never asks.

use std::path::{Path, PathBuf};

/// A half-open range of bytes in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from `start` up to, not including, `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// Names one of the texts of a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A line and a column, both counted from 1. A column counts characters; a tab moves to the next multiple of eight,
/// as it does for junction lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// One text: where it came from and what it says.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// A text under the name people know it by.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        Self {
            path: path.into(),
            text,
            line_starts,
        }
    }

    /// Where the text came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is not of this text.
    pub fn slice(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The line (from 1) that a byte is on.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    /// A line's text without its line ending; empty for a line that is not there.
    pub fn line(&self, line: u32) -> &str {
        let Some(start) = self.line_starts.get((line as usize).wrapping_sub(1)) else {
            return "";
        };
        let end = self
            .line_starts
            .get(line as usize)
            .map_or(self.text.len(), |next| *next as usize);
        self.text
            .get(*start as usize..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }

    /// Line and column of a byte.
    pub fn place(&self, offset: u32) -> Place {
        let line = self.line_of(offset);
        let start = self
            .line_starts
            .get((line as usize).wrapping_sub(1))
            .copied()
            .unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or("");
        Place {
            line,
            column: before.chars().fold(0, advance_column) + 1,
        }
    }
}

/// The column (from 0) after a character that begins at column `column`.
pub(crate) fn advance_column(column: u32, character: char) -> u32 {
    if character == '\t' {
        (column / 8 + 1) * 8
    } else {
        column + 1
    }
}

/// All texts of one run.
#[derive(Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
}

impl Sources {
    /// Adds a text.
    pub fn add(&mut self, source: Source) -> SourceId {
        self.texts.push(source);
        SourceId(self.texts.len() as u32 - 1)
    }

    /// The text of an id that [`Sources::add`] of the same collection returned.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.texts[id.0 as usize]
    }

    /// All texts with their ids, in the order in which they were read.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.texts
            .iter()
            .enumerate()
            .map(|(i, s)| (SourceId(i as u32), s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_moves_to_the_next_multiple_of_eight() {
        let source = Source::new("x", "ab\tc\n\t\td");
        assert_eq!(source.place(3), Place { line: 1, column: 9 });
        assert_eq!(source.place(7), Place { line: 2, column: 17 });
        assert_eq!(source.line(2), "\t\td");
    }

    #[test]
    fn a_column_counts_characters_not_bytes() {
        let source = Source::new("x", "∀ x");
        assert_eq!(source.place(4), Place { line: 1, column: 3 });
    }
}
