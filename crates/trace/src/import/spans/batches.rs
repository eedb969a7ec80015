//! Spans that come in batches: the elements of a JSON file.

use std::collections::VecDeque;
use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::json::{JsonCursor, JsonError};

use super::SpanSource;
use super::span::Span;
use crate::input::{InputBuffer, JsonElements, Next, newlines};
use crate::location::{Source, Unit, line_and_column};
use crate::note::Notes;
use crate::{Location, Note, Problem, TraceError};

/// Reads one element after the other, and its spans.
pub(super) struct Batches {
    elements: JsonElements,
    read: fn(&Batch<'_>) -> Result<ReadBatch, TraceError>,
    spans: VecDeque<Span>,
    /// How many elements are about other things.
    others: u64,
    notes: Notes,
}

/// The text of an element, and where it stands.
pub(super) struct Batch<'a> {
    pub(super) text: &'a str,
    /// Its first line; of a message in a binary file, its offset.
    line: u64,
    column: u64,
    source: &'a Arc<Source>,
}

/// What an element holds.
pub(super) enum ReadBatch {
    Spans(Vec<Span>),
    /// Metrics or log records.
    Other,
}

impl Batches {
    pub(super) fn new(
        elements: JsonElements,
        notes: Notes,
        read: fn(&Batch<'_>) -> Result<ReadBatch, TraceError>,
    ) -> Self {
        Self {
            elements,
            read,
            spans: VecDeque::new(),
            others: 0,
            notes,
        }
    }

    pub(super) fn of_elements(
        buffer: InputBuffer,
        name: &str,
        notes: Notes,
        read: fn(&Batch<'_>) -> Result<ReadBatch, TraceError>,
    ) -> Self {
        Self::new(JsonElements::new(buffer, name, notes.clone()), notes, read)
    }
}

impl<'a> Batch<'a> {
    /// A message of a binary file, which is one place.
    pub(super) fn of_message(text: &'a str, source: &'a Arc<Source>, offset: u64) -> Self {
        Self {
            text,
            line: offset,
            column: 0,
            source,
        }
    }

    /// The place of a byte of the text.
    pub(super) fn location(&self, offset: usize) -> Location {
        if self.source.unit == Unit::Byte {
            return Location::at(self.source, self.line);
        }
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let column = match memchr::memrchr(b'\n', before) {
            Some(at) => (before.len() - at) as u64,
            None => self.column + before.len() as u64,
        };
        let position = line_and_column(self.line + newlines(before), Some(column));
        Location::at(self.source, position)
    }

    /// A problem with a byte of the text.
    pub(super) fn error(&self, offset: usize, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(self.location(offset), problem)
    }

    fn not_json(&self, error: JsonError) -> TraceError {
        self.error(error.offset, error)
    }

    /// Reads the members of an object.
    pub(super) fn object(
        &self,
        cursor: &mut JsonCursor<'a>,
        member: &mut dyn FnMut(&str, &mut JsonCursor<'a>) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        cursor.object().map_err(|error| self.not_json(error))?;
        let mut is_first = true;
        while let Some(key) = cursor.key(is_first).map_err(|error| self.not_json(error))? {
            is_first = false;
            member(&key, cursor)?;
        }
        Ok(())
    }

    /// Reads the elements of an array.
    pub(super) fn array(
        &self,
        cursor: &mut JsonCursor<'a>,
        element: &mut dyn FnMut(&mut JsonCursor<'a>) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        cursor.array().map_err(|error| self.not_json(error))?;
        let mut is_first = true;
        while cursor.element(is_first).map_err(|error| self.not_json(error))? {
            is_first = false;
            element(cursor)?;
        }
        Ok(())
    }

    /// Reads a value, with its offset in the text.
    pub(super) fn value(&self, cursor: &mut JsonCursor<'a>) -> Result<(Value, usize), TraceError> {
        cursor.peek();
        let offset = cursor.offset();
        let value = cursor.value().map_err(|error| self.not_json(error))?;
        Ok((value, offset))
    }

    /// Skips a value.
    pub(super) fn skip(&self, cursor: &mut JsonCursor<'a>) -> Result<(), TraceError> {
        cursor.skip().map_err(|error| self.not_json(error))
    }
}

impl SpanSource for Batches {
    fn next_span(&mut self) -> Result<Next<Span>, TraceError> {
        loop {
            if let Some(span) = self.spans.pop_front() {
                return Ok(Next::One(span));
            }
            let read = self.read;
            let source = Arc::clone(self.elements.text().source());
            let batch = self.elements.next_at(|text, line, column| {
                read(&Batch {
                    text,
                    line,
                    column,
                    source: &source,
                })
            })?;
            match batch {
                Next::End(end) => {
                    note_others(&self.notes, &source.name, self.others);
                    return Ok(Next::End(end));
                }
                Next::One(ReadBatch::Spans(spans)) => self.spans.extend(spans),
                Next::One(ReadBatch::Other) => self.others += 1,
            }
        }
    }
}

/// Notes how many messages were about other things.
pub(super) fn note_others(notes: &Notes, file: &str, count: u64) {
    if count > 0 {
        notes.push(Note::Skipped {
            file: file.to_owned(),
            count,
            what: "messages with metrics or log records, which are no spans",
        });
    }
}
