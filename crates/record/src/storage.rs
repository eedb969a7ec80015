//! The storage of a thread's bytes.
//!
//! A storage provides a *window*: memory that represents a range of the file. The buffer fills the window and requests
//! another when it is full. In a mapped file, a byte in the window is in the file; in memory there is no file; in a written
//! file, bytes reach the file when the buffer publishes a record.

#[cfg(unix)]
mod mapped;
mod memory;
mod written;

use std::{fs::File, ops::Range, path::PathBuf};

use crate::RecordError;

/// Memory that represents a range of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The address that offset 0 of the file would have. It is usually outside of the window: only `origin + offset` for an
    /// offset of the window is valid.
    pub(crate) origin: *mut u8,
    /// The offset at which the window ends.
    pub(crate) end: usize,
}

/// The requirements for the next window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowRequest {
    /// The start of the current record, which must stay accessible.
    pub(crate) keep_from: usize,
    /// The end of the written bytes.
    pub(crate) filled_to: usize,
    /// The least offset at which the window may end.
    pub(crate) end: usize,
}

/// How a recording's files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backing {
    /// Through shared memory: stored data survives the process. Falls back to [`Written`](Self::Written) if the system or
    /// the file system does not support it.
    #[default]
    Mapped,
    /// Through system calls, three for every operation, of some microseconds each.
    Written,
}

/// The output of a thread's log.
#[derive(Debug)]
pub enum ThreadOutput {
    /// A file of the trace directory.
    File(PathBuf),
    /// The bytes that the file would hold.
    Memory(Vec<u8>),
}

/// The storage of one thread.
#[derive(Debug)]
pub(crate) enum Storage {
    #[cfg(unix)]
    Mapped(mapped::MappedFile),
    Written(written::WrittenFile),
    Memory(memory::Memory),
}

impl Storage {
    pub(crate) fn in_memory() -> Self {
        Self::Memory(memory::Memory::default())
    }

    pub(crate) fn in_file(path: PathBuf, backing: Backing, chunk_bytes: usize) -> Result<Self, RecordError> {
        let made = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path);
        let file = match made {
            Ok(file) => file,
            Err(source) => {
                return Err(RecordError::Io {
                    path,
                    doing: "create a thread's trace file",
                    source,
                });
            }
        };
        #[cfg(unix)]
        if backing == Backing::Mapped && mapped::can_map(&file) {
            return Ok(Self::Mapped(mapped::MappedFile::new(file, path, chunk_bytes)));
        }
        #[cfg(not(unix))]
        let _ = (backing, chunk_bytes);
        Ok(Self::Written(written::WrittenFile::new(file, path)))
    }

    /// Whether the buffer must pass every published record to [`write`](Self::write).
    pub(crate) fn wants_writes(&self) -> bool {
        matches!(self, Self::Written(_))
    }

    pub(crate) fn grow(&mut self, request: WindowRequest) -> Result<Window, RecordError> {
        match self {
            #[cfg(unix)]
            Self::Mapped(file) => file.grow(request),
            Self::Written(file) => file.grow(request),
            Self::Memory(memory) => memory.grow(request),
        }
    }

    /// Writes the range `changed` of the window to the file, then the byte at `commit`.
    pub(crate) fn write(&mut self, changed: Range<usize>, commit: usize) -> Result<(), RecordError> {
        match self {
            Self::Written(file) => file.write(changed, commit),
            _ => Ok(()),
        }
    }

    /// Truncates the file to its length. Invalidates the window.
    pub(crate) fn close(self, length: usize) -> Result<ThreadOutput, RecordError> {
        match self {
            #[cfg(unix)]
            Self::Mapped(file) => file.close(length),
            Self::Written(file) => file.close(length),
            Self::Memory(memory) => Ok(memory.close(length)),
        }
    }
}

/// Truncates a file to `length`.
fn truncate(file: &File, path: PathBuf, length: usize) -> Result<ThreadOutput, RecordError> {
    match file.set_len(length as u64) {
        Ok(()) => Ok(ThreadOutput::File(path)),
        Err(source) => Err(RecordError::Io {
            path,
            doing: "cut the trace file to its length",
            source,
        }),
    }
}
