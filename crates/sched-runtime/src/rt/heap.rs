//! The component's heap: freed memory is never reused, and every block has a gap around it.
//!
//! An execution is short, so nothing has to be reused. An access to freed memory, or outside of a block, is found at the access
//! itself. Each thread allocates from an arena of its own, so that the address of a block does not depend on the schedule. When
//! an arena is full, the C library allocates, and such blocks are not checked.
//!
//! A thread that has ended, or that nobody schedules, may free a block while another thread runs. So the shadow and the headers are
//! atomics: what such a thread changes is of its own block. Everything else is touched by the running thread only.

use crate::checked::{slot, trap};
use crate::layout::{MemoryErrorRecord, NO_THREAD, ending, memory_error};
use crate::rt::call_stack::innermost_call;
use crate::rt::crash_stack;
use crate::rt::entry::{is_controlled, me};
use crate::rt::global::Global;
use crate::rt::races;
use crate::rt::saved_memory::PAGE;
use crate::rt::scheduler::{self, shared};
use crate::rt::sys::{self, map_memory, real};
use crate::rt::threads::ALL_THREADS_CAP;
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

const ARENA_BYTES: u64 = 16 << 20;
const HEAP_BYTES: u64 = ARENA_BYTES * ALL_THREADS_CAP as u64;
const SHADOW_BYTES: u64 = HEAP_BYTES / 8;
/// Before each block; holds the [`Header`].
const GAP: u64 = 64;
/// New and freed memory is filled with these bytes, so that a program that relies on its content misbehaves.
const NEW: u8 = 0x5a;
const FREED: u8 = 0xa5;

/// The first byte of the heap, 0 while there is none. Its shadow comes after it: one byte for each eight of the heap, which says how many
/// of them may be accessed, or a `SHADOW_…` value.
#[unsafe(link_section = "omnilink_state")]
static BEGIN: AtomicU64 = AtomicU64::new(0);
/// The bytes of each arena that are in use.
#[unsafe(link_section = "omnilink_state")]
static USED: Global<[Cell<u64>; ALL_THREADS_CAP]> = Global::new([const { Cell::new(0) }; ALL_THREADS_CAP]);

const SHADOW_UNUSED: u8 = 0;
const SHADOW_FREED: u8 = 9;

/// The states of a block: values that other data is unlikely to have.
const STATE_LIVE: u64 = 0x6f6d_6e69_6c69_7665;
const STATE_FREED: u64 = 0x6f6d_6e69_6465_6164;
/// Live, and something points to it.
const STATE_REACHED: u64 = 0x6f6d_6e69_7365_656e;

#[repr(C)]
struct Header {
    size: AtomicU64,
    state: AtomicU64,
    allocated: AtomicU64,
    freed: AtomicU64,
    /// The block that was reached before this one, or 0.
    reached_before: AtomicU64,
}
const _: () = assert!(size_of::<Header>() as u64 <= GAP);

impl Header {
    fn size(&self) -> u64 {
        self.size.load(Relaxed)
    }

    fn is(&self, state: u64) -> bool {
        self.state.load(Relaxed) == state
    }
}

/// The last block that was reached and whose content was not looked at, or 0.
#[unsafe(link_section = "omnilink_state")]
static REACHED: Global<Cell<u64>> = Global::new(Cell::new(0));

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
pub fn map() {
    if let Some(memory) = map_memory((HEAP_BYTES + SHADOW_BYTES) as usize) {
        BEGIN.store(memory as u64, Relaxed);
    }
}

#[inline(always)]
fn begin() -> u64 {
    BEGIN.load(Relaxed)
}

/// The arenas: where each begins, and how many bytes of it are in use.
fn arenas() -> impl Iterator<Item = (u64, u64)> {
    let begins = (0..).map(|arena| begin() + arena * ARENA_BYTES);
    begins.zip(USED.iter().map(Cell::get))
}

