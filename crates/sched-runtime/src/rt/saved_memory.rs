//! The memory of the process at one moment, and its restoration.
//!
//! A page is restored if it differs from what was saved. Comparing costs less than having the system tell which pages were written:
//! a small program has some hundred pages, and one fault costs as much as comparing ten.

use crate::rt::global::Global;
use crate::rt::memory_map::{self, Mapping};
use crate::rt::sys::{self, number, raw};
use crate::rt::{heap, threads};
use core::cell::Cell;

pub const PAGE: u64 = 4_096;
/// A program with more pages is not saved.
const PAGES_CAP: usize = 1 << 12;
/// All pages of a mapping up to this size are saved; of a larger one without a file, such as a stack, only those that are in use. Pages
/// that it uses later were zero.
const DENSE_MAX: u64 = 256 << 10;
const SPARSE_CAP: usize = 64;
/// Pages whose use is asked for at once.
const RESIDENT_CAP: usize = 1 << 12;
const STACK_BYTES: usize = 64 << 10;

#[derive(Clone, Copy)]
struct SparseRange {
    from: u64,
    to: u64,
    /// The number of its first page that is saved.
    first: usize,
}

/// In memory of its own, which is not part of what is saved.
#[repr(C)]
struct SavedMemory {
    pages: SavedPages,
    /// The stack on which memory is saved and restored.
    stack: [u8; STACK_BYTES],
}

struct SavedPages {
    contents: [[u8; PAGE as usize]; PAGES_CAP],
    addresses: [u64; PAGES_CAP],
    len: usize,
    sparse: [SparseRange; SPARSE_CAP],
    sparse_len: usize,
    resident: [u8; RESIDENT_CAP],
}

/// Where the memory is.
#[unsafe(link_section = "omnilink_state")]
static MAPPED: Global<Cell<u64>> = Global::new(Cell::new(0));

/// Maps the memory for what is saved; returns the first address above a stack in it.
pub fn map() -> Option<u64> {
    const AT_PAGESZ: core::ffi::c_ulong = 6;
    if sys::getauxval(AT_PAGESZ) as u64 != PAGE {
        return None;
    }
    let memory = sys::map_memory(size_of::<SavedMemory>())?;
    MAPPED.set(memory as u64);
    Some(memory as u64 + size_of::<SavedMemory>() as u64)
}

/// Where it is, which is not part of the program's state.
pub fn memory() -> Option<(u64, u64)> {
    let begin = MAPPED.get();
    (begin != 0).then_some((begin, begin + size_of::<SavedMemory>() as u64))
}

/// Saves all memory that the program can change, except for what is reset by other means. False if it is too much.
///
/// # Safety
/// Called on the stack from [`map`], while no other thread runs.
pub unsafe fn save() -> bool {
    let Some(mappings) = memory_map::writable() else {
        return false;
    };
    // SAFETY: only this function and `restore` use the pages, and they do not call each other.
    let Some(saved) = (unsafe { pages_mapped().as_mut() }) else {
        return false;
    };
    mappings.iter().all(|mapping| {
        let mapping = mapping.get();
        let mut at = mapping.from;
        while at < mapping.to {
            let (excluded_from, excluded_to) = next_excluded(at, mapping.to);
            // SAFETY: the range is mapped for reading and writing, and not that of the pages or of this stack.
            if !unsafe { saved.save_range(at, excluded_from, mapping) } {
                return false;
            }
            at = excluded_to;
        }
        true
    })
}

/// The pages; null if there are none. New memory of zeros is no pages, and the stack behind them has another owner.
fn pages_mapped() -> *mut SavedPages {
    MAPPED.get() as *mut SavedPages
}

/// The first part of `at..to` that is not saved.
fn next_excluded(at: u64, to: u64) -> (u64, u64) {
    let mut first = (to, to);
    let excluded = memory_map::tables()
        .chain(heap::memory())
        .chain(core::iter::once(threads::whole_pages()));
    for (from, until) in excluded {
        // What the system maps begins and ends with a page.
        let (from, until) = (from.max(at), until.next_multiple_of(PAGE).min(to));
        if from < until && from < first.0 {
            first = (from, until);
        }
    }
    first
}

