//! Memory for the slots of the seen set: on the heap, or in a temporary file that is mapped into memory.
//!
//! A mapped file lets the seen set grow beyond the memory of the machine: the system writes pages that are not in use to the disk.
//! The file has no name, so it vanishes with the process, whatever ends it. Its blocks are allocated before they are mapped:
//! otherwise a full disk would show as a signal, not as an error.

use std::fs::File;
use std::io;
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;

/// Where slots are.
#[derive(Debug)]
enum Backing {
    Heap(Box<[u64]>),
    File { _map: MmapMut },
}

/// Zeroed words of 64 bits.
#[derive(Debug)]
pub(crate) struct SlotMemory {
    backing: Backing,
    words: *const AtomicU64,
    len: usize,
}

// SAFETY: the words are only accessed as atomics or through `&mut self`, and the backing is never moved or freed before `self`.
unsafe impl Send for SlotMemory {}
// SAFETY: see above.
unsafe impl Sync for SlotMemory {}

impl SlotMemory {
    /// Words on the heap.
    pub(crate) fn on_heap(len: usize) -> Self {
        let mut heap = vec![0u64; len].into_boxed_slice();
        Self {
            words: heap.as_mut_ptr().cast_const().cast(),
            len,
            backing: Backing::Heap(heap),
        }
    }

    /// Words in a temporary file, in the folder for temporary files.
    pub(crate) fn in_file(len: usize) -> io::Result<Self> {
        let bytes = (len.max(1) * size_of::<u64>()) as u64;
        let file = tempfile::tempfile()?;
        allocate(&file, bytes)?;
        // SAFETY: the file has no name and this is its only handle, so nothing else can change or truncate it.
        let mut map = unsafe { MmapMut::map_mut(&file)? };
        Ok(Self {
            // A mapping starts at a page, so it is aligned.
            words: map.as_mut_ptr().cast_const().cast(),
            len,
            backing: Backing::File { _map: map },
        })
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> u64 {
        match &self.backing {
            Backing::Heap(heap) => size_of_val::<[u64]>(heap) as u64,
            Backing::File { .. } => 0,
        }
    }

    /// Whether the words are in a file.
    pub(crate) fn is_in_file(&self) -> bool {
        matches!(self.backing, Backing::File { .. })
    }

    /// The words.
    #[inline]
    pub(crate) fn words(&self) -> &[AtomicU64] {
        // SAFETY: the backing has `len` words, is aligned for them, and lives as long as `self`. An atomic has the layout of its
        // word, and shared access to the words is only ever atomic.
        unsafe { std::slice::from_raw_parts(self.words, self.len) }
    }
}

#[cfg(unix)]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let length = libc::off_t::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    // SAFETY: the descriptor is open, and the call only changes the file.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[cfg(not(unix))]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn both_kinds_are_zero_at_first_and_keep_what_is_stored() {
        let file = SlotMemory::in_file(3_000).expect("a temporary file");
        for memory in [SlotMemory::on_heap(3_000), file] {
            assert_eq!(memory.words().len(), 3_000);
            assert!(
                memory
                    .words()
                    .iter()
                    .all(|word| word.load(Ordering::Relaxed) == 0)
            );
            for (at, word) in (0..).zip(memory.words()) {
                word.store(at, Ordering::Relaxed);
            }
            let moved = memory;
            assert!(
                (0..)
                    .zip(moved.words())
                    .all(|(at, word)| word.load(Ordering::Relaxed) == at)
            );
            assert_eq!(moved.heap_bytes() == 0, moved.is_in_file());
        }
        assert_eq!(SlotMemory::on_heap(0).words().len(), 0);
        assert_eq!(SlotMemory::in_file(0).expect("a temporary file").words().len(), 0);
    }
}
