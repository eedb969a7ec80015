//! The component's heap: freed memory is never reused, and every block has a gap around it.
//!
//! An execution is short, so nothing has to be reused. An access to freed memory, or outside of a block, is found at the access
//! itself. Each thread allocates from an arena of its own, so that the address of a block does not depend on the schedule. When
//! an arena is full, the C library allocates, and such blocks are not checked.

use crate::layout::{MemoryErrorRecord, NO_THREAD, THREADS_CAP, ending, memory_error};
use crate::rt::call_stack::innermost_call;
use crate::rt::crash_stack;
use crate::rt::entry::{is_controlled, me};
use crate::rt::races;
use crate::rt::saved_memory::PAGE;
use crate::rt::scheduler::{self, shared};
use crate::rt::sys::{self, map_memory, real};
use core::ffi::{c_int, c_void};

const ARENA_BYTES: u64 = 16 << 20;
const HEAP_BYTES: u64 = ARENA_BYTES * THREADS_CAP as u64;
/// Before each block; holds the [`Header`].
const GAP: u64 = 64;
/// New and freed memory is filled with these bytes, so that a program that relies on its content misbehaves.
const NEW: u8 = 0x5a;
const FREED: u8 = 0xa5;

#[unsafe(link_section = "omnilink_state")]
static mut BEGIN: u64 = 0;
/// One byte for each eight of the heap: how many of them may be accessed, or a `SHADOW_…` value.
#[unsafe(link_section = "omnilink_state")]
static mut SHADOW: *mut u8 = core::ptr::null_mut();
/// The bytes of each arena that are in use.
#[unsafe(link_section = "omnilink_state")]
static mut USED: [u64; THREADS_CAP] = [0; THREADS_CAP];

const SHADOW_UNUSED: u8 = 0;
const SHADOW_FREED: u8 = 9;

/// The states of a block: values that other data is unlikely to have.
const STATE_LIVE: u64 = 0x6f6d_6e69_6c69_7665;
const STATE_FREED: u64 = 0x6f6d_6e69_6465_6164;
/// Live, and something points to it.
const STATE_REACHED: u64 = 0x6f6d_6e69_7365_656e;

#[repr(C)]
struct Header {
    size: u64,
    state: u64,
    allocated: u64,
    freed: u64,
    /// The block that was reached before this one, or 0.
    reached_before: u64,
}

/// The last block that was reached and whose content was not looked at, or 0.
#[unsafe(link_section = "omnilink_state")]
static mut REACHED: u64 = 0;

/// Blocks that nothing points to.
pub struct Leaks {
    pub blocks: u64,
    /// The first one.
    pub first: u64,
    pub first_size: u64,
    pub first_allocated: u64,
}

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

/// Maps the memory from which the threads of an execution allocate.
pub unsafe fn map() {
    if let Some(memory) = map_memory((HEAP_BYTES + HEAP_BYTES / 8) as usize) {
        BEGIN = memory as u64;
        SHADOW = memory.add(HEAP_BYTES as usize);
    }
}

/// Makes the heap as it was when it was mapped. Its end that was not in use is zero: an execution ends at a write outside of a block,
/// and code that is not instrumented has a page to go too far.
pub unsafe fn reset() {
    for arena in 0..THREADS_CAP {
        let begin = BEGIN + arena as u64 * ARENA_BYTES;
        let used = (*(&raw const USED)).get(arena).copied().unwrap_or(0);
        if used != 0 {
            let length = (used.next_multiple_of(8 * PAGE) + PAGE).min(ARENA_BYTES);
            sys::clear(begin, length);
            sys::clear(shadow(begin) as u64, length.next_multiple_of(8 * PAGE) / 8);
        }
    }
}

/// Ranges of the heap that are not part of the program's state: the unused end of each arena, and the shadow.
pub unsafe fn unused() -> impl Iterator<Item = (u64, u64)> {
    let begin = BEGIN;
    let arenas = (0..THREADS_CAP).map(move |arena| {
        let arena_begin = begin + arena as u64 * ARENA_BYTES;
        let used = (*(&raw const USED)).get(arena).copied().unwrap_or(0);
        (arena_begin + used, arena_begin + ARENA_BYTES)
    });
    let shadow = (begin + HEAP_BYTES, begin + HEAP_BYTES + HEAP_BYTES / 8);
    arenas.chain(core::iter::once(shadow)).filter(move |_| begin != 0)
}

