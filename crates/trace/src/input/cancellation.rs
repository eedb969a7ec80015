//! Cancellation of reading by the caller.

use std::io::{self, Read};

use thiserror::Error;

/// The caller cancelled the reading.
#[derive(Debug, Error)]
#[error("cancelled")]
pub(crate) struct Cancelled;

/// A reader that fails with [`Cancelled`] once the caller says so.
pub(super) struct Cancellable<R> {
    pub(super) reader: R,
    pub(super) is_cancelled: fn() -> bool,
}

impl<R: Read> Read for Cancellable<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        // Readers retry a read that a signal interrupted, so this also ends one that waits for a pipe.
        if (self.is_cancelled)() {
            Err(io::Error::other(Cancelled))
        } else {
            self.reader.read(out)
        }
    }
}
