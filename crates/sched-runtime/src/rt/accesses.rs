//! The functions that ThreadSanitizer's instrumentation calls where nothing is atomic.

use crate::baton::{access, mark_opaque, shared};
use crate::code::caller;
use crate::heap;
use crate::races;
use crate::spin::Yield;
use crate::threads::{is_controlled, me};
use core::ffi::{c_int, c_void};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plainly {
    Reads,
    Writes,
    ReadsVolatile,
    WritesVolatile,
}

#[inline(always)]
unsafe fn plain(address: *const c_void, size: usize, how: Plainly, code: u64) {
    unsafe {
        if !is_controlled() {
            return;
        }
        let writes = matches!(how, Plainly::Writes | Plainly::WritesVolatile);
        if is_place(code) {
            access(address as u64, writes, code, Yield::No);
            // Its bytes may lie across those of other accesses, whatever the address is.
            mark_opaque(me());
        } else if (*shared()).plain != 0 {
            access(address as u64, writes, code, Yield::No);
        }
        heap::check(address as u64, size, code);
        let is_volatile = matches!(how, Plainly::ReadsVolatile | Plainly::WritesVolatile);
        races::plain(address as u64, size, writes, is_volatile, code);
    }
}

/// Whether threads are switched at this place because a race was seen there.
#[inline(always)]
unsafe fn is_place(code: u64) -> bool {
    unsafe {
        let shared = &*shared();
        shared.places_len != 0 && shared.places.iter().take(shared.places_len as usize).any(|&place| place == code)
    }
}

macro_rules! plain_access {
    ($($how:ident $($name:ident $size:literal)*;)*) => { $($(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(address: *const c_void) {
            unsafe { plain(address, $size, Plainly::$how, caller()) };
        }
    )*)* };
}

plain_access! {
    Reads __tsan_read1 1 __tsan_read2 2 __tsan_read4 4 __tsan_read8 8 __tsan_read16 16
        __tsan_unaligned_read2 2 __tsan_unaligned_read4 4 __tsan_unaligned_read8 8 __tsan_unaligned_read16 16
        __tsan_vptr_read 8;
    Writes __tsan_write1 1 __tsan_write2 2 __tsan_write4 4 __tsan_write8 8 __tsan_write16 16
        __tsan_read_write1 1 __tsan_read_write2 2 __tsan_read_write4 4 __tsan_read_write8 8 __tsan_read_write16 16
        __tsan_unaligned_write2 2 __tsan_unaligned_write4 4 __tsan_unaligned_write8 8 __tsan_unaligned_write16 16
        __tsan_unaligned_read_write2 2 __tsan_unaligned_read_write4 4 __tsan_unaligned_read_write8 8
        __tsan_unaligned_read_write16 16;
    ReadsVolatile __tsan_volatile_read1 1 __tsan_volatile_read2 2 __tsan_volatile_read4 4 __tsan_volatile_read8 8
        __tsan_volatile_read16 16 __tsan_unaligned_volatile_read2 2 __tsan_unaligned_volatile_read4 4
        __tsan_unaligned_volatile_read8 8 __tsan_unaligned_volatile_read16 16;
    WritesVolatile __tsan_volatile_write1 1 __tsan_volatile_write2 2 __tsan_volatile_write4 4
        __tsan_volatile_write8 8 __tsan_volatile_write16 16 __tsan_unaligned_volatile_write2 2
        __tsan_unaligned_volatile_write4 4 __tsan_unaligned_volatile_write8 8 __tsan_unaligned_volatile_write16 16;
}

macro_rules! plain_access_by {
    ($($how:ident $($name:ident $size:literal)*;)*) => { $($(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(address: *const c_void, _by: *const c_void) {
            unsafe { plain(address, $size, Plainly::$how, caller()) };
        }
    )*)* };
}

// The second parameter is the new value or a place in the code.
plain_access_by! {
    Writes __tsan_vptr_update 8 __tsan_write1_pc 1 __tsan_write2_pc 2 __tsan_write4_pc 4 __tsan_write8_pc 8
        __tsan_write16_pc 16;
    Reads __tsan_read1_pc 1 __tsan_read2_pc 2 __tsan_read4_pc 4 __tsan_read8_pc 8 __tsan_read16_pc 16;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_read_range(address: *const c_void, size: usize) {
    unsafe { plain(address, size, Plainly::Reads, caller()) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_write_range(address: *const c_void, size: usize) {
    unsafe { plain(address, size, Plainly::Writes, caller()) };
}

macro_rules! nothing {
    ($($name:ident($($argument:ident),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: usize),*) { let _ = ($($argument,)*); }
    )* };
}

nothing! {
    __tsan_init();
    __tsan_ignore_thread_begin(); __tsan_ignore_thread_end();
    __tsan_acquire(address); __tsan_release(address);
    __tsan_mutex_create(address, flags); __tsan_mutex_destroy(address, flags);
    __tsan_mutex_pre_lock(address, flags); __tsan_mutex_post_lock(address, flags, recursion);
    __tsan_mutex_post_unlock(address, flags);
    __tsan_mutex_pre_signal(address, flags); __tsan_mutex_post_signal(address, flags);
    __tsan_mutex_pre_divert(address, flags); __tsan_mutex_post_divert(address, flags);
    __tsan_flush_memory(); __tsan_destroy_fiber(fiber); __tsan_switch_to_fiber(fiber, flags);
    __tsan_set_fiber_name(fiber, name);
    AnnotateHappensBefore(file, line, address); AnnotateHappensAfter(file, line, address);
    AnnotateIgnoreReadsBegin(file, line); AnnotateIgnoreReadsEnd(file, line);
    AnnotateIgnoreWritesBegin(file, line); AnnotateIgnoreWritesEnd(file, line);
    AnnotateIgnoreSyncBegin(file, line); AnnotateIgnoreSyncEnd(file, line);
    AnnotateRWLockCreate(file, line, lock); AnnotateRWLockCreateStatic(file, line, lock);
    AnnotateRWLockDestroy(file, line, lock);
    AnnotateRWLockAcquired(file, line, lock, writing); AnnotateRWLockReleased(file, line, lock, writing);
    AnnotateNewMemory(file, line, address, size); AnnotateBenignRace(file, line, address, what);
    AnnotateBenignRaceSized(file, line, address, size, what);
    AnnotateThreadName(file, line, name);
}

macro_rules! zero {
    ($($name:ident($($argument:ident),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: usize),*) -> usize { let _ = ($($argument,)*); 0 }
    )* };
}

zero! {
    __tsan_mutex_pre_unlock(address, flags);
    __tsan_get_current_fiber(); __tsan_create_fiber(flags);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    unsafe {
        plain(from, length, Plainly::Reads, caller());
        plain(to, length, Plainly::Writes, caller());
        core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), length);
    }
    to
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    unsafe {
        plain(from, length, Plainly::Reads, caller());
        plain(to, length, Plainly::Writes, caller());
        core::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length);
    }
    to
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memset(to: *mut c_void, value: c_int, length: usize) -> *mut c_void {
    unsafe {
        plain(to, length, Plainly::Writes, caller());
        core::ptr::write_bytes(to.cast::<u8>(), value as u8, length);
    }
    to
}
