//! The buffer of one thread's records.
//!
//! The buffer guarantees **crash atomicity**: at every moment the file is a sequence of whole records, and the bytes behind
//! them cannot be mistaken for one. It relies on two invariants.
//!
//! 1. The byte at `record_start` is zero until the record is complete; then a store of one byte publishes it. A published
//!    record grows by writing behind it and publishing its first byte again.
//! 2. Before a publication the byte *behind* the record is zero. The bytes that are written behind a published record until
//!    it is published again begin with a MessagePack string. So a whole record is followed by a whole record, a zero or a
//!    string, and only the first is a map.

use std::{
    ptr,
    sync::atomic::{AtomicU8, Ordering, compiler_fence},
};

use crate::{
    RecordError,
    storage::{Storage, ThreadOutput, Window, WindowRequest},
};

/// Reserved behind a record that begins, so that its end seldom needs a new window.
const END_RESERVE_BYTES: usize = 512;

/// Writes records into the window of a storage.
#[derive(Debug)]
pub(crate) struct Buffer {
    window: Window,
    /// The offset of the next byte.
    position: usize,
    /// The start of the current record.
    record_start: usize,
    /// The end of the published bytes.
    published_to: usize,
    wants_writes: bool,
    storage: Storage,
    /// Set permanently by the first failure: from then on every write is ignored.
    has_failed: bool,
    /// The failure, until it is taken.
    failure: Option<RecordError>,
}

// SAFETY: the storage owns the window's memory, and this value alone owns the storage.
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

    /// Begins a record with these bytes, the first of which must be zero: it stays zero until the record is published.
    /// Discards unpublished bytes.
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
            // The position is read before the copy and written after it: the compiler cannot prove that the copy does not
            // change it, and would reload it for every part of a record.
            let position = self.position;
            let target = self.window.origin.wrapping_add(position);
            // SAFETY: `reserve` ensured that the window reaches `bytes.len()` bytes behind the position, and there is no
            // other reference into it.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) }
            self.position = position + bytes.len();
        }
    }

    /// Overwrites unpublished bytes of the current record.
    #[inline]
    pub(crate) fn patch<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) {
        if !self.has_failed {
            debug_assert!(self.record_start <= offset && offset + N <= self.position);
            // SAFETY: the window always holds the current record from its start to the position.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.window.origin.wrapping_add(offset), N) }
        }
    }

    /// `N` bytes of the current record at `offset`, if that many were written.
    #[inline]
    pub(crate) fn written<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        let exists = !self.has_failed && self.record_start <= offset && offset + N <= self.position;
        exists.then(|| {
            let mut bytes = [0; N];
            // SAFETY: the window always holds the current record from its start to the position.
            unsafe {
                ptr::copy_nonoverlapping(self.window.origin.wrapping_add(offset), bytes.as_mut_ptr(), N)
            }
            bytes
        })
    }

    /// Discards the bytes from `offset` on, which must be unpublished.
    #[inline]
    pub(crate) fn rewind(&mut self, offset: usize) {
        debug_assert!(self.published_to <= offset);
        if !self.has_failed {
            self.position = offset.min(self.position);
        }
    }

    /// Reserves room for the end of the record, unless it is large, so that the window does not grow during the operation.
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
                let request = WindowRequest {
                    keep_from: self.record_start,
                    filled_to: self.position,
                    end,
                };
                self.storage.grow(request)
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

    /// Fails permanently: nothing more is written or published.
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

    /// Publishes the current record as far as it is written, by storing `first` as its first byte.
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
        // Release: a reader of the live file that sees this byte sees the record behind it. If the process dies, the order
        // of the instructions counts; the fence keeps the compiler from moving the following operation in front of the
        // store.
        commit.store(first, Ordering::Release);
        compiler_fence(Ordering::SeqCst);
        if !self.wants_writes || self.write() {
            self.published_to = end;
        }
    }

    /// Takes the current record back, whether it is published or not: the file ends before it, and the next record takes its place.
    pub(crate) fn withdraw(&mut self) {
        if self.has_failed {
            return;
        }
        let first = self.window.origin.wrapping_add(self.record_start);
        // SAFETY: the window holds the current record from its start to the position; only atomic stores of this thread
        // touch its first byte.
        unsafe {
            AtomicU8::from_ptr(first).store(0, Ordering::Release);
            compiler_fence(Ordering::SeqCst);
            // All of it: what a shorter record would leave behind itself could be mistaken for another one.
            ptr::write_bytes(first, 0, self.position - self.record_start);
        }
        self.published_to = self.record_start;
        if !self.wants_writes || self.write() {
            self.position = self.record_start;
        }
    }

    #[cold]
    fn write(&mut self) -> bool {
        let changed = self.published_to..self.position;
        let written = self.storage.write(changed, self.record_start);
        written.map_err(|error| self.fail(error)).is_ok()
    }

    /// The published bytes of a buffer in memory.
    pub(crate) fn into_bytes(mut self) -> Result<Vec<u8>, RecordError> {
        if let Some(error) = self.take_failure() {
            return Err(error);
        }
        match self.close()? {
            ThreadOutput::Memory(bytes) => Ok(bytes),
            ThreadOutput::File(_) => Ok(Vec::new()),
        }
    }

    /// Closes the storage at the last published byte.
    pub(crate) fn close(self) -> Result<ThreadOutput, RecordError> {
        self.storage.close(self.published_to)
    }
}
