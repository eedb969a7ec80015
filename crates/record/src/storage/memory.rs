//! A store without a file, for tests and for harnesses that check at once.

use crate::RecordError;

use super::{Need, Output, Window};

const FIRST_BYTES: usize = 64 << 10;

/// A growing piece of memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    pub(super) fn grow(&mut self, need: Need) -> Result<Window, RecordError> {
        let length = need.end.max(self.bytes.len().saturating_mul(2)).max(FIRST_BYTES);
        let more = length - self.bytes.len();
        if self.bytes.try_reserve_exact(more).is_err() {
            return Err(RecordError::OutOfMemory {
                thread: String::new(),
                bytes: more,
            });
        }
        self.bytes.resize(length, 0);
        Ok(Window {
            origin: self.bytes.as_mut_ptr(),
            end: length,
        })
    }

    pub(super) fn close(mut self, length: usize) -> Output {
        self.bytes.truncate(length);
        self.bytes.shrink_to_fit();
        Output::Memory(self.bytes)
    }
}