/// The heap and its shadow.
pub unsafe fn memory() -> Option<(u64, u64)> {
    (BEGIN != 0).then_some((BEGIN, BEGIN + HEAP_BYTES + HEAP_BYTES / 8))
}

/// If the word is an address inside of a block, that block is reached.
pub unsafe fn reach(word: u64) {
    if !is_checked(word) {
        return;
    }
    let block = block_of(word);
    if block == 0 {
        return;
    }
    let head = header(block);
    // An address just behind a block, as of an empty slice, is of no use to reach it.
    if (*head).state == STATE_LIVE && word < block + (*head).size.max(1) {
        (*head).state = STATE_REACHED;
        (*head).reached_before = REACHED;
        REACHED = block;
    }
}

/// The content of a block that was reached and not looked at before.
pub unsafe fn next_reached() -> Option<(u64, u64)> {
    let block = REACHED;
    if block == 0 {
        return None;
    }
    let head = &*header(block);
    REACHED = head.reached_before;
    Some((block, block + head.size))
}

/// The live blocks that were not reached.
pub unsafe fn unreached() -> Option<Leaks> {
    let mut leaks: Option<Leaks> = None;
    for arena in 0..THREADS_CAP {
        let begin = BEGIN + arena as u64 * ARENA_BYTES;
        let end = begin + (*(&raw const USED)).get(arena).copied().unwrap_or(0);
        let mut at = begin + GAP;
        while at < end {
            let is_block = *shadow(at) != SHADOW_UNUSED && *shadow(at - 8) == SHADOW_UNUSED;
            let head = &*header(at);
            if is_block && head.state == STATE_LIVE {
                leaks
                    .get_or_insert(Leaks {
                        blocks: 0,
                        first: at,
                        first_size: head.size,
                        first_allocated: head.allocated,
                    })
                    .blocks += 1;
            }
            at += 16;
        }
    }
    leaks
}

/// A block that is never freed on purpose.
pub unsafe fn keep(block: *mut c_void) {
    if is_checked(block as u64) {
        (*header(block as u64)).state = STATE_REACHED;
    }
}

#[inline(always)]
pub unsafe fn is_checked(address: u64) -> bool {
    BEGIN != 0 && address.wrapping_sub(BEGIN) < HEAP_BYTES
}

/// Whether an address is in a block that was freed.
pub unsafe fn is_freed(address: u64) -> bool {
    is_checked(address) && *shadow(address) == SHADOW_FREED
}

unsafe fn shadow(address: u64) -> *mut u8 {
    SHADOW.add(((address - BEGIN) >> 3) as usize)
}

unsafe fn header(block: u64) -> *mut Header {
    (block - GAP) as *mut Header
}

/// A block of the calling thread's arena; none if the thread is not controlled or the arena is full.
unsafe fn allocate(size: usize, alignment: usize) -> Option<*mut u8> {
    if BEGIN == 0 || me() == NO_THREAD {
        return None;
    }
    let arena = me() as usize & (THREADS_CAP - 1);
    let begin = BEGIN + arena as u64 * ARENA_BYTES;
    let used = &mut (*(&raw mut USED))[arena];
    let block = (begin + *used + GAP).next_multiple_of(alignment.max(16) as u64);
    let end = block
        .checked_add((size as u64).max(1))?
        .checked_next_multiple_of(16)?;
    // The next block begins with a gap, and the last one is followed by one.
    if end + GAP > begin + ARENA_BYTES {
        return None;
    }
    *used = end - begin;
    header(block).write(Header {
        size: size as u64,
        state: STATE_LIVE,
        allocated: innermost_call(),
        freed: 0,
        reached_before: 0,
    });
    let bytes = shadow(block);
    bytes.write_bytes(8, size / 8);
    if !size.is_multiple_of(8) {
        bytes.add(size / 8).write((size % 8) as u8);
    }
    races::allocated(block, size);
    Some(block as *mut u8)
}

