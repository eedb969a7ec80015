//! Files as shared memory.
//!
//! A store to a shared mapping is in the page cache as soon as it completes. The kernel owns the page cache: it survives a
//! panic, an abort, a crash or a kill of the process, so no flush and no signal handler is needed. (A crash of the machine
//! can lose up to half a minute.)
//!
//! A store to a page for which the disk has no room raises `SIGBUS`. So disk space is *allocated* before a page is mapped,
//! and the pages are made present and writable at once, which also keeps page faults out of the timeboxes.

use std::{
    fs::File,
    io,
    os::{fd::AsRawFd, unix::fs::FileExt},
    path::PathBuf,
    ptr,
};

use crate::RecordError;

use super::{ThreadOutput, Window, WindowRequest};

/// A file whose end is mapped.
#[derive(Debug)]
pub(crate) struct MappedFile {
    file: File,
    path: PathBuf,
    chunk_bytes: usize,
    page_bytes: usize,
    /// The number of bytes with allocated disk space.
    allocated: usize,
    mapping: Option<Mapping>,
}

/// Whether the file system can share this file's pages; some network and user-space file systems cannot.
pub(super) fn can_map(file: &File) -> bool {
    // Nothing is read or written, so the file may still be empty.
    Mapping::new(file, 0, page_bytes()).is_ok()
}

impl MappedFile {
    pub(super) fn new(file: File, path: PathBuf, chunk_bytes: usize) -> Self {
        let page_bytes = page_bytes();
        let chunk_bytes = chunk_bytes
            .max(1)
            .checked_next_multiple_of(page_bytes)
            .unwrap_or(page_bytes);
        Self {
            file,
            path,
            chunk_bytes,
            page_bytes,
            allocated: 0,
            mapping: None,
        }
    }

    /// Maps the file from the page of the current record to the end of the next chunk. The record stays contiguous, and the
    /// bytes written so far are in the same page.
    pub(super) fn grow(&mut self, request: WindowRequest) -> Result<Window, RecordError> {
        let start = request.keep_from - request.keep_from % self.page_bytes;
        let Some(end) = request.end.checked_next_multiple_of(self.chunk_bytes) else {
            return Err(RecordError::TooLarge {
                thread: String::new(),
                bytes: request.end,
            });
        };
        let end = end.max(self.allocated);
        if end > self.allocated {
            make_room(&self.file, self.allocated, end - self.allocated)
                .map_err(|source| self.refused("make room for the trace", source))?;
        }
        let mapping = Mapping::new(&self.file, start, end - start)
            .map_err(|source| self.refused("map the trace into memory", source))?;
        mapping
            .populate()
            .map_err(|source| self.refused("make the trace's pages writable", source))?;
        mapping.keep_from_children();
        self.allocated = end;
        let origin = mapping.base.wrapping_sub(start);
        self.mapping = Some(mapping);
        Ok(Window { origin, end })
    }

    pub(super) fn close(self, length: usize) -> Result<ThreadOutput, RecordError> {
        let Self {
            file, path, mapping, ..
        } = self;
        drop(mapping);
        super::truncate(&file, path, length)
    }

    fn refused(&self, doing: &'static str, source: io::Error) -> RecordError {
        RecordError::Io {
            path: self.path.clone(),
            doing,
            source,
        }
    }
}

/// A mapped range of a file, unmapped on drop.
#[derive(Debug)]
struct Mapping {
    base: *mut u8,
    length: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread; the owner of the value is its only user.
unsafe impl Send for Mapping {}

impl Mapping {
    fn new(file: &File, start: usize, length: usize) -> io::Result<Self> {
        let start = libc::off_t::try_from(start).map_err(|_| io::ErrorKind::FileTooLarge)?;
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                start,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            base: base.cast(),
            length,
        })
    }

    /// Makes all pages present and writable. `MAP_POPULATE` only does the former for a shared mapping, and reports no error
    /// if a page is unavailable; this call does, instead of a later `SIGBUS`.
    fn populate(&self) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            // The constant is missing in the bindings of some C libraries.
            const MADV_POPULATE_WRITE: libc::c_int = 23;
            // SAFETY: the range is exactly this mapping, and no byte changes.
            if unsafe { libc::madvise(self.base.cast(), self.length, MADV_POPULATE_WRITE) } != 0 {
                let error = io::Error::last_os_error();
                // Kernels before 5.14 lack this advice: their pages fault in one by one.
                if error.raw_os_error() != Some(libc::EINVAL) {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Keeps the pages out of forked children, which would write into the same file.
    fn keep_from_children(&self) {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        // SAFETY: the range is exactly this mapping; a failure changes nothing for this process.
        unsafe {
            libc::madvise(self.base.cast(), self.length, libc::MADV_DONTFORK);
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is exactly this mapping, and its owner is being dropped.
        unsafe {
            libc::munmap(self.base.cast(), self.length);
        }
    }
}

/// Allocates disk space, so that no store can fail for lack of it, and brings the pages into the page cache.
///
/// The zeros seem redundant after the allocation. But the kernel creates the pages of a large write in batches, and those of
/// faults on an allocated range one by one, each with a call into the file system: on ext4 a chunk of 1 MiB becomes writable
/// in 0.25 ms with the zeros and in 0.85 ms without. If a file system cannot allocate, the zeros are the allocation.
fn make_room(file: &File, offset: usize, length: usize) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    allocate(file, offset, length)?;
    write_zeros(file, offset, length)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn allocate(file: &File, offset: usize, length: usize) -> io::Result<()> {
    let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let from = libc::off_t::try_from(offset).map_err(too_large)?;
    let count = libc::off_t::try_from(length).map_err(too_large)?;
    loop {
        // SAFETY: a plain system call on an open file.
        if unsafe { libc::fallocate(file.as_raw_fd(), 0, from, count) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::EOPNOTSUPP | libc::ENOSYS) => return Ok(()),
            _ => return Err(error),
        }
    }
}

fn write_zeros(file: &File, offset: usize, length: usize) -> io::Result<()> {
    static ZEROS: [u8; 256 << 10] = [0; 256 << 10];
    let mut done = 0;
    while done < length {
        let piece = (length - done).min(ZEROS.len());
        file.write_all_at(&ZEROS[..piece], (offset + done) as u64)?;
        done += piece;
    }
    Ok(())
}

fn page_bytes() -> usize {
    // SAFETY: reads a constant of the system.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes)
        .ok()
        .filter(|bytes| bytes.is_power_of_two())
        .unwrap_or(64 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_reads_as_zeros() {
        let file = tempfile::tempfile().unwrap();
        make_room(&file, 5, 700_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 700_005);
        let mut last = [1];
        file.read_exact_at(&mut last, 700_004).unwrap();
        assert_eq!(last, [0]);
    }
}
