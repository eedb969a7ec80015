//! Storage in memory, for tests and for harnesses that check immediately.

use crate::RecordError;

use super::{ThreadOutput, Window, WindowRequest};

const FIRST_BYTES: usize = 64 << 10;

/// A growable byte buffer.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    pub(super) fn grow(&mut self, request: WindowRequest) -> Result<Window, RecordError> {
        let length = request
            .end
            .max(self.bytes.len().saturating_mul(2))
            .max(FIRST_BYTES);
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

    pub(super) fn close(mut self, length: usize) -> ThreadOutput {
        self.bytes.truncate(length);
        self.bytes.shrink_to_fit();
        ThreadOutput::Memory(self.bytes)
    }
}