unsafe fn release(block: u64) {
    let head = header(block);
    let is_aligned = block.is_multiple_of(16) && block >= BEGIN + GAP && *shadow(block - 8) == SHADOW_UNUSED;
    if !is_aligned || ((*head).state != STATE_LIVE && (*head).state != STATE_FREED) {
        fail(memory_error::BAD_FREE, block, innermost_call(), 0);
    }
    if (*head).state == STATE_FREED {
        fail(memory_error::DOUBLE_FREE, block, innermost_call(), block);
    }
    (*head).state = STATE_FREED;
    // Where plain accesses are scheduling points, the order of such an access and the release matters.
    let has_plain_points = (*shared()).plain_accesses != 0 || (*shared()).racy_accesses_len != 0;
    if has_plain_points && is_controlled() {
        scheduler::mark_opaque(me());
    }
    let size = (*head).size as usize;
    races::freed(block, size, innermost_call());
    (*head).freed = innermost_call();
    (block as *mut u8).write_bytes(FREED, size);
    shadow(block).write_bytes(SHADOW_FREED, size.div_ceil(8));
}

/// Ends the execution if the component must not access these bytes.
#[inline(always)]
pub unsafe fn check(address: u64, size: usize, code: u64) {
    if is_checked(address) {
        check_bytes(address, size, code);
    }
}

unsafe fn check_bytes(address: u64, size: usize, code: u64) {
    let end = address + size as u64;
    let mut at = address;
    while at < end && is_checked(at) {
        let last = (end - (at & !7)).min(8) as u8;
        match *shadow(at) {
            SHADOW_FREED => fail(memory_error::USE_AFTER_FREE, at, code, block_of(at)),
            bytes if bytes < last => fail(memory_error::OUT_OF_BOUNDS, at, code, block_of(at)),
            _ => {}
        }
        at = (at & !7) + 8;
    }
}

/// The last block that begins at or before an address; 0 if there is none.
unsafe fn block_of(address: u64) -> u64 {
    let arena = BEGIN + (address - BEGIN) / ARENA_BYTES * ARENA_BYTES;
    let mut at = address & !15;
    // The shadow of the gap before a block is unused.
    while at >= arena + GAP {
        if *shadow(at) != SHADOW_UNUSED && *shadow(at - 8) == SHADOW_UNUSED {
            return at;
        }
        at -= 16;
    }
    0
}

unsafe fn fail(kind: u32, address: u64, code: u64, block: u64) -> ! {
    let mut error = MemoryErrorRecord {
        kind,
        code,
        address,
        ..core::mem::zeroed()
    };
    if block != 0 {
        let head = &*header(block);
        error.size = head.size;
        error.offset = address.wrapping_sub(block) as i64;
        error.allocated = head.allocated;
        error.freed = head.freed;
    }
    (*shared()).memory_error = error;
    crash_stack::record();
    scheduler::end(ending::MEMORY_ERROR, 0)
}

pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    match allocate(size, 16) {
        Some(block) => {
            block.write_bytes(NEW, size);
            block.cast()
        }
        None => reused(__libc_malloc(size), size),
    }
}

/// A block of the C library, which may have been another one before.
unsafe fn reused(block: *mut c_void, size: usize) -> *mut c_void {
    if !block.is_null() && is_controlled() {
        races::allocated(block as u64, size);
    }
    block
}

pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // Memory of an arena is used once, and is zero before that.
    match count.checked_mul(size).and_then(|size| allocate(size, 16)) {
        Some(block) => block.cast(),
        None => reused(__libc_calloc(count, size), count.saturating_mul(size)),
    }
}

pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        return malloc(size);
    }
    if !is_checked(block as u64) {
        return reused(__libc_realloc(block, size), size);
    }
    if (*header(block as u64)).state == STATE_FREED {
        fail(
            memory_error::DOUBLE_FREE,
            block as u64,
            innermost_call(),
            block as u64,
        );
    }
    let new = malloc(size);
    if !new.is_null() {
        let length = size.min((*header(block as u64)).size as usize);
        core::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), length);
        release(block as u64);
    }
    new
}

pub unsafe extern "C" fn free(block: *mut c_void) {
    match is_checked(block as u64) {
        true => release(block as u64),
        false => __libc_free(block),
    }
}

pub unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    match allocate(size, alignment) {
        Some(block) => {
            block.write_bytes(NEW, size);
            block.cast()
        }
        None => reused(__libc_memalign(alignment, size), size),
    }
}

pub unsafe extern "C" fn posix_memalign(result: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || alignment < size_of::<usize>() {
        return sys::EINVAL;
    }
    let block = memalign(alignment, size);
    if block.is_null() {
        return sys::ENOMEM;
    }
    *result = block;
    0
}

pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    match is_checked(block as u64) {
        true => (*header(block as u64)).size as usize,
        false => real!(malloc_usable_size, fn(*mut c_void) -> usize, block),
    }
}
