//! Format 1 as a sequence of MessagePack maps.

use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::msgpack::MsgpackCursor;
use rmp::Marker;

use super::ndjson::unknown_field;
use super::{Field, RawRecord, RecordDefaults};
use crate::input::{InputBuffer, MsgpackMaps, Next, Reader};
use crate::name::NameCache;
use crate::note::Notes;
use crate::{Header, Operation, Problem, Time, TraceError};

/// The records of a MessagePack file in the order of the file.
pub(crate) struct MsgpackReader {
    maps: MsgpackMaps,
    defaults: RecordDefaults,
    names: NameCache,
}

impl MsgpackReader {
    pub(crate) fn new(buffer: InputBuffer, name: &str, thread: Option<Value>, notes: Notes) -> Self {
        let maps = MsgpackMaps::new(buffer, name, notes, is_record);
        Self {
            defaults: RecordDefaults::new(Arc::clone(maps.source()), thread),
            maps,
            names: NameCache::new(),
        }
    }

    /// Reads the header, if the first map is one.
    pub(crate) fn header(&mut self) -> Result<Option<Header>, TraceError> {
        if self.maps.peek_first_key()? != Some(Header::KEY) {
            return Ok(None);
        }
        let mut fields = Value::null();
        let read = |cursor: &mut MsgpackCursor<'_>| {
            fields = cursor.value()?;
            Ok(())
        };
        // A header that is cut off is the end, which the reading of records finds again.
        let Next::One(offset) = self.maps.next(read)? else {
            return Ok(None);
        };
        let header = Header::from_record(fields).map_err(|problem| self.maps.error_at(offset, problem))?;
        self.defaults.apply(&header);
        Ok(Some(header))
    }
}

impl Reader for MsgpackReader {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        let mut fields = RawRecord::default();
        let names = &mut self.names;
        let read = |cursor: &mut MsgpackCursor<'_>| {
            fields = RawRecord::default();
            decode_record(cursor, names, &mut fields)
        };
        Ok(match self.maps.next(read)? {
            Next::One(offset) => Next::One(self.defaults.operation(fields, offset)?),
            Next::End(end) => Next::End(end),
        })
    }

    fn next_start(&mut self) -> Result<Next<Time>, TraceError> {
        let mut start = None;
        let read = self.maps.next(|cursor| decode_start(cursor, &mut start))?;
        Ok(read.map(|_| self.defaults.start(start)))
    }
}

/// Reads one record.
pub(crate) fn decode_record(
    cursor: &mut MsgpackCursor<'_>,
    names: &mut NameCache,
    fields: &mut RawRecord,
) -> Result<(), Problem> {
    for _ in 0..cursor.map_len()? {
        let key = cursor.string()?;
        let Some(field) = Field::parse(key) else {
            return Err(unknown_field(key));
        };
        fields.mark(field)?;
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

fn decode_start(cursor: &mut MsgpackCursor<'_>, start: &mut Option<Time>) -> Result<(), Problem> {
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

/// Whether `bytes` begin with a whole operation.
fn is_record(bytes: &[u8]) -> bool {
    let mut cursor = MsgpackCursor::new(bytes);
    let begins_with_field = cursor.map_len().is_ok_and(|len| len > 0)
        && cursor.string().is_ok_and(|key| Field::parse(key).is_some());
    let mut fields = RawRecord::default();
    begins_with_field
        && decode_record(&mut MsgpackCursor::new(bytes), &mut NameCache::new(), &mut fields).is_ok()
        && fields.name.is_some()
        && fields.start.is_some()
}