/// Makes the heap as it was when it was mapped. Its end that was not in use is zero: an execution ends at a write outside of a block,
/// and code that is not instrumented has a page to go too far.
pub fn reset() {
    for (arena, used) in arenas().filter(|&(_, used)| used != 0) {
        let length = (used.next_multiple_of(8 * PAGE) + PAGE).min(ARENA_BYTES);
        // SAFETY: the memory is the heap's, of which the execution that used it has ended: it has no other thread of the system.
        unsafe {
            sys::clear(arena, length);
            sys::clear(shadow_address(arena), length.next_multiple_of(8 * PAGE) / 8);
        }
    }
}

/// Ranges of the heap that are not part of the program's state: the unused end of each arena, and the shadow.
pub fn unused() -> impl Iterator<Item = (u64, u64)> {
    let begin = begin();
    let used_arenas = USED
        .iter()
        .rposition(|used| used.get() != 0)
        .map_or(0, |last| last + 1);
    let ends = arenas()
        .take(used_arenas)
        .map(|(arena, used)| (arena + used, arena + ARENA_BYTES));
    let rest = (
        begin + used_arenas as u64 * ARENA_BYTES,
        begin + HEAP_BYTES + SHADOW_BYTES,
    );
    ends.chain(core::iter::once(rest)).filter(move |_| begin != 0)
}

/// The heap and its shadow.
pub fn memory() -> Option<(u64, u64)> {
    let begin = begin();
    (begin != 0).then_some((begin, begin + HEAP_BYTES + SHADOW_BYTES))
}

/// If the word is an address inside of a block, that block is reached.
pub fn reach(word: u64) {
    if !is_checked(word) {
        return;
    }
    let block = block_of(word);
    if block == 0 {
        return;
    }
    let head = header(block);
    // An address just behind a block, as of an empty slice, is of no use to reach it.
    if head.is(STATE_LIVE) && word < block + head.size().max(1) {
        head.state.store(STATE_REACHED, Relaxed);
        head.reached_before.store(REACHED.get(), Relaxed);
        REACHED.set(block);
    }
}

/// The content of a block that was reached and not looked at before.
pub fn next_reached() -> Option<(u64, u64)> {
    let block = REACHED.get();
    if block == 0 {
        return None;
    }
    let head = header(block);
    REACHED.set(head.reached_before.load(Relaxed));
    Some((block, block + head.size()))
}

/// The live blocks that were not reached.
pub fn unreached() -> Option<Leaks> {
    let mut leaks: Option<Leaks> = None;
    for (arena, used) in arenas() {
        let end = arena + used;
        let mut at = arena + GAP;
        while at < end {
            let is_block = shadow(at) != SHADOW_UNUSED && shadow(at - 8) == SHADOW_UNUSED;
            if is_block && header(at).is(STATE_LIVE) {
                let head = header(at);
                leaks
                    .get_or_insert(Leaks {
                        blocks: 0,
                        first: at,
                        first_size: head.size(),
                        first_allocated: head.allocated.load(Relaxed),
                    })
                    .blocks += 1;
            }
            at += 16;
        }
    }
    leaks
}

/// A block that is never freed on purpose.
pub fn keep(block: *mut c_void) {
    if is_checked(block as u64) {
        header(block as u64).state.store(STATE_REACHED, Relaxed);
    }
}

#[inline(always)]
pub fn is_checked(address: u64) -> bool {
    let begin = begin();
    begin != 0 && address.wrapping_sub(begin) < HEAP_BYTES
}

/// Whether an address is in a block that was freed.
pub fn is_freed(address: u64) -> bool {
    is_checked(address) && shadow(address) == SHADOW_FREED
}

/// The address of the shadow byte of an address in the heap.
#[inline(always)]
fn shadow_address(address: u64) -> u64 {
    if !is_checked(address) {
        trap();
    }
    let begin = begin();
    begin + HEAP_BYTES + ((address - begin) >> 3)
}

/// The shadow of an address in the heap.
#[inline(always)]
fn shadow(address: u64) -> u8 {
    // SAFETY: the shadow is mapped like the heap, and only accessed atomically while there are several threads.
    unsafe { AtomicU8::from_ptr(shadow_address(address) as *mut u8) }.load(Relaxed)
}

