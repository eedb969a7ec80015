//! A sequence of MessagePack maps, as recorders write them, with the remains of a crash at the end.

use std::sync::Arc;

use omnilink_value::msgpack::{MsgpackCursor, MsgpackError, MsgpackProblem};
use rmp::Marker;

use super::damage::record_follows;
use super::{BinaryInput, End, InputBuffer, Next};
use crate::location::Source;
use crate::note::Notes;
use crate::{Location, Problem, TraceError};

/// Reads one map after the other.
pub(crate) struct MsgpackMaps {
    input: BinaryInput,
    /// Whether bytes begin with a whole record of this format: decides between a cut and damage.
    is_record: fn(&[u8]) -> bool,
}

impl MsgpackMaps {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes, is_record: fn(&[u8]) -> bool) -> Self {
        let input = BinaryInput::new(buffer, name, notes);
        Self { input, is_record }
    }

    pub(crate) fn source(&self) -> &Arc<Source> {
        self.input.source()
    }

    pub(crate) fn notes(&self) -> &Notes {
        self.input.notes()
    }

    /// The first key of the next map; `None` if there is none. Errors are left to [`MsgpackMaps::next`].
    pub(crate) fn peek_first_key(&mut self) -> Result<Option<&str>, TraceError> {
        while let Err(error) = first_key(self.input.unread()) {
            if error.problem != MsgpackProblem::Incomplete || !self.input.read_much()? {
                return Ok(None);
            }
        }
        Ok(first_key(self.input.unread()).ok())
    }

    /// Reads the next map with `read` and returns its offset. `read` is called again for
    /// the same map when more of it has been fetched.
    #[inline]
    pub(crate) fn next(
        &mut self,
        mut read: impl FnMut(&mut MsgpackCursor<'_>) -> Result<(), Problem>,
    ) -> Result<Next<u64>, TraceError> {
        loop {
            let offset = self.input.offset();
            let mut cursor = MsgpackCursor::new(self.input.unread());
            let problem = match read(&mut cursor) {
                Ok(()) => {
                    let length = cursor.offset();
                    self.input.consume(length);
                    return Ok(Next::One(offset));
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
            if is_incomplete && self.input.read_much()? {
                continue;
            }
            return self.end_or_error(offset, problem).map(Next::End);
        }
    }

    /// Decides whether the bytes that cannot be read are the end, a cut or an error.
    #[cold]
    fn end_or_error(&mut self, offset: u64, problem: Problem) -> Result<End, TraceError> {
        let reason = match self.input.unread() {
            [] => return self.input.end(),
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
        let location = self.input.location();
        let is_record = self.is_record;
        if self
            .input
            .search_rest(|buffer| record_follows(buffer, is_record))?
        {
            let cause = problem.to_string();
            return Err(self.error_at(offset, Problem::Damaged { cause }));
        }
        Ok(self.input.cut_at(location, reason))
    }

    #[cold]
    pub(crate) fn error_at(&self, offset: u64, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Location::at(self.source(), offset), problem)
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
