//! Distinguishing a cut tail from damage: do records follow the bytes that cannot be read?
//!
//! A crash leaves junk and zeros at the end. A damaged file has records behind the damage, and dropping those silently
//! would base a verdict on half a trace. So the rest of the file is searched for a record. The test for a record is
//! strict (a map that decodes as a whole record), so the remains of one half-written record do not count as another.

use std::io;

use super::{InputBuffer, is_map};

/// How far a record may extend to be recognised. Bounds the cost of a hostile file.
const SPAN_BYTES: usize = 1 << 16;

/// Whether a whole record starts anywhere after the first unread byte. Consumes the input.
pub(super) fn record_follows(buffer: &mut InputBuffer, is_record: fn(&[u8]) -> bool) -> io::Result<bool> {
    buffer.consume(1);
    loop {
        buffer.fill_to(SPAN_BYTES)?;
        let bytes = buffer.unread();
        if bytes.is_empty() {
            return Ok(false);
        }
        // Half a span stays unread behind each candidate, so that the candidate is seen whole.
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
        buffer.consume(searched);
    }
}
