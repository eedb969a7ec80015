//! A buffer over a stream of bytes, from which readers parse in place.

use std::io::{self, Read};

use omnilink_memory::guard;

use super::Cancelled;

/// The largest single record. A line without an end would otherwise fill the memory.
pub(crate) const RECORD_BYTES_MAX: usize = 1 << 28;

/// Records of this length are long.
const LONG_BYTES: usize = 1 << 18;

/// The bytes of a stream that were fetched and not yet consumed.
pub(crate) struct InputBuffer {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The initial size of the buffer.
    buffer_bytes: usize,
    begin: usize,
    end: usize,
    offset: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
    /// The stream is compressed and stops in the middle.
    Truncated,
}

impl InputBuffer {
    pub(super) fn new(reader: Box<dyn Read + Send>, buffer_bytes: usize) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            buffer_bytes,
            begin: 0,
            end: 0,
            offset: 0,
            state: State::Open,
        }
    }

    /// The bytes that were fetched and not yet consumed.
    #[inline]
    pub(crate) fn unread(&self) -> &[u8] {
        &self.buffer[self.begin..self.end]
    }

    /// The offset in the stream of the first unread byte.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Consumes the first `count` unread bytes.
    #[inline]
    pub(crate) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.begin);
        self.begin += count;
        self.offset += count as u64;
    }

    /// Whether the stream is compressed and stops in the middle.
    pub(crate) fn is_truncated(&self) -> bool {
        self.state == State::Truncated
    }

    /// Fetches more bytes; `false` at the end of the stream. Fails if a single record exceeds [`RECORD_BYTES_MAX`].
    pub(crate) fn read_more(&mut self) -> io::Result<bool> {
        if self.state != State::Open {
            return Ok(false);
        }
        if self.end == self.buffer.len() {
            self.make_room()?;
        }
        if guard::is_over() {
            return Err(io::Error::other(Cancelled));
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.state = State::Ended,
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.state = State::Truncated,
                Err(error) => return Err(error),
            }
            return Ok(false);
        }
    }

    /// Fetches more bytes for a record that is read from its beginning when there are more of it: of a long one, as many as there are, so that
    /// reading it costs a small multiple of its length. Of a short one, what comes next, as someone may wait for it.
    pub(crate) fn read_much(&mut self) -> io::Result<bool> {
        let unread = self.end - self.begin;
        if unread < LONG_BYTES {
            return self.read_more();
        }
        self.fill_to(unread * 2)?;
        Ok(self.end - self.begin > unread)
    }

    /// Fetches until at least `count` bytes are unread or the stream ends.
    pub(crate) fn fill_to(&mut self, count: usize) -> io::Result<()> {
        while self.end - self.begin < count && self.read_more()? {}
        Ok(())
    }

    /// The length of the next line with its newline, or without one at the end of the stream; 0 if there is no line.
    #[inline]
    pub(crate) fn line_length(&mut self) -> io::Result<usize> {
        let mut searched = 0;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.unread()[searched..]) {
                return Ok(searched + at + 1);
            }
            searched = self.end - self.begin;
            if !self.read_more()? {
                return Ok(searched);
            }
        }
    }

    #[cold]
    fn make_room(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.begin..self.end, 0);
        self.end -= self.begin;
        self.begin = 0;
        // A record that fills half of the buffer needs a larger one, or each refill would move most of it.
        if self.buffer.len() < RECORD_BYTES_MAX && self.end * 2 >= self.buffer.len() {
            let grown = (self.buffer.len() * 2).max(self.buffer_bytes);
            // While it grows, the old one is there, too.
            if !guard::has_room(grown) {
                return Err(io::Error::other(Cancelled));
            }
            if self.buffer.is_empty() {
                // `vec![0; n]` gets zeroed pages from the system and does not touch those that a short input leaves unused.
                self.buffer = vec![0; grown]
            } else {
                self.buffer.resize(grown, 0)
            }
        }
        if self.end == self.buffer.len() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "a single record of more than {RECORD_BYTES_MAX} bytes; is this the format it is read as?"
                ),
            ));
        }
        Ok(())
    }
}

/// Reads the unread bytes, then the rest of the stream.
impl Read for InputBuffer {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.unread().is_empty() && !self.read_more()? {
            return match self.state {
                State::Truncated => Err(io::ErrorKind::UnexpectedEof.into()),
                _ => Ok(0),
            };
        }
        let count = out.len().min(self.unread().len());
        out[..count].copy_from_slice(&self.unread()[..count]);
        self.consume(count);
        Ok(count)
    }
}