/// The header of a block, which begins in the heap and has a gap before it.
#[inline(always)]
fn header(block: u64) -> &'static Header {
    let header = block - GAP;
    if !is_checked(header) || !header.is_multiple_of(8) {
        trap();
    }
    // SAFETY: the memory is in the heap, which stays mapped, and any bytes are valid atomics. What a component writes there, past the
    // checks, it writes while it is the running thread.
    unsafe { &*(header as *const Header) }
}

/// A block of the calling thread's arena; none if the thread is not controlled or the arena is full.
fn allocate(size: usize, alignment: usize) -> Option<*mut u8> {
    if begin() == 0 || me() == NO_THREAD {
        return None;
    }
    let arena = begin() + u64::from(me()) * ARENA_BYTES;
    let used = slot(&*USED, me().into());
    let block = (arena + used.get() + GAP).checked_next_multiple_of(alignment.max(16) as u64)?;
    let end = block
        .checked_add((size as u64).max(1))?
        .checked_next_multiple_of(16)?;
    // The next block begins with a gap, and the last one is followed by one.
    if end + GAP > arena + ARENA_BYTES {
        return None;
    }
    used.set(end - arena);
    let head = header(block);
    head.size.store(size as u64, Relaxed);
    head.state.store(STATE_LIVE, Relaxed);
    head.allocated.store(innermost_call(), Relaxed);
    head.freed.store(0, Relaxed);
    head.reached_before.store(0, Relaxed);
    let bytes = shadow_address(block) as *mut u8;
    // SAFETY: the block is in the arena, so that its shadow is mapped, and no other thread knows the block yet.
    unsafe {
        bytes.write_bytes(8, size / 8);
        if !size.is_multiple_of(8) {
            bytes.add(size / 8).write((size % 8) as u8);
        }
    }
    races::allocated(block, size);
    Some(block as *mut u8)
}

/// Frees a block, or what the component takes for one.
fn release(block: u64) {
    let is_block = block.is_multiple_of(16)
        && block >= begin() + GAP
        && shadow(block - 8) == SHADOW_UNUSED
        && (header(block).is(STATE_LIVE) || header(block).is(STATE_FREED));
    if !is_block {
        fail(memory_error::BAD_FREE, block, innermost_call(), 0);
    }
    let head = header(block);
    if head.is(STATE_FREED) {
        fail(memory_error::DOUBLE_FREE, block, innermost_call(), block);
    }
    head.state.store(STATE_FREED, Relaxed);
    // Where plain accesses are scheduling points, the order of such an access and the release matters.
    let shared = shared();
    let has_plain_points = shared.plain_accesses.get() != 0 || shared.racy_accesses_len.get() != 0;
    if has_plain_points && is_controlled() {
        scheduler::mark_opaque(me());
    }
    let size = head.size() as usize;
    races::freed(block, size, innermost_call());
    head.freed.store(innermost_call(), Relaxed);
    // SAFETY: the block was allocated with this size, and the component gives it up.
    unsafe { (block as *mut u8).write_bytes(FREED, size) };
    let shadows = shadow_address(block) as *mut u8;
    for index in 0..size.div_ceil(8) {
        // SAFETY: the block has this many shadow bytes, which are only accessed atomically.
        unsafe { AtomicU8::from_ptr(shadows.add(index)) }.store(SHADOW_FREED, Relaxed);
    }
}

/// Ends the execution if the component must not access these bytes.
#[inline(always)]
pub fn check(address: u64, size: usize, code: u64) {
    if is_checked(address) {
        check_bytes(address, size, code);
    }
}

fn check_bytes(address: u64, size: usize, code: u64) {
    let end = address + size as u64;
    let mut at = address;
    while at < end && is_checked(at) {
        let last = (end - (at & !7)).min(8) as u8;
        match shadow(at) {
            SHADOW_FREED => fail(memory_error::USE_AFTER_FREE, at, code, block_of(at)),
            bytes if bytes < last => fail(memory_error::OUT_OF_BOUNDS, at, code, block_of(at)),
            _ => {}
        }
        at = (at & !7) + 8;
    }
}

