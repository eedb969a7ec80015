//! A text input with its name and the number of the current line.

use std::sync::Arc;

use super::InputBuffer;
use crate::location::{Source, Unit, line_and_column};
use crate::note::Notes;
use crate::{Location, Note, Problem, TraceError};

/// Why the end of an input is missing if it is compressed.
pub(super) const TRUNCATED: &str = "the compressed data end early";

/// A text input. Readers parse its unread bytes in place, then consume them.
pub(crate) struct TextInput {
    buffer: InputBuffer,
    source: Arc<Source>,
    notes: Notes,
    /// The line of the first unread byte, counted from 1.
    line: u64,
    /// The bytes of the line in front of it. Known only if bytes are consumed that may span lines.
    before: u64,
}

impl TextInput {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self::of(Source::lines(name), buffer, notes)
    }

    /// A text of which a line may hold several records.
    pub(crate) fn with_columns(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self::of(Source::columns(name), buffer, notes)
    }

    fn of(source: Arc<Source>, buffer: InputBuffer, notes: Notes) -> Self {
        Self {
            buffer,
            source,
            notes,
            line: 1,
            before: 0,
        }
    }

    #[inline]
    pub(crate) fn unread(&self) -> &[u8] {
        self.buffer.unread()
    }

    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    #[inline]
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The column of the first unread byte, counted from 1.
    pub(crate) fn column(&self) -> u64 {
        self.before + 1
    }

    pub(crate) fn location(&self) -> Location {
        match self.source.unit {
            Unit::Column => Location::at(&self.source, line_and_column(self.line, None)),
            Unit::Line | Unit::Byte => Location::at(&self.source, self.line),
        }
    }

    pub(crate) fn is_truncated(&self) -> bool {
        self.buffer.is_truncated()
    }

    /// Fetches more bytes; `false` at the end of the input.
    pub(crate) fn read_more(&mut self) -> Result<bool, TraceError> {
        self.buffer.read_more().map_err(|error| self.error(error))
    }

    /// The length of the current line with its newline; 0 at the end of the input.
    #[inline]
    pub(crate) fn line_length(&mut self) -> Result<usize, TraceError> {
        self.buffer.line_length().map_err(|error| self.error(error))
    }

    /// Consumes a line of this length.
    #[inline]
    pub(crate) fn consume_line(&mut self, length: usize) {
        self.buffer.consume(length);
        self.line += 1;
    }

    /// Consumes bytes that may span lines.
    pub(crate) fn consume(&mut self, length: usize) {
        let bytes = &self.unread()[..length];
        let (lines, last) = (newlines(bytes), memchr::memrchr(b'\n', bytes));
        self.line += lines;
        self.before = match last {
            Some(at) => (length - at - 1) as u64,
            None => self.before + length as u64,
        };
        self.buffer.consume(length);
    }

    /// Notes that the input is cut off at the current line.
    pub(crate) fn note_cut(&self, reason: &'static str) {
        let reason = if self.is_truncated() { TRUNCATED } else { reason };
        let location = self.location();
        self.notes.push(Note::Cut { location, reason });
    }

    /// Notes that the input is cut off here if its compressed data end early.
    pub(crate) fn note_truncation(&self) {
        if self.is_truncated() {
            self.note_cut(TRUNCATED);
        }
    }

    /// Notes how many parts of the input were not operations.
    pub(crate) fn note_skipped(&self, count: u64, what: &'static str) {
        if count > 0 {
            let file = self.source.name.clone();
            self.notes.push(Note::Skipped { file, count, what });
        }
    }

    /// Notes how the whole input was interpreted.
    pub(crate) fn note_interpretation(&self, how: &'static str) {
        let location = Location::whole(&self.source.name);
        self.notes.push(Note::Interpretation { location, how });
    }

    /// A problem with the current line.
    #[cold]
    pub(crate) fn error(&self, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(self.location(), problem)
    }
}

/// The number of line ends.
pub(crate) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}
