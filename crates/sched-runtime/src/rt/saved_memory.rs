//! The memory of the process at one moment, and its restoration.
//!
//! A page is restored if it differs from what was saved. Comparing costs less than having the system tell which pages were written:
//! a small program has some hundred pages, and one fault costs as much as comparing ten.

use crate::rt::memory_map::{self, Mapping};
use crate::rt::sys::{self, number, raw};
use crate::rt::{heap, threads};

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
    contents: [[u8; PAGE as usize]; PAGES_CAP],
    addresses: [u64; PAGES_CAP],
    pages: usize,
    sparse: [SparseRange; SPARSE_CAP],
    sparse_len: usize,
    resident: [u8; RESIDENT_CAP],
    /// The stack on which memory is saved and restored.
    stack: [u8; STACK_BYTES],
}

#[unsafe(link_section = "omnilink_state")]
static mut SAVED: *mut SavedMemory = core::ptr::null_mut();

/// Maps the memory for what is saved; returns the first address above a stack in it.
pub unsafe fn map() -> Option<u64> {
    const AT_PAGESZ: core::ffi::c_ulong = 6;
    if sys::getauxval(AT_PAGESZ) as u64 != PAGE {
        return None;
    }
    SAVED = sys::map_memory(size_of::<SavedMemory>())?.cast();
    Some((&raw mut (*SAVED).stack).add(1) as u64)
}

/// Where it is, which is not part of the program's state.
pub unsafe fn memory() -> Option<(u64, u64)> {
    let begin = SAVED as u64;
    (begin != 0).then_some((begin, begin + size_of::<SavedMemory>() as u64))
}

/// Saves all memory that the program can change, except for what is reset by other means. Called on the stack from [`map`]. False if it
/// is too much.
pub unsafe fn save() -> bool {
    let Some(mappings) = memory_map::writable() else {
        return false;
    };
    for mapping in mappings {
        let mut at = mapping.from;
        while at < mapping.to {
            let (excluded_from, excluded_to) = next_excluded(at, mapping.to);
            if !save_range(at, excluded_from, mapping) {
                return false;
            }
            at = excluded_to;
        }
    }
    true
}

/// The first part of `at..to` that is not saved.
unsafe fn next_excluded(at: u64, to: u64) -> (u64, u64) {
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

unsafe fn save_range(from: u64, to: u64, mapping: &Mapping) -> bool {
    let saved = &mut *SAVED;
    if mapping.has_file || to - from <= DENSE_MAX {
        return pages(from, to).all(|page| save_page(page));
    }
    let Some(range) = saved.sparse.get_mut(saved.sparse_len) else {
        return false;
    };
    *range = SparseRange {
        from,
        to,
        first: saved.pages,
    };
    saved.sparse_len += 1;
    let mut fits = true;
    let is_known = for_each_resident(from, to, |page| fits &= save_page(page));
    is_known && fits
}

fn pages(from: u64, to: u64) -> impl Iterator<Item = u64> {
    (from..to).step_by(PAGE as usize)
}

unsafe fn save_page(page: u64) -> bool {
    let saved = &mut *SAVED;
    let (Some(address), Some(content)) = (
        saved.addresses.get_mut(saved.pages),
        saved.contents.get_mut(saved.pages),
    ) else {
        return false;
    };
    *address = page;
    core::ptr::copy_nonoverlapping(page as *const u8, content.as_mut_ptr(), content.len());
    saved.pages += 1;
    true
}

/// Calls `visit` with the pages that are in use. False if the system does not tell.
unsafe fn for_each_resident(from: u64, to: u64, mut visit: impl FnMut(u64)) -> bool {
    let resident = (&raw mut (*SAVED).resident).cast::<u8>();
    let mut at = from;
    while at < to {
        let until = to.min(at + RESIDENT_CAP as u64 * PAGE);
        if raw(number::MINCORE, [at as i64, (until - at) as i64, resident as i64]) < 0 {
            return false;
        }
        for (index, page) in pages(at, until).enumerate() {
            if *resident.add(index) & 1 != 0 {
                visit(page);
            }
        }
        at = until;
    }
    true
}

/// Makes all memory as it was when it was saved. False if it is not known which pages are in use.
pub unsafe fn restore() -> bool {
    let saved = &*SAVED;
    for (&page, content) in saved.addresses.iter().zip(&saved.contents).take(saved.pages) {
        let now = page as *mut [u8; PAGE as usize];
        if *now != *content {
            *now = *content;
        }
    }
    let ranges = saved.sparse.iter().take(saved.sparse_len);
    ranges.into_iter().all(|range| {
        let mut next = range.first;
        for_each_resident(range.from, range.to, |page| {
            if next < saved.pages && saved.addresses.get(next) == Some(&page) {
                next += 1;
                return;
            }
            let now = &mut *(page as *mut [u8; PAGE as usize]);
            if now.iter().any(|&byte| byte != 0) {
                now.fill(0);
            }
        })
    })
}
