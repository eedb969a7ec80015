//! Files written by system calls, for file systems without shared mappings.
//!
//! Every record is written when it is published, so that it survives the process like a mapped one, but more slowly.

use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    ops::Range,
    path::PathBuf,
};

use crate::RecordError;

use super::{ThreadOutput, Window, WindowRequest};

const WINDOW_BYTES: usize = 16 << 10;

/// A file and the range of it that is being written.
#[derive(Debug)]
pub(crate) struct WrittenFile {
    file: File,
    path: PathBuf,
    window: Vec<u8>,
    /// The offset in the file of the window's first byte.
    window_start: usize,
}

impl WrittenFile {
    pub(super) fn new(file: File, path: PathBuf) -> Self {
        Self {
            file,
            path,
            window: Vec::new(),
            window_start: 0,
        }
    }

    pub(super) fn grow(&mut self, request: WindowRequest) -> Result<Window, RecordError> {
        let kept = request.filled_to - request.keep_from;
        let skipped = request.keep_from - self.window_start;
        let length = (request.end - request.keep_from).saturating_add(WINDOW_BYTES);
        if skipped > 0 {
            self.window.copy_within(skipped..skipped + kept, 0);
        }
        if self.window.len() < length {
            let more = length - self.window.len();
            if self.window.try_reserve_exact(more).is_err() {
                return Err(RecordError::OutOfMemory {
                    thread: String::new(),
                    bytes: more,
                });
            }
            self.window.resize(length, 0);
        }
        self.window_start = request.keep_from;
        Ok(Window {
            origin: self.window.as_mut_ptr().wrapping_sub(self.window_start),
            end: self.window_start + self.window.len(),
        })
    }

    pub(super) fn write(&mut self, changed: Range<usize>, commit: usize) -> Result<(), RecordError> {
        // A record that begins is one write, including its first byte: if cut short, it is an incomplete map, which ends a
        // trace. A record that ends gets its first byte after the rest.
        let commits_itself = changed.contains(&commit);
        let mut result = self.write_at(changed);
        if !commits_itself {
            result = result.and_then(|()| self.write_at(commit..commit + 1));
        }
        result.map_err(|source| RecordError::Io {
            path: self.path.clone(),
            doing: "write the trace",
            source,
        })
    }

    fn write_at(&mut self, range: Range<usize>) -> std::io::Result<()> {
        let offset = range.start;
        let bytes = self
            .window
            .get(offset - self.window_start..range.end - self.window_start);
        let bytes = bytes.ok_or(std::io::ErrorKind::InvalidInput)?;
        self.file.seek(SeekFrom::Start(offset as u64))?;
        self.file.write_all(bytes)
    }

    pub(super) fn close(self, length: usize) -> Result<ThreadOutput, RecordError> {
        let Self { file, path, .. } = self;
        super::truncate(&file, path, length)
    }
}
