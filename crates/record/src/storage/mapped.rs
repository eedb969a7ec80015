//! A file that is shared memory.
//!
//! A store to a shared mapping is in the page cache the moment it is done. The page cache belongs to the
//! kernel: it stays when the process panics, aborts, crashes or is killed, so nothing needs flushing and no
//! signal handler is needed. (A crash of the whole machine is another matter: up to half a minute can be lost
//! then.)
//!
//! What could go wrong is a store to a page that the disk has no room for: the kernel answers that with
//! `SIGBUS`. So room is *allocated* before a page is mapped, and the pages are made present and writable in
//! one go, which also keeps page faults out of the timeboxes.

use std::{
    fs::File,
    io,
    os::{fd::AsRawFd, unix::fs::FileExt},
    path::PathBuf,
    ptr,
};

use crate::RecordError;

use super::{Need, Output, Window};

/// A file, of which the end is mapped.
#[derive(Debug)]
pub(crate) struct MappedFile {
    file: File,
    path: PathBuf,
    chunk_bytes: usize,
    page_bytes: usize,
    /// How much of the file has room on the disk.
    allocated: usize,
    mapping: Option<Mapping>,
}

/// Whether the file system can share this file's pages; some network and user-space file systems cannot.
pub(super) fn can_map(file: &File) -> bool {
    // Nothing is read or written here, so the file may still be empty.
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

    /// Maps the file from the page of the current record to the end of the next chunk. The record stays in
    /// one piece however long it is, and what was written of it is still there: it is the same page.
    pub(super) fn grow(&mut self, need: Need) -> Result<Window, RecordError> {
        let start = need.keep_from - need.keep_from % self.page_bytes;
        let Some(end) = need.end.checked_next_multiple_of(self.chunk_bytes) else {
            return Err(RecordError::TooLarge {
                thread: String::new(),
                bytes: need.end,
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

    pub(super) fn close(self, length: usize) -> Result<Output, RecordError> {
        let Self {
            file, path, mapping, ..
        } = self;
        drop(mapping);
        super::cut(&file, path, length)
    }

    fn refused(&self, doing: &'static str, source: io::Error) -> RecordError {
        RecordError::Io {
            path: self.path.clone(),
            doing,
            source,
        }
    }
}

/// A mapped stretch of a file, unmapped on drop.
#[derive(Debug)]
struct Mapping {
    base: *mut u8,
    length: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread; whoever owns the value is its only user.
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

    /// Makes all pages present and writable. `MAP_POPULATE` would only do the first for a shared mapping, and
    /// would say nothing where a page cannot be had; this call says so instead of leaving it to `SIGBUS`.
    fn populate(&self) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            // By number, because not every C library that libc covers has the name.
            const MADV_POPULATE_WRITE: libc::c_int = 23;
            // SAFETY: the range is exactly this mapping, and no byte changes.
            if unsafe { libc::madvise(self.base.cast(), self.length, MADV_POPULATE_WRITE) } != 0 {
                let error = io::Error::last_os_error();
                // Kernels before 5.14 do not know the advice: their pages fault in one by one.
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
        // SAFETY: the range is exactly this mapping; a refusal changes nothing for this process.
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

/// Makes room on the disk, so that no store can fail for lack of it, and brings the pages into the page
/// cache.
///
/// The zeros look superfluous after the allocation. But the kernel makes pages for a large write in large
/// pieces, and one at a time, with a visit to the file system each, for faults on an allocated stretch: on
/// ext4 a chunk of 1 MiB becomes writable in 0.25 ms with the zeros and in 0.85 ms without. Where a file
/// system cannot allocate, they are the allocation.
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
    // SAFETY: asks for a constant of the system.
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
