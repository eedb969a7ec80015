//! Format 1 as MessagePack: maps one after the other.

use omnilink_value::Value;
use omnilink_value::msgpack::{Cursor, MsgpackError, MsgpackProblem};
use rmp::Marker;

use super::ndjson::unknown_field;
use super::resync::a_record_follows;
use super::{Defaults, Field, Fields};
use crate::input::Window;
use crate::name::NameCache;
use crate::note::Notes;
use crate::records::Records;
use crate::{Header, Note, Operation, Place, Problem, Time, TraceError};

/// The records of a MessagePack file in the order of the file.
pub(crate) struct MsgpackRecords {
    window: Window,
    defaults: Defaults,
    notes: Notes,
    names: NameCache,
    /// Records read so far.
    ordinal: u64,
}

const CUT_STREAM: &str = "the compressed data end early";

impl MsgpackRecords {
    pub(crate) fn new(window: Window, defaults: Defaults, notes: Notes) -> Self {
        Self {
            window,
            defaults,
            notes,
            names: NameCache::new(),
            ordinal: 0,
        }
    }

    /// Reads the header, if the first map is one.
    pub(crate) fn header(&mut self) -> Result<Option<Header>, TraceError> {
        if !self.begins_with_header()? {
            return Ok(None);
        }
        let Some((fields, place)) = self.next_map(|cursor, _| Ok(cursor.value()?))? else {
            return Ok(None);
        };
        let header = Header::from_record(fields)
            .map_err(|problem| TraceError::new(Place::at(&self.defaults.source, place), problem))?;
        if let Some(thread) = header.get("thread") {
            self.defaults.thread = Some(thread.clone());
        }
        Ok(Some(header))
    }

    /// Whatever else may be wrong with the first map will be said when it is read as a record.
    fn begins_with_header(&mut self) -> Result<bool, TraceError> {
        loop {
            let mut cursor = Cursor::new(self.window.unread());
            let first_key = cursor
                .map_len()
                .and_then(|len| if len > 0 { cursor.string() } else { Ok("") });
            match first_key {
                Ok(key) => return Ok(key == Header::KEY),
                Err(MsgpackError {
                    problem: MsgpackProblem::Incomplete,
                    ..
                }) => {}
                Err(_) => return Ok(false),
            }
            if !self.window.grow().map_err(|error| self.error_at(0, error))? {
                return Ok(false);
            }
        }
    }

    /// Hands the next map to `read`; `None` at the end or at a cut.
    #[inline]
    fn next_map<T>(
        &mut self,
        read: impl Fn(&mut Cursor<'_>, &mut NameCache) -> Result<T, Problem>,
    ) -> Result<Option<(T, u64)>, TraceError> {
        loop {
            let offset = self.window.offset();
            let mut cursor = Cursor::new(self.window.unread());
            let problem = match cursor.peek() {
                None => MsgpackError {
                    offset: 0,
                    problem: MsgpackProblem::Incomplete,
                }
                .into(),
                Some(_) => match read(&mut cursor, &mut self.names) {
                    Ok(record) => {
                        let length = cursor.offset();
                        self.window.consume(length);
                        return Ok(Some((record, offset)));
                    }
                    Err(problem) => problem,
                },
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
            [] => CUT_STREAM,
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
        if a_record_follows(&mut self.window).map_err(|error| self.error_at(offset, error))? {
            return Err(self.error_at(
                offset,
                Problem::Damaged {
                    cause: problem.to_string(),
                },
            ));
        }
        self.notes.push(Note::Cut {
            place: Place::at(&self.defaults.source, offset),
            reason,
        });
        Ok(())
    }

    #[cold]
    fn error_at(&self, offset: u64, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Place::at(&self.defaults.source, offset), problem)
    }
}

impl Records for MsgpackRecords {
    fn next(&mut self) -> Result<Option<Operation>, TraceError> {
        let Some((fields, offset)) = self.next_map(decode_fields)? else {
            return Ok(None);
        };
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.defaults.operation(fields, offset, ordinal).map(Some)
    }

    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        let Some((start, _)) = self.next_map(|cursor, _| decode_start(cursor))? else {
            return Ok(None);
        };
        let ordinal = self.ordinal;
        self.ordinal += 1;
        Ok(Some(start.unwrap_or(i64::try_from(ordinal).unwrap_or(i64::MAX))))
    }
}

pub(super) fn is_map(byte: u8) -> bool {
    matches!(
        Marker::from_u8(byte),
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32
    )
}

/// Reads one record.
pub(crate) fn decode_fields(cursor: &mut Cursor<'_>, names: &mut NameCache) -> Result<Fields, Problem> {
    let mut fields = Fields::default();
    for _ in 0..cursor.map_len()? {
        let key = cursor.string()?;
        let Some(field) = Field::parse(key) else {
            return Err(unknown_field(key));
        };
        fields.see(field)?;
        match (field, cursor.peek()) {
            (Field::Op, Some(Marker::FixStr(_) | Marker::Str8)) => {
                fields.name = Some(names.get(cursor.string()?))
            }
            (_, marker) => {
                let is_map = matches!(marker, Some(Marker::FixMap(_) | Marker::Map16 | Marker::Map32));
                let value: Value = cursor.value()?;
                fields.set(field, value, is_map)?;
            }
        }
    }
    Ok(fields)
}

fn decode_start(cursor: &mut Cursor<'_>) -> Result<Option<Time>, Problem> {
    let (mut start, mut clock) = (None, None);
    for _ in 0..cursor.map_len()? {
        match cursor.string()? {
            "start" => start = Some(cursor.integer()?),
            "clock" => clock = cursor.value()?.as_int(),
            _ => cursor.skip()?,
        }
    }
    Ok(start.or(clock))
}
