//! Plain accesses: the functions that ThreadSanitizer's instrumentation calls where nothing is atomic.

use crate::rt::entry::{caller, is_controlled, me};
use crate::rt::scheduler::{access, mark_opaque, shared};
use crate::rt::spin::Yield;
use crate::rt::{heap, races};
use core::ffi::{c_int, c_void};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    ReadVolatile,
    WriteVolatile,
}

#[inline(always)]
unsafe fn plain(address: *const c_void, size: usize, kind: Kind) {
    if !is_controlled() {
        return;
    }
    let code = caller();
    let writes = matches!(kind, Kind::Write | Kind::WriteVolatile);
    if is_racy(code) {
        access(address as u64, writes, code, Yield::No);
        // The bytes may overlap those of an access with another address.
        mark_opaque(me());
    } else if (*shared()).plain_accesses != 0 {
        access(address as u64, writes, code, Yield::No);
    }
    heap::check(address as u64, size, code);
    let is_volatile = matches!(kind, Kind::ReadVolatile | Kind::WriteVolatile);
    races::plain(address as u64, size, writes, is_volatile, code);
}

/// Whether the access at `code` is a scheduling point because it took part in a race.
#[inline(always)]
unsafe fn is_racy(code: u64) -> bool {
    let shared = &*shared();
    let racy = shared
        .racy_accesses
        .iter()
        .take(shared.racy_accesses_len as usize);
    shared.racy_accesses_len != 0 && racy.into_iter().any(|&racy| racy == code)
}

pub unsafe extern "C" fn read<const SIZE: usize>(address: *const c_void) {
    plain(address, SIZE, Kind::Read);
}

pub unsafe extern "C" fn write<const SIZE: usize>(address: *const c_void) {
    plain(address, SIZE, Kind::Write);
}

pub unsafe extern "C" fn read_volatile<const SIZE: usize>(address: *const c_void) {
    plain(address, SIZE, Kind::ReadVolatile);
}

pub unsafe extern "C" fn write_volatile<const SIZE: usize>(address: *const c_void) {
    plain(address, SIZE, Kind::WriteVolatile);
}

pub unsafe extern "C" fn read_range(address: *const c_void, size: usize) {
    plain(address, size, Kind::Read);
}

pub unsafe extern "C" fn write_range(address: *const c_void, size: usize) {
    plain(address, size, Kind::Write);
}

pub unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    plain(from, length, Kind::Read);
    plain(to, length, Kind::Write);
    core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), length);
    to
}

pub unsafe extern "C" fn memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    plain(from, length, Kind::Read);
    plain(to, length, Kind::Write);
    core::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length);
    to
}

pub unsafe extern "C" fn memset(to: *mut c_void, value: c_int, length: usize) -> *mut c_void {
    plain(to, length, Kind::Write);
    core::ptr::write_bytes(to.cast::<u8>(), value as u8, length);
    to
}

/// An annotation that has no effect. Callers may pass arguments, and some expect 0 to be returned.
pub unsafe extern "C" fn nothing() -> usize {
    0
}
