//! Telling a cut tail from damage: do records follow the bytes that cannot be read?
//!
//! A crash leaves junk and zeros at the end; a damaged file has records behind the damage, and dropping those silently
//! would turn half a trace into a verdict. So the rest of the file is searched for a record. What the search looks for
//! is strict (a map that decodes as a whole record), so that the remains of one half-written record are not taken for
//! another.

use std::io;

use crate::input::Window;
use crate::maps::is_map;

/// How much of the stream a record may span to be recognised. It bounds what a hostile file can cost.
const SPAN_BYTES: usize = 1 << 16;

/// Whether a whole record follows anywhere after the next byte. Consumes the stream.
pub(crate) fn a_record_follows(window: &mut Window, is_record: fn(&[u8]) -> bool) -> io::Result<bool> {
    window.consume(1);
    loop {
        window.fetch(SPAN_BYTES)?;
        let bytes = window.unread();
        if bytes.is_empty() {
            return Ok(false);
        }
        // Leave half a span behind each candidate, so that it is seen whole.
        let is_last = bytes.len() < SPAN_BYTES;
        let searched = if is_last {
            bytes.len()
        } else {
            bytes.len() - SPAN_BYTES / 2
        };
        let mut candidates = (0..searched).filter(|&at| is_map(bytes[at]));
        if candidates.any(|at| is_record(&bytes[at..bytes.len().min(at + SPAN_BYTES)])) {
            return Ok(true);
        }
        window.consume(searched);
    }
}
