//! Maps of MessagePack one after the other, as recorders write them: with whatever a crash leaves at the end.

use std::sync::Arc;

use omnilink_value::msgpack::{Cursor, MsgpackError, MsgpackProblem};
use rmp::Marker;

use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::resync::a_record_follows;
use crate::{Note, Place, Problem, TraceError};

/// Reads map after map.
pub(crate) struct Maps {
    window: Window,
    source: Arc<Source>,
    notes: Notes,
    /// Whether bytes begin with a whole record of this format: decides between a cut and damage.
    is_record: fn(&[u8]) -> bool,
}

impl Maps {
    pub(crate) fn new(
        window: Window,
        source: Arc<Source>,
        notes: Notes,
        is_record: fn(&[u8]) -> bool,
    ) -> Self {
        Self {
            window,
            source,
            notes,
            is_record,
        }
    }

    /// The first key of the next map, without reading it; `None` when there is none. Whatever is wrong with the map
    /// will be said when it is read.
    pub(crate) fn peek_first_key(&mut self) -> Result<Option<&str>, TraceError> {
        while let Err(error) = first_key(self.window.unread()) {
            let is_incomplete = error.problem == MsgpackProblem::Incomplete;
            if !is_incomplete
                || !self
                    .window
                    .grow()
                    .map_err(|error| self.error_at(self.window.offset(), error))?
            {
                return Ok(None);
            }
        }
        Ok(first_key(self.window.unread()).ok())
    }

    /// Hands the next map to `read` and gives its offset; `None` at the end or at a cut. `read` may be called again for
    /// the same map when more of it has arrived.
    #[inline]
    pub(crate) fn next(
        &mut self,
        mut read: impl FnMut(&mut Cursor<'_>) -> Result<(), Problem>,
    ) -> Result<Option<u64>, TraceError> {
        loop {
            let offset = self.window.offset();
            let mut cursor = Cursor::new(self.window.unread());
            let problem = match read(&mut cursor) {
                Ok(()) => {
                    let length = cursor.offset();
                    self.window.consume(length);
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
            if is_incomplete && self.window.grow().map_err(|error| self.error_at(offset, error))? {
                continue;
            }
            return self.end_or_error(offset, problem).map(|()| None);
        }
    }

    /// Nothing more can be read: the end, a cut, or an error?
    #[cold]
    fn end_or_error(&mut self, offset: u64, problem: Problem) -> Result<(), TraceError> {
        let reason = match self.window.unread() {
            [] if !self.window.is_truncated() => return Ok(()),
            [] => "the compressed data end early",
            [0, ..] => "zero bytes where a record should begin: the recorder was not closed",
            [byte, ..] if !is_map(*byte) => "bytes that begin no record",
            bytes => match Cursor::new(bytes).skip() {
                // A whole map with something wrong in it is not a cut.
                Ok(()) => return Err(self.error_at(offset, problem)),
                Err(MsgpackError {
                    problem: MsgpackProblem::Incomplete,
                    ..
                }) => "the last record is incomplete",
                Err(_) => "the last record is damaged",
            },
        };
        if a_record_follows(&mut self.window, self.is_record).map_err(|error| self.error_at(offset, error))? {
            return Err(self.error_at(
                offset,
                Problem::Damaged {
                    cause: problem.to_string(),
                },
            ));
        }
        self.notes.push(Note::Cut {
            place: Place::at(&self.source, offset),
            reason,
        });
        Ok(())
    }

    #[cold]
    pub(crate) fn error_at(&self, offset: u64, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Place::at(&self.source, offset), problem)
    }
}

fn first_key(bytes: &[u8]) -> Result<&str, MsgpackError> {
    let mut cursor = Cursor::new(bytes);
    match cursor.map_len()? {
        0 => Ok(""),
        _ => cursor.string(),
    }
}

pub(crate) fn is_map(byte: u8) -> bool {
    matches!(
        Marker::from_u8(byte),
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32
    )
}
