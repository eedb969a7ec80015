//! The component's heap: memory that was given back is never given out again, and every block has a gap around it.
//!
//! An execution is short, so that nothing has to be reused: an access to freed memory, or behind the end of a block, is found
//! at the access, and not by what may come of it. Each thread allocates from a part of its own, so that where a block lies
//! does not depend on the schedule. Where a part is used up, the C library allocates, and such blocks are not watched.

use crate::baton::{self, shared};
use crate::calls;
use crate::layout::{NOBODY, THREADS_CAP, ending, memory_error};
use crate::races;
use crate::sys;
use crate::threads::{is_controlled, me};
use core::ffi::{c_int, c_void};

const PART: u64 = 16 << 20;
const SIZE: u64 = PART * THREADS_CAP as u64;
/// Before each block; holds the [`Header`].
const GAP: u64 = 64;
/// New and freed memory is filled with these: who counts on its content gets nonsense.
const NEW: u8 = 0x5a;
const FREED: u8 = 0xa5;

#[unsafe(link_section = "omnilink_state")]
static mut BEGIN: u64 = 0;
/// One byte for each eight: how many of them may be accessed, or one of the following.
#[unsafe(link_section = "omnilink_state")]
static mut SHADOW: *mut u8 = core::ptr::null_mut();
#[unsafe(link_section = "omnilink_state")]
static mut USED: [u64; THREADS_CAP] = [0; THREADS_CAP];

const SHADOW_UNUSED: u8 = 0;
const SHADOW_FREED: u8 = 9;

/// The states of a block, which nothing else looks like.
const LIVE: u64 = 0x6f6d_6e69_6c69_7665;
const GIVEN_BACK: u64 = 0x6f6d_6e69_6465_6164;

#[repr(C)]
struct Header {
    size: u64,
    state: u64,
    allocated: u64,
    freed: u64,
}

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

/// Takes the memory from which the threads of an execution allocate.
pub unsafe fn prepare() {
    const PROT_READ_WRITE: c_int = 3;
    const MAP_PRIVATE_ANONYMOUS_NORESERVE: c_int = 0x4022;
    unsafe {
        let flags = MAP_PRIVATE_ANONYMOUS_NORESERVE;
        let size = (SIZE + SIZE / 8) as usize;
        let memory = sys::mmap(core::ptr::null_mut(), size, PROT_READ_WRITE, flags, -1, 0);
        if memory as isize != -1 {
            BEGIN = memory as u64;
            SHADOW = memory.cast::<u8>().add(SIZE as usize);
        }
    }
}

/// Of the memory that was taken, what the program does not use: the part of each thread behind its last block, and the shadow.
pub fn unused() -> impl Iterator<Item = (u64, u64)> {
    let begin = unsafe { BEGIN };
    let parts = (0..THREADS_CAP as u64).map(move |part| {
        let used = unsafe { USED.get(part as usize).copied().unwrap_or(0) };
        (begin + part * PART + used, begin + (part + 1) * PART)
    });
    let shadow = (begin + SIZE, begin + SIZE + SIZE / 8);
    parts.chain(core::iter::once(shadow)).filter(move |_| begin != 0)
}

#[inline(always)]
fn is_watched(address: u64) -> bool {
    unsafe { BEGIN != 0 && address.wrapping_sub(BEGIN) < SIZE }
}

unsafe fn shadow(address: u64) -> *mut u8 {
    unsafe { SHADOW.add(((address - BEGIN) >> 3) as usize) }
}

unsafe fn header(block: u64) -> *mut Header {
    (block - GAP) as *mut Header
}

/// A block of the calling thread's part; none if nobody watches, or the part is used up.
unsafe fn take(size: usize, alignment: usize) -> Option<*mut u8> {
    unsafe {
        if BEGIN == 0 || me() == NOBODY {
            return None;
        }
        let part = me() as usize & (THREADS_CAP - 1);
        let begin = BEGIN + part as u64 * PART;
        let used = &mut (*(&raw mut USED))[part];
        let block = (begin + *used + GAP).next_multiple_of(alignment.max(16) as u64);
        let end = block.checked_add((size as u64).max(1))?.checked_next_multiple_of(16)?;
        // The next block begins with a gap; behind the last one there is a rest that nobody may access either.
        if end + GAP > begin + PART {
            return None;
        }
        *used = end - begin;
        header(block).write(Header { size: size as u64, state: LIVE, allocated: calls::here(), freed: 0 });
        let bytes = shadow(block);
        bytes.write_bytes(8, size / 8);
        if size % 8 != 0 {
            bytes.add(size / 8).write((size % 8) as u8);
        }
        races::forget(block, size);
        Some(block as *mut u8)
    }
}

