//! A sequence of MessagePack maps, as recorders write them, with the remains of a crash at the end.

use std::sync::Arc;

use omnilink_value::msgpack::{MsgpackCursor, MsgpackError, MsgpackProblem};
use rmp::Marker;

use super::InputBuffer;
use super::damage::record_follows;
use super::text::TRUNCATED;
use crate::location::Source;
use crate::note::Notes;
use crate::{Location, Note, Problem, TraceError};

/// Reads one map after the other.
pub(crate) struct MsgpackMaps {
    buffer: InputBuffer,
    source: Arc<Source>,
    notes: Notes,
    /// Whether bytes begin with a whole record of this format: decides between a cut and damage.
    is_record: fn(&[u8]) -> bool,
}

impl MsgpackMaps {
    pub(crate) fn new(
        buffer: InputBuffer,
        source: Arc<Source>,
        notes: Notes,
        is_record: fn(&[u8]) -> bool,
    ) -> Self {
        Self {
            buffer,
            source,
            notes,
            is_record,
        }
    }

    /// The first key of the next map; `None` if there is none. Errors are left to [`MsgpackMaps::next`].
    pub(crate) fn peek_first_key(&mut self) -> Result<Option<&str>, TraceError> {
        while let Err(error) = first_key(self.buffer.unread()) {
            if error.problem != MsgpackProblem::Incomplete || !self.read_more()? {
                return Ok(None);
            }
        }
        Ok(first_key(self.buffer.unread()).ok())
    }

    /// Reads the next map with `read` and returns its offset; `None` at the end or at a cut. `read` is called again for
    /// the same map when more of it has been fetched.
    #[inline]
    pub(crate) fn next(
        &mut self,
        mut read: impl FnMut(&mut MsgpackCursor<'_>) -> Result<(), Problem>,
    ) -> Result<Option<u64>, TraceError> {
        loop {
            let offset = self.buffer.offset();
            let mut cursor = MsgpackCursor::new(self.buffer.unread());
            let problem = match read(&mut cursor) {
                Ok(()) => {
                    let length = cursor.offset();
                    self.buffer.consume(length);
                    return Ok(Some(offset));
                }
                Err(problem) => problem,
            };
            let is_incomplete = matches!(
                &problem,
                Problem::Msgpack(MsgpackError {
                    problem: MsgpackProblem::Incomplete,
                    ..
                })
            );
            if is_incomplete && self.read_more()? {
                continue;
            }
            return self.end_or_error(offset, problem).map(|()| None);
        }
    }

    fn read_more(&mut self) -> Result<bool, TraceError> {
        let offset = self.buffer.offset();
        self.buffer
            .read_more()
            .map_err(|error| self.error_at(offset, error))
    }

    /// Decides whether the bytes that cannot be read are the end, a cut or an error.
    #[cold]
    fn end_or_error(&mut self, offset: u64, problem: Problem) -> Result<(), TraceError> {
        let reason = match self.buffer.unread() {
            [] if !self.buffer.is_truncated() => return Ok(()),
            [] => TRUNCATED,
            [0, ..] => "zero bytes where a record should begin: the recorder was not closed",
            [byte, ..] if !is_map(*byte) => "bytes that begin no record",
            bytes => match MsgpackCursor::new(bytes).skip() {
                // A whole map with an error in it is not a cut.
                Ok(()) => return Err(self.error_at(offset, problem)),
                Err(MsgpackError {
                    problem: MsgpackProblem::Incomplete,
                    ..
                }) => "the last record is incomplete",
                Err(_) => "the last record is damaged",
            },
        };
        let follows = record_follows(&mut self.buffer, self.is_record);
        if follows.map_err(|error| self.error_at(offset, error))? {
            let cause = problem.to_string();
            return Err(self.error_at(offset, Problem::Damaged { cause }));
        }
        let location = Location::at(&self.source, offset);
        self.notes.push(Note::Cut { location, reason });
        Ok(())
    }

    #[cold]
    pub(crate) fn error_at(&self, offset: u64, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Location::at(&self.source, offset), problem)
    }
}

fn first_key(bytes: &[u8]) -> Result<&str, MsgpackError> {
    let mut cursor = MsgpackCursor::new(bytes);
    match cursor.map_len()? {
        0 => Ok(""),
        _ => cursor.string(),
    }
}

/// Whether a MessagePack map begins with this byte.
pub(crate) fn is_map(byte: u8) -> bool {
    matches!(
        Marker::from_u8(byte),
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32
    )
}
