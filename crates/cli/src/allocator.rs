//! Where memory comes from: mimalloc, by its short way.
//!
//! Interning and memoising allocate many small things on several threads, and mimalloc is faster at that than most systems'
//! own allocators. The crate `mimalloc` asks it for aligned memory each time. For sizes that are no power of two that is
//! the long way whenever a page is full: more bytes are taken than are needed, and a place that fits is found in them.
//! What nearly everybody asks for, eight bytes or less, every block has anyway.

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys as mi;

/// mimalloc.
pub(crate) struct Allocator;

/// Blocks are multiples of a machine word, and begin at one.
const EVERY_BLOCK: usize = align_of::<usize>();

/// Reserves less at a time than mimalloc would: what it writes down about a gigabyte takes a sixth of a megabyte, most of which a
/// short job would touch for nothing. To be called before the first allocation, which only Linux lets us do.
#[cfg(target_os = "linux")]
pub(crate) fn reserve_little() {
    use std::ffi::{c_int, c_long};

    unsafe extern "C" {
        fn mi_option_get(option: c_int) -> c_long;
        fn mi_option_set(option: c_int, value: c_long);
    }
    /// How many KiB are reserved at a time, as mimalloc numbers its options, and what it does unless told otherwise.
    const ARENA_RESERVE: c_int = 23;
    const DEFAULT: c_long = 1 << 20;
    const LITTLE: c_long = 1 << 17;

    // SAFETY: options are plain numbers that mimalloc reads when it next reserves memory, and there is no other thread yet. Should
    // a version number its options differently, the default is not the one that is expected, and nothing is changed.
    unsafe {
        if mi_option_get(ARENA_RESERVE) == DEFAULT {
            mi_option_set(ARENA_RESERVE, LITTLE);
        }
    }
}

// SAFETY: all memory comes from mimalloc and goes back to it, and `mi_free` takes what either way of allocating gave. Blocks
// that are asked for without alignment are aligned to a machine word (mimalloc's size classes count in words, and its
// pages begin at multiples of more), which is enough for who needs no more. mimalloc gives null for what it cannot
// give, and `realloc` then leaves the old block alone, as the contract says.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size may be asked for; the alignment of a layout is a power of two.
        unsafe {
            match layout.align() <= EVERY_BLOCK {
                true => mi::mi_malloc(layout.size()).cast(),
                false => mi::mi_malloc_aligned(layout.size(), layout.align()).cast(),
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe {
            match layout.align() <= EVERY_BLOCK {
                true => mi::mi_zalloc(layout.size()).cast(),
                false => mi::mi_zalloc_aligned(layout.size(), layout.align()).cast(),
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: the caller has the block from this allocator, and gives it back once.
        unsafe { mi::mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller has the block from this allocator with the alignment of `layout`, which the new one gets too.
        unsafe {
            match layout.align() <= EVERY_BLOCK {
                true => mi::mi_realloc(block.cast(), size).cast(),
                false => mi::mi_realloc_aligned(block.cast(), size, layout.align()).cast(),
            }
        }
    }
}