unsafe fn give_back(block: u64) {
    unsafe {
        let head = header(block);
        let is_aligned = block % 16 == 0 && block >= BEGIN + GAP && *shadow(block - 8) == SHADOW_UNUSED;
        if !is_aligned || ((*head).state != LIVE && (*head).state != GIVEN_BACK) {
            fail(memory_error::BAD_FREE, block, calls::here(), 0);
        }
        if (*head).state == GIVEN_BACK {
            fail(memory_error::DOUBLE_FREE, block, calls::here(), block);
        }
        (*head).state = GIVEN_BACK;
        // Where threads are switched at plain accesses, it matters whether those come before or after this.
        if ((*shared()).plain != 0 || (*shared()).places_len != 0) && is_controlled() {
            baton::mark_opaque(me());
        }
        races::freed(block, (*head).size as usize, calls::here());
        (*head).freed = calls::here();
        let size = (*head).size as usize;
        (block as *mut u8).write_bytes(FREED, size);
        shadow(block).write_bytes(SHADOW_FREED, size.div_ceil(8));
    }
}

/// An access of the component.
#[inline(always)]
pub unsafe fn check(address: u64, size: usize, code: u64) {
    unsafe {
        if is_watched(address) {
            check_watched(address, size, code);
        }
    }
}

unsafe fn check_watched(address: u64, size: usize, code: u64) {
    unsafe {
        let end = address + size as u64;
        let mut at = address;
        while at < end && is_watched(at) {
            let last = (end - (at & !7)).min(8) as u8;
            match *shadow(at) {
                SHADOW_FREED => fail(memory_error::USE_AFTER_FREE, at, code, block_of(at)),
                bytes if bytes < last => fail(memory_error::OUT_OF_BOUNDS, at, code, block_of(at)),
                _ => {}
            }
            at = (at & !7) + 8;
        }
    }
}

/// The block that an address lies in or behind; 0 if there is none.
unsafe fn block_of(address: u64) -> u64 {
    unsafe {
        let part = BEGIN + (address - BEGIN) / PART * PART;
        let mut at = address & !15;
        // Before a block there is a gap of unused bytes, before which there may be others.
        while at >= part + GAP {
            if *shadow(at) != SHADOW_UNUSED && *shadow(at - 8) == SHADOW_UNUSED {
                return at;
            }
            at -= 16;
        }
        0
    }
}

unsafe fn fail(what: u32, address: u64, code: u64, block: u64) -> ! {
    unsafe {
        let error = &mut (*shared()).memory_error;
        *error = core::mem::zeroed();
        error.kind = what;
        error.code = code;
        error.address = address;
        if block != 0 {
            let head = &*header(block);
            error.size = head.size;
            error.offset = address.wrapping_sub(block) as i64;
            error.allocated = head.allocated;
            error.freed = head.freed;
        }
        baton::end(ending::MEMORY_ERROR, 0)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    unsafe {
        match take(size, 16) {
            Some(block) => {
                block.write_bytes(NEW, size);
                block.cast()
            }
            None => __libc_malloc(size),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    unsafe {
        // Memory of a part is used once, and is zero before that.
        match count.checked_mul(size).and_then(|size| take(size, 16)) {
            Some(block) => block.cast(),
            None => __libc_calloc(count, size),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    unsafe {
        if block.is_null() {
            return malloc(size);
        }
        if !is_watched(block as u64) {
            return __libc_realloc(block, size);
        }
        if (*header(block as u64)).state == GIVEN_BACK {
            fail(memory_error::DOUBLE_FREE, block as u64, calls::here(), block as u64);
        }
        let new = malloc(size);
        if !new.is_null() {
            let length = size.min((*header(block as u64)).size as usize);
            core::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), length);
            give_back(block as u64);
        }
        new
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    unsafe {
        match is_watched(block as u64) {
            true => give_back(block as u64),
            false => __libc_free(block),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    unsafe {
        match take(size, alignment) {
            Some(block) => {
                block.write_bytes(NEW, size);
                block.cast()
            }
            None => __libc_memalign(alignment, size),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    unsafe { memalign(alignment, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    const EINVAL: c_int = 22;
    const ENOMEM: c_int = 12;
    unsafe {
        if !alignment.is_power_of_two() || alignment < size_of::<usize>() {
            return EINVAL;
        }
        let block = memalign(alignment, size);
        if block.is_null() {
            return ENOMEM;
        }
        *place = block;
        0
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    unsafe {
        match is_watched(block as u64) {
            true => (*header(block as u64)).size as usize,
            false => sys::real!("malloc_usable_size", fn(*mut c_void) -> usize, block),
        }
    }
}
