//! Where a thread's bytes go.
//!
//! A store lends the buffer a *window*: a stretch of memory that stands for a stretch of the file. The buffer
//! fills the window without asking; it comes back only when the window is full. What differs between the
//! stores is what a byte in the window means: in a mapped file it already *is* in the file, in memory there
//! is no file, and in a written file it gets there when the buffer says that a record is complete.

#[cfg(unix)]
mod mapped;
mod memory;
mod written;

use std::{fs::File, ops::Range, path::PathBuf};

use crate::RecordError;

/// A stretch of memory to write to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The address that offset 0 of the file would have. Usually not an address inside the window: only
    /// `origin + offset` for an offset of the window is.
    pub(crate) origin: *mut u8,
    /// The first offset behind the window.
    pub(crate) end: usize,
}

/// What the buffer needs of its next window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// Everything from here on must stay readable and writable: the record that is being written starts here.
    pub(crate) keep_from: usize,
    /// Everything before this offset is filled.
    pub(crate) filled_to: usize,
    /// The window must reach at least to here.
    pub(crate) end: usize,
}

/// How a recording's files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backing {
    /// Through shared memory: a store is all it takes to survive the process. Where the system or the file
    /// system cannot do it, as [`Written`](Self::Written).
    #[default]
    Mapped,
    /// Through system calls, three for every operation: some microseconds each.
    Written,
}

/// What is left of a store when its thread is done.
#[derive(Debug)]
pub enum Output {
    /// A file of the trace directory.
    File(PathBuf),
    /// The bytes that the file would have.
    Memory(Vec<u8>),
}

/// A thread's store.
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

    /// Whether the buffer must announce every completed record to [`write`](Self::write).
    pub(crate) fn wants_writes(&self) -> bool {
        matches!(self, Self::Written(_))
    }

    pub(crate) fn grow(&mut self, need: Need) -> Result<Window, RecordError> {
        match self {
            #[cfg(unix)]
            Self::Mapped(file) => file.grow(need),
            Self::Written(file) => file.grow(need),
            Self::Memory(memory) => memory.grow(need),
        }
    }

    /// Brings `changed` of the window into the file, then the one byte at `commit`.
    pub(crate) fn write(&mut self, changed: Range<usize>, commit: usize) -> Result<(), RecordError> {
        match self {
            Self::Written(file) => file.write(changed, commit),
            _ => Ok(()),
        }
    }

    /// Cuts the file to its length. The window is gone afterwards.
    pub(crate) fn close(self, length: usize) -> Result<Output, RecordError> {
        match self {
            #[cfg(unix)]
            Self::Mapped(file) => file.close(length),
            Self::Written(file) => file.close(length),
            Self::Memory(memory) => Ok(memory.close(length)),
        }
    }
}

/// Ends a file at `length`.
fn cut(file: &File, path: PathBuf, length: usize) -> Result<Output, RecordError> {
    match file.set_len(length as u64) {
        Ok(()) => Ok(Output::File(path)),
        Err(source) => Err(RecordError::Io {
            path,
            doing: "cut the trace file to its length",
            source,
        }),
    }
}
