//! The bytes of one thread, in the order in which they are written.
//!
//! The buffer's promise is **crash atomicity**: at every moment the file is a sequence of whole records, and
//! whatever follows them cannot be taken for one. It rests on two invariants.
//!
//! 1. The byte at `record_start` is zero until the record behind it is complete; then one byte store
//!    publishes it. A published record grows by writing behind it and publishing its first byte again.
//! 2. Before a publication the byte *behind* the record is zero. What is written behind a published record
//!    until it is published again begins with a MessagePack string. So what follows a whole record is a whole
//!    record, a zero or a string, and only the first is a map.

use std::{
    ptr,
    sync::atomic::{AtomicU8, Ordering, compiler_fence},
};

use crate::{
    RecordError,
    storage::{Need, Output, Storage, Window},
};

/// Kept free behind a record that begins, so that its end seldom needs a new window.
const END_RESERVE_BYTES: usize = 512;

/// Writes records into a store's window.
#[derive(Debug)]
pub(crate) struct Buffer {
    window: Window,
    /// Where the next byte goes.
    position: usize,
    /// Where the current record starts.
    record_start: usize,
    /// The end of the last published record, as far as it is published.
    published_to: usize,
    wants_writes: bool,
    storage: Storage,
    /// Set for good when something went wrong: from then on every write is ignored.
    has_failed: bool,
    /// What went wrong, until somebody asks.
    failure: Option<RecordError>,
}

// SAFETY: the window's memory belongs to the store, and the store to this value alone.
unsafe impl Send for Buffer {}

impl Buffer {
    pub(crate) fn new(storage: Storage) -> Self {
        Self {
            window: Window {
                origin: ptr::null_mut(),
                end: 0,
            },
            position: 0,
            record_start: 0,
            published_to: 0,
            wants_writes: storage.wants_writes(),
            storage,
            has_failed: false,
            failure: None,
        }
    }

    /// Begins a record with these bytes, the first of which must be zero: it stays so until the record is
    /// published. Whatever was written and not published is forgotten.
    #[inline]
    pub(crate) fn begin_record(&mut self, bytes: &[u8]) {
        debug_assert_eq!(bytes.first(), Some(&0));
        self.position = self.published_to;
        self.record_start = self.published_to;
        self.put(bytes);
    }

    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        if self.reserve(bytes.len()) {
            // The position is read before the copy and written after it: the compiler cannot know that the
            // copy does not change it, and would send it through memory once more for every piece of a
            // record.
            let position = self.position;
            let target = self.window.origin.wrapping_add(position);
            // SAFETY: `reserve` said that the window reaches `bytes.len()` bytes behind the position, and
            // nobody else has a reference into it.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) }
            self.position = position + bytes.len();
        }
    }

    /// Overwrites bytes of the current record that are not published yet.
    #[inline]
    pub(crate) fn patch<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) {
        if !self.has_failed {
            debug_assert!(self.record_start <= offset && offset + N <= self.position);
            // SAFETY: the window always holds the current record from its start to the position.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.window.origin.wrapping_add(offset), N) }
        }
    }

    /// Bytes of the current record, if so many were written there.
    #[inline]
    pub(crate) fn written<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        let is_there = !self.has_failed && self.record_start <= offset && offset + N <= self.position;
        is_there.then(|| {
            let mut bytes = [0; N];
            // SAFETY: the window always holds the current record from its start to the position.
            unsafe {
                ptr::copy_nonoverlapping(self.window.origin.wrapping_add(offset), bytes.as_mut_ptr(), N)
            }
            bytes
        })
    }

    /// Forgets what was written from `offset` on, which must not be published yet.
    #[inline]
    pub(crate) fn rewind(&mut self, offset: usize) {
        debug_assert!(self.published_to <= offset);
        if !self.has_failed {
            self.position = offset.min(self.position);
        }
    }

    /// Makes sure that the record's beginning and, unless it is large, its end fit: so that growing happens
    /// now.
    #[inline]
    pub(crate) fn reserve_for_end(&mut self) -> bool {
        self.reserve(END_RESERVE_BYTES)
    }

    #[inline]
    fn reserve(&mut self, bytes: usize) -> bool {
        bytes <= self.window.end - self.position || self.grow(bytes)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) -> bool {
        if self.has_failed {
            return false;
        }
        let grown = match self.position.checked_add(bytes) {
            None => Err(RecordError::TooLarge {
                thread: String::new(),
                bytes,
            }),
            Some(end) => {
                let need = Need {
                    keep_from: self.record_start,
                    filled_to: self.position,
                    end,
                };
                self.storage.grow(need)
            }
        };
        match grown {
            Ok(window) => {
                self.window = window;
                true
            }
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// Gives up: nothing more is written, and what was not published never will be.
    #[cold]
    pub(crate) fn fail(&mut self, error: RecordError) {
        // Without room behind the position every write goes through `grow`, which refuses.
        self.window.end = self.position;
        self.has_failed = true;
        self.failure.get_or_insert(error);
    }

    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    #[cold]
    pub(crate) fn take_failure(&mut self) -> Option<RecordError> {
        self.failure.take()
    }

    /// Makes the current record, as far as it is written, part of the file. `first` is the byte that makes it
    /// so.
    #[inline]
    pub(crate) fn publish(&mut self, first: u8) {
        let end = self.position;
        self.put(&[0]);
        if self.has_failed {
            return;
        }
        self.position = end;
        // SAFETY: the window holds the current record from its start; only atomic stores of this thread touch
        // its first byte from now on.
        let commit = unsafe { AtomicU8::from_ptr(self.window.origin.wrapping_add(self.record_start)) };
        // Release: whoever watches the file and sees this byte sees the record behind it. If the process
        // dies, what counts is the order of the instructions; the fence keeps the compiler from moving the
        // operation, which follows, in front of the store.
        commit.store(first, Ordering::Release);
        compiler_fence(Ordering::SeqCst);
        if !self.wants_writes || self.write() {
            self.published_to = end;
        }
    }

    #[cold]
    fn write(&mut self) -> bool {
        let changed = self.published_to..self.position;
        let written = self.storage.write(changed, self.record_start);
        written.map_err(|error| self.fail(error)).is_ok()
    }

    /// What was published, of a buffer in memory.
    pub(crate) fn into_bytes(mut self) -> Result<Vec<u8>, RecordError> {
        if let Some(error) = self.take_failure() {
            return Err(error);
        }
        match self.close()? {
            Output::Memory(bytes) => Ok(bytes),
            Output::File(_) => Ok(Vec::new()),
        }
    }

    /// Ends the store at the last published byte.
    pub(crate) fn close(self) -> Result<Output, RecordError> {
        self.storage.close(self.published_to)
    }
}
