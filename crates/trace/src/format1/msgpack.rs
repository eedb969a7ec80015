//! Format 1 as MessagePack: maps one after the other.

use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::msgpack::Cursor;
use rmp::Marker;

use super::ndjson::unknown_field;
use super::{Defaults, Field, Fields};
use crate::input::Window;
use crate::maps::Maps;
use crate::name::NameCache;
use crate::note::Notes;
use crate::records::Records;
use crate::{Header, Operation, Problem, Time, TraceError};

/// The records of a MessagePack file in the order of the file.
pub(crate) struct MsgpackRecords {
    maps: Maps,
    defaults: Defaults,
    names: NameCache,
    /// Records read so far.
    ordinal: u64,
}

impl MsgpackRecords {
    pub(crate) fn new(window: Window, defaults: Defaults, notes: Notes) -> Self {
        let maps = Maps::new(window, defaults.source.clone(), notes, is_record);
        Self {
            maps,
            defaults,
            names: NameCache::new(),
            ordinal: 0,
        }
    }

    /// Reads the header, if the first map is one.
    pub(crate) fn header(&mut self) -> Result<Option<Header>, TraceError> {
        if self.maps.peek_first_key()? != Some(Header::KEY) {
            return Ok(None);
        }
        let mut fields = Value::null();
        let read = |cursor: &mut Cursor<'_>| {
            fields = cursor.value()?;
            Ok(())
        };
        let Some(offset) = self.maps.next(read)? else {
            return Ok(None);
        };
        let header = Header::from_record(fields).map_err(|problem| self.maps.error_at(offset, problem))?;
        if let Some(thread) = header.get("thread") {
            self.defaults.thread = Some(thread.clone());
        }
        Ok(Some(header))
    }
}

impl Records for MsgpackRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let mut fields = Fields::default();
        let names = &mut self.names;
        let read = |cursor: &mut Cursor<'_>| {
            fields = Fields::default();
            decode_fields(cursor, names, &mut fields)
        };
        let Some(offset) = self.maps.next(read)? else {
            return Ok(None);
        };
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.defaults.operation(fields, offset, ordinal).map(Some)
    }

    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        let mut start = None;
        if self
            .maps
            .next(|cursor| decode_start(cursor, &mut start))?
            .is_none()
        {
            return Ok(None);
        }
        let ordinal = self.ordinal;
        self.ordinal += 1;
        Ok(Some(start.unwrap_or(i64::try_from(ordinal).unwrap_or(i64::MAX))))
    }
}

/// Reads one record.
pub(crate) fn decode_fields(
    cursor: &mut Cursor<'_>,
    names: &mut NameCache,
    fields: &mut Fields,
) -> Result<(), Problem> {
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
                let value = cursor.value()?;
                fields.set(field, value, is_map)?;
            }
        }
    }
    Ok(())
}

fn decode_start(cursor: &mut Cursor<'_>, start: &mut Option<Time>) -> Result<(), Problem> {
    let mut clock = None;
    *start = None;
    for _ in 0..cursor.map_len()? {
        match cursor.string()? {
            "start" => *start = cursor.value()?.as_int(),
            "clock" => clock = cursor.value()?.as_int(),
            _ => cursor.skip()?,
        }
    }
    *start = start.or(clock);
    Ok(())
}

/// Whether a whole operation stands at the beginning of `bytes`.
fn is_record(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    let begins_with_field = cursor.map_len().is_ok_and(|len| len > 0)
        && cursor.string().is_ok_and(|key| Field::parse(key).is_some());
    let mut fields = Fields::default();
    begins_with_field
        && decode_fields(&mut Cursor::new(bytes), &mut NameCache::new(), &mut fields).is_ok()
        && fields.name.is_some()
        && fields.start.is_some()
}