/// Makes all memory as it was when it was saved. False if it is not known which pages are in use.
///
/// # Safety
/// Called on the stack from [`map`], while no other thread runs. Whoever is switched to afterwards goes on as of the time of [`save`].
pub unsafe fn restore() -> bool {
    // SAFETY: only this function and `save` use the pages. The memory that is written is mapped, and not that of the pages or of this
    // stack.
    unsafe { pages_mapped().as_mut().is_some_and(|saved| saved.restore()) }
}

fn pages(from: u64, to: u64) -> impl Iterator<Item = u64> {
    (from..to).step_by(PAGE as usize)
}

/// The content of a page.
///
/// # Safety
/// It is mapped for reading, and nobody changes it while the slice is used.
unsafe fn content<'a>(page: u64) -> &'a [u8] {
    // SAFETY: the caller's contract.
    unsafe { core::slice::from_raw_parts(page as *const u8, PAGE as usize) }
}

impl SavedPages {
    /// # Safety
    /// The range is mapped for reading and writing, and is not this memory.
    unsafe fn save_range(&mut self, from: u64, to: u64, mapping: Mapping) -> bool {
        if mapping.has_file || to - from <= DENSE_MAX {
            // SAFETY: the caller's contract.
            return pages(from, to).all(|page| unsafe { self.save_page(page) });
        }
        let first = self.len;
        let Some(range) = self.sparse.get_mut(self.sparse_len) else {
            return false;
        };
        *range = SparseRange { from, to, first };
        self.sparse_len += 1;
        self.for_each_resident(from, to, |saved, page| {
            // SAFETY: the caller's contract.
            unsafe { saved.save_page(page) }
        })
    }

    /// # Safety
    /// The page is mapped for reading, and is not this memory.
    unsafe fn save_page(&mut self, page: u64) -> bool {
        let (Some(address), Some(saved)) =
            (self.addresses.get_mut(self.len), self.contents.get_mut(self.len))
        else {
            return false;
        };
        *address = page;
        // SAFETY: the caller's contract; no other thread runs.
        saved.copy_from_slice(unsafe { content(page) });
        self.len += 1;
        true
    }

    /// Calls `visit` with the pages that are in use, until it says no. False then, and if the system does not tell.
    fn for_each_resident(
        &mut self,
        from: u64,
        to: u64,
        mut visit: impl FnMut(&mut Self, u64) -> bool,
    ) -> bool {
        let mut at = from;
        while at < to {
            let until = to.min(at + RESIDENT_CAP as u64 * PAGE);
            let resident = self.resident.as_mut_ptr();
            // SAFETY: it writes one byte for each page into the array, which has room for them.
            if unsafe { raw(number::MINCORE, [at as i64, (until - at) as i64, resident as i64]) } < 0 {
                return false;
            }
            for (index, page) in pages(at, until).enumerate() {
                let is_resident = self.resident.get(index).is_some_and(|flags| flags & 1 != 0);
                if is_resident && !visit(self, page) {
                    return false;
                }
            }
            at = until;
        }
        true
    }

    /// # Safety
    /// The pages that were saved are mapped for reading and writing, and no other thread runs.
    unsafe fn restore(&mut self) -> bool {
        for (&page, saved) in self.addresses.iter().zip(&self.contents).take(self.len) {
            // SAFETY: the caller's contract.
            unsafe { restore_page(page, saved) };
        }
        (0..self.sparse_len).all(|number| {
            let Some(&range) = self.sparse.get(number) else {
                return false;
            };
            let mut next = range.first;
            self.for_each_resident(range.from, range.to, |saved, page| {
                if next < saved.len && saved.addresses.get(next) == Some(&page) {
                    next += 1;
                } else {
                    // SAFETY: the caller's contract.
                    unsafe { restore_page(page, &ZEROS) };
                }
                true
            })
        })
    }
}

static ZEROS: [u8; PAGE as usize] = [0; PAGE as usize];

/// Writes a page if its content is another one.
///
/// # Safety
/// It is mapped for reading and writing, and no other thread runs.
unsafe fn restore_page(page: u64, saved: &[u8; PAGE as usize]) {
    // SAFETY: the caller's contract.
    unsafe {
        if content(page) != saved {
            core::ptr::copy_nonoverlapping(saved.as_ptr(), page as *mut u8, saved.len());
        }
    }
}
