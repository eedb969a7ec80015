//! Mappings of the component: `mmap`, `munmap`, `mremap`, `brk`.
//!
//! What was at an address before a mapping was made or ended concerned other objects: accesses, locks and stores there are
//! forgotten. The kernel orders the end of a mapping before the beginning of the next one at its address.

use crate::rt::entry::is_controlled;
use crate::rt::sys::real;
use crate::rt::{outside, races, weak_memory};
use core::ffi::{c_int, c_void};

/// The result of a function of this kind that failed.
const FAILED: usize = usize::MAX;
const MAP_SHARED: c_int = 1;

/// Memory was mapped, or is mapped no more.
fn changed(address: usize, length: usize) {
    const PAGE: u64 = 4096;
    if !is_controlled() || address == FAILED {
        return;
    }
    let (from, to) = (address as u64, (address as u64).saturating_add(length as u64));
    races::remapped(from, to.next_multiple_of(PAGE));
    weak_memory::remapped(from, to.next_multiple_of(PAGE));
}

/// `mmap64` too: offsets have 64 bits on the systems supported here.
pub unsafe extern "C" fn mmap(
    address: *mut c_void,
    length: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    // SAFETY: this has the contract of the function that it replaces.
    let mapped = unsafe {
        real!(
            mmap,
            fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void,
            address,
            length,
            protection,
            flags,
            file,
            offset
        )
    };
    changed(mapped as usize, length);
    if file >= 0 && flags & MAP_SHARED != 0 {
        outside::shared_memory(file);
    }
    mapped
}

pub unsafe extern "C" fn munmap(address: *mut c_void, length: usize) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    let result = unsafe { real!(munmap, fn(*mut c_void, usize) -> c_int, address, length) };
    if result == 0 {
        changed(address as usize, length);
    }
    result
}

/// The last argument is there with one flag only; it is passed on as it is.
pub unsafe extern "C" fn mremap(
    address: *mut c_void,
    old_length: usize,
    length: usize,
    flags: c_int,
    new_address: *mut c_void,
) -> *mut c_void {
    // SAFETY: this has the contract of the function that it replaces.
    let mapped = unsafe {
        real!(
            mremap,
            fn(*mut c_void, usize, usize, c_int, *mut c_void) -> *mut c_void,
            address,
            old_length,
            length,
            flags,
            new_address
        )
    };
    if mapped == address {
        // What was there and is there still keeps its history.
        let common = old_length.min(length);
        changed(address as usize + common, old_length.max(length) - common);
    } else if mapped as usize != FAILED {
        changed(address as usize, old_length);
        changed(mapped as usize, length);
    }
    mapped
}

/// The end of the data segment before and after it moved.
fn moved(before: usize, after: usize) {
    if before != FAILED && after != FAILED {
        changed(before.min(after), before.abs_diff(after));
    }
}

fn break_now() -> usize {
    // SAFETY: it moves nothing.
    unsafe { real!(sbrk, fn(isize) -> usize, 0) }
}

pub unsafe extern "C" fn sbrk(increment: isize) -> *mut c_void {
    // SAFETY: this has the contract of the function that it replaces.
    let before = unsafe { real!(sbrk, fn(isize) -> usize, increment) };
    if increment != 0 {
        moved(before, before.wrapping_add_signed(increment));
    }
    before as *mut c_void
}

pub unsafe extern "C" fn brk(address: *mut c_void) -> c_int {
    let before = break_now();
    // SAFETY: this has the contract of the function that it replaces.
    let result = unsafe { real!(brk, fn(*mut c_void) -> c_int, address) };
    moved(before, break_now());
    result
}