/// The last block that begins at or before an address; 0 if there is none.
fn block_of(address: u64) -> u64 {
    let arena = begin() + (address - begin()) / ARENA_BYTES * ARENA_BYTES;
    let mut at = address & !15;
    // The shadow of the gap before a block is unused.
    while at >= arena + GAP {
        if shadow(at) != SHADOW_UNUSED && shadow(at - 8) == SHADOW_UNUSED {
            return at;
        }
        at -= 16;
    }
    0
}

fn fail(kind: u32, address: u64, code: u64, block: u64) -> ! {
    let mut error = MemoryErrorRecord {
        kind,
        code,
        address,
        ..MemoryErrorRecord::NONE
    };
    if block != 0 {
        let head = header(block);
        error.size = head.size();
        error.offset = address.wrapping_sub(block) as i64;
        error.allocated = head.allocated.load(Relaxed);
        error.freed = head.freed.load(Relaxed);
    }
    crash_stack::begin_failure();
    shared().memory_error.set(error);
    crash_stack::record();
    scheduler::end(ending::MEMORY_ERROR, 0)
}

/// A new block of the heap with arbitrary content.
fn allocate_filled(size: usize, alignment: usize) -> Option<*mut c_void> {
    let block = allocate(size, alignment)?;
    // SAFETY: the block has this size, and no other thread knows it yet.
    unsafe { block.write_bytes(NEW, size) };
    Some(block.cast())
}

pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    match allocate_filled(size, 16) {
        Some(block) => block,
        // SAFETY: this has the contract of the function that it replaces.
        None => reused(unsafe { __libc_malloc(size) }, size),
    }
}

/// A block of the C library, which may have been another one before.
fn reused(block: *mut c_void, size: usize) -> *mut c_void {
    if !block.is_null() && is_controlled() {
        races::allocated(block as u64, size);
    }
    block
}

pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // Memory of an arena is used once, and is zero before that.
    match count.checked_mul(size).and_then(|size| allocate(size, 16)) {
        Some(block) => block.cast(),
        // SAFETY: this has the contract of the function that it replaces.
        None => reused(unsafe { __libc_calloc(count, size) }, count.saturating_mul(size)),
    }
}

pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe { malloc(size) };
    }
    let old = block as u64;
    if !is_checked(old) {
        // SAFETY: as above; the block is one of the C library.
        return reused(unsafe { __libc_realloc(block, size) }, size);
    }
    if !old.is_multiple_of(16) || old < begin() + GAP {
        fail(memory_error::BAD_FREE, old, innermost_call(), 0);
    }
    if header(old).is(STATE_FREED) {
        fail(memory_error::DOUBLE_FREE, old, innermost_call(), old);
    }
    // SAFETY: this has the contract of the function that it replaces.
    let new = unsafe { malloc(size) };
    if !new.is_null() {
        let length = size.min(header(old).size() as usize);
        // SAFETY: both blocks have this many bytes, and the new one is another one.
        unsafe { core::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), length) };
        release(old);
    }
    new
}

pub unsafe extern "C" fn free(block: *mut c_void) {
    if is_checked(block as u64) {
        release(block as u64);
    } else {
        // SAFETY: this has the contract of the function that it replaces.
        unsafe { __libc_free(block) };
    }
}

pub unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    match allocate_filled(size, alignment) {
        Some(block) => block,
        // SAFETY: this has the contract of the function that it replaces.
        None => reused(unsafe { __libc_memalign(alignment, size) }, size),
    }
}

pub unsafe extern "C" fn posix_memalign(result: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || alignment < size_of::<usize>() {
        return sys::EINVAL;
    }
    // SAFETY: this has the contract of the function that it replaces: the result may be written.
    unsafe {
        let block = memalign(alignment, size);
        if block.is_null() {
            return sys::ENOMEM;
        }
        *result = block;
    }
    0
}

pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    if is_checked(block as u64) {
        return header(block as u64).size() as usize;
    }
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { real!(malloc_usable_size, fn(*mut c_void) -> usize, block) }
}
