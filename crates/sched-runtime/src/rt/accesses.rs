//! Plain accesses: the functions that ThreadSanitizer's instrumentation calls where nothing is atomic.
//!
//! They take an address and look at what is known of it. Those that are unsafe make the access themselves.

use crate::rt::entry::{is_controlled, load_address, me};
use crate::rt::scheduler::{access, mark_opaque, shared};
use crate::rt::spin::Yield;
use crate::rt::{heap, races, wide_write};
use core::ffi::{c_int, c_void};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    ReadVolatile,
    WriteVolatile,
}

/// The fast path, which most accesses of whole programs take, is a leaf function.
#[inline(always)]
fn plain(address: *const c_void, size: usize, kind: Kind, caller: u64) {
    if is_controlled() && (has_scheduling_points() || heap::is_checked(address as u64) || races::is_on()) {
        plain_slow(address as u64, size, kind, caller.wrapping_sub(load_address()));
    }
}

/// Whether some plain accesses are scheduling points.
#[inline(always)]
fn has_scheduling_points() -> bool {
    shared().racy_accesses_len.get() != 0 || shared().plain_accesses.get() != 0
}

#[inline(never)]
fn plain_slow(address: u64, size: usize, kind: Kind, code: u64) {
    let writes = matches!(kind, Kind::Write | Kind::WriteVolatile);
    if shared().racy_accesses_len.get() != 0 && is_racy(code) {
        access(address, writes, code, Yield::No);
        // The bytes may overlap those of an access with another address.
        mark_opaque(me());
        wide_write::begin(address, size, writes, code);
    } else if shared().plain_accesses.get() != 0 {
        access(address, writes, code, Yield::No);
        wide_write::begin(address, size, writes, code);
    }
    heap::check(address, size, code);
    let is_volatile = matches!(kind, Kind::ReadVolatile | Kind::WriteVolatile);
    races::plain(address, size, writes, is_volatile, code);
}

/// Whether the access at `code` is a scheduling point because it took part in a race.
fn is_racy(code: u64) -> bool {
    let shared = shared();
    let len = shared.racy_accesses_len.get() as usize;
    shared
        .racy_accesses
        .iter()
        .take(len)
        .any(|racy| racy.get() == code)
}

pub extern "C" fn read<const SIZE: usize>(address: *const c_void, caller: u64) {
    plain(address, SIZE, Kind::Read, caller);
}

pub extern "C" fn write<const SIZE: usize>(address: *const c_void, caller: u64) {
    plain(address, SIZE, Kind::Write, caller);
}

pub extern "C" fn read_volatile<const SIZE: usize>(address: *const c_void, caller: u64) {
    plain(address, SIZE, Kind::ReadVolatile, caller);
}

pub extern "C" fn write_volatile<const SIZE: usize>(address: *const c_void, caller: u64) {
    plain(address, SIZE, Kind::WriteVolatile, caller);
}

pub extern "C" fn read_range(address: *const c_void, size: usize, caller: u64) {
    plain(address, size, Kind::Read, caller);
}

pub extern "C" fn write_range(address: *const c_void, size: usize, caller: u64) {
    plain(address, size, Kind::Write, caller);
}

pub unsafe extern "C" fn memcpy(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
    caller: u64,
) -> *mut c_void {
    plain(from, length, Kind::Read, caller);
    plain(to, length, Kind::Write, caller);
    // SAFETY: this has the contract of `memcpy`.
    unsafe { core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), length) };
    to
}

pub unsafe extern "C" fn memmove(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
    caller: u64,
) -> *mut c_void {
    plain(from, length, Kind::Read, caller);
    plain(to, length, Kind::Write, caller);
    // SAFETY: this has the contract of `memmove`.
    unsafe { core::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length) };
    to
}

pub unsafe extern "C" fn memset(to: *mut c_void, value: c_int, length: usize, caller: u64) -> *mut c_void {
    plain(to, length, Kind::Write, caller);
    // SAFETY: this has the contract of `memset`.
    unsafe { core::ptr::write_bytes(to.cast::<u8>(), value as u8, length) };
    to
}

/// An annotation that has no effect. Callers may pass arguments, and some expect 0 to be returned.
pub extern "C" fn nothing() -> usize {
    0
}
