//! A binary input with its name, whose places are offsets.

use std::sync::Arc;

use super::text::TRUNCATED;
use super::{End, InputBuffer};
use crate::location::Source;
use crate::note::Notes;
use crate::{Location, Note, Problem, TraceError};

/// A binary input. Readers parse its unread bytes in place, then consume them.
pub(crate) struct BinaryInput {
    buffer: InputBuffer,
    source: Arc<Source>,
    notes: Notes,
}

impl BinaryInput {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            buffer,
            source: Source::bytes(name),
            notes,
        }
    }

    #[inline]
    pub(crate) fn unread(&self) -> &[u8] {
        self.buffer.unread()
    }

    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The offset of the first unread byte.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.buffer.offset()
    }

    pub(crate) fn location(&self) -> Location {
        Location::at(&self.source, self.offset())
    }

    #[inline]
    pub(crate) fn consume(&mut self, count: usize) {
        self.buffer.consume(count);
    }

    /// Fetches more of a record that is read again from its beginning; `false` at the end of the input.
    pub(crate) fn read_much(&mut self) -> Result<bool, TraceError> {
        self.buffer.read_much().map_err(|error| self.error(error))
    }

    /// Fetches until at least `count` bytes are unread; `false` if there are fewer.
    pub(crate) fn fill_to(&mut self, count: usize) -> Result<bool, TraceError> {
        self.buffer.fill_to(count).map_err(|error| self.error(error))?;
        Ok(self.unread().len() >= count)
    }

    /// Whether what was read is all that there is.
    pub(crate) fn is_at_end(&mut self) -> Result<bool, TraceError> {
        Ok(!self.fill_to(1)? && !self.buffer.is_truncated())
    }

    /// Looks for something in what is left of an input that is about to be given up. Consumes it.
    pub(super) fn search_rest(
        &mut self,
        search: impl FnOnce(&mut InputBuffer) -> std::io::Result<bool>,
    ) -> Result<bool, TraceError> {
        let location = self.location();
        search(&mut self.buffer).map_err(|error| TraceError::new(location, error))
    }

    /// The end of the input: nothing follows.
    pub(crate) fn end(&mut self) -> Result<End, TraceError> {
        if self.fill_to(1)? {
            let follows = Problem::Follows {
                found: format!("byte {:#04x}", self.unread()[0]),
            };
            return Err(self.error(follows));
        }
        if self.buffer.is_truncated() {
            return Ok(self.cut(TRUNCATED));
        }
        Ok(End::new())
    }

    /// The end of the part that can be read. What follows is given up, and a note says so.
    pub(crate) fn cut(&self, reason: &'static str) -> End {
        self.cut_at(self.location(), reason)
    }

    /// The same, where what is incomplete began earlier.
    pub(crate) fn cut_at(&self, location: Location, reason: &'static str) -> End {
        let reason = if self.buffer.is_truncated() {
            TRUNCATED
        } else {
            reason
        };
        self.notes.push(Note::Cut { location, reason });
        End::new()
    }

    /// A problem with what is unread.
    #[cold]
    pub(crate) fn error(&self, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(self.location(), problem)
    }
}
