//! Telling a cut tail from damage: do records follow the bytes that cannot be read?
//!
//! A crash leaves junk and zeros at the end; a damaged file has records behind the damage, and dropping those silently
//! would turn half a trace into a verdict. So the rest of the file is searched for a record. What the search looks for
//! is strict (a map that begins with a known field and decodes as a whole), so that the remains of one half-written
//! record are not taken for another.

use std::io;

use omnilink_value::msgpack::Cursor;

use super::msgpack::{decode_fields, is_map};
use super::{Field, Fields};
use crate::input::Window;
use crate::name::NameCache;

/// How much of the stream a record may span to be recognised. It bounds what a hostile file can cost.
const SPAN_BYTES: usize = 1 << 16;

/// Whether a whole record follows anywhere after the next byte. Consumes the stream.
pub(super) fn a_record_follows(window: &mut Window) -> io::Result<bool> {
    let mut names = NameCache::new();
    window.consume(1);
    loop {
        window.fetch(SPAN_BYTES)?;
        let bytes = window.unread();
        if bytes.is_empty() {
            return Ok(false);
        }
        let is_last = bytes.len() < SPAN_BYTES;
        // Leave half a span behind each candidate, so that it is seen whole.
        let searched = if is_last {
            bytes.len()
        } else {
            bytes.len() - SPAN_BYTES / 2
        };
        let candidates = (0..searched).filter(|&at| is_map(bytes[at]));
        for at in candidates {
            let candidate = &bytes[at..bytes.len().min(at + SPAN_BYTES)];
            if begins_with_a_field(candidate) && is_record(candidate, &mut names) {
                return Ok(true);
            }
        }
        window.consume(searched);
    }
}

fn begins_with_a_field(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    cursor.map_len().is_ok_and(|len| len > 0) && cursor.string().is_ok_and(|key| Field::parse(key).is_some())
}

fn is_record(bytes: &[u8], names: &mut NameCache) -> bool {
    let is_operation = |fields: Fields| fields.name.is_some() && fields.start.is_some();
    decode_fields(&mut Cursor::new(bytes), names).is_ok_and(is_operation)
}
