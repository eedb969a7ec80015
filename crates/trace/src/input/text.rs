//! A text input with its name and the number of the current line.

use std::sync::Arc;

use super::{End, InputBuffer, Next};
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

    /// Fetches more of a record that is read again from its beginning; `false` at the end of the input.
    pub(crate) fn read_much(&mut self) -> Result<bool, TraceError> {
        self.buffer.read_much().map_err(|error| self.error(error))
    }

    /// The length of the current line with its newline; 0 at the end of the input.
    #[inline]
    pub(crate) fn line_length(&mut self) -> Result<usize, TraceError> {
        self.buffer.line_length().map_err(|error| self.error(error))
    }

    /// The length of the next line of a format of lines, of which a part may be a line, too: a last line without a newline is read and noted,
    /// and one that compressed data end in is given up.
    pub(crate) fn next_line(&mut self) -> Result<Next<usize>, TraceError> {
        let length = self.line_length()?;
        let line = &self.unread()[..length];
        if line.ends_with(b"\n") {
            return Ok(Next::One(length));
        }
        if length == 0 {
            return self.end().map(Next::End);
        }
        if self.is_truncated() {
            return Ok(Next::End(self.cut(TRUNCATED)));
        }
        if !line.trim_ascii().is_empty() {
            let location = self.location();
            self.notes.push(Note::Unended { location });
        }
        Ok(Next::One(length))
    }

    /// The text of a line of this length: UTF-8 without zero bytes, which no text has in it.
    pub(crate) fn line_text(&self, length: usize, expected: &'static str) -> Result<&str, TraceError> {
        let line = &self.unread()[..length];
        match std::str::from_utf8(line) {
            Ok(text) if memchr::memchr(0, line).is_none() => Ok(text),
            _ => Err(self.error(Problem::bad_line(expected, &String::from_utf8_lossy(line)))),
        }
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

    /// The end of the input: nothing follows.
    pub(crate) fn end(&mut self) -> Result<End, TraceError> {
        if !self.unread().is_empty() || self.read_more()? {
            let found = Problem::quoted(&String::from_utf8_lossy(self.unread()));
            return Err(self.error(Problem::Follows { found }));
        }
        if self.is_truncated() {
            return Ok(self.cut(TRUNCATED));
        }
        Ok(End::new())
    }

    /// The end of the part that can be read. What follows is given up, and a note says so.
    pub(crate) fn cut(&self, reason: &'static str) -> End {
        self.note_cut(reason);
        End::new()
    }

    /// Notes that the input is cut off at the current line.
    pub(crate) fn note_cut(&self, reason: &'static str) {
        let reason = if self.is_truncated() { TRUNCATED } else { reason };
        let location = self.location();
        self.notes.push(Note::Cut { location, reason });
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
