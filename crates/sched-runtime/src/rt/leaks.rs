//! Leaks: blocks that nothing points to when the component has been destroyed, or when a whole program ends.
//!
//! A block is reachable if its address, or one inside of it, is in a variable, on the used part of a stack, in a register of a thread
//! that is still running, in memory of the C library, or in a reachable block. So what a component keeps in a static or
//! thread-local variable, such as garbage that is to be freed later, is no leak. Any word counts as an address: a leak may be
//! missed because a number looks like one, but a block that is reported cannot be reached.

use crate::layout::{MemoryErrorRecord, ending, memory_error};
use crate::rt::entry::{forget_registers, me};
use crate::rt::heap;
use crate::rt::memory_map::{self, Mapping};
use crate::rt::scheduler::{self, shared};
use crate::rt::threads::{ThreadState, ids, thread};

/// Ends the execution if the component has left blocks behind that nothing points to.
pub fn check() {
    if find() {
        scheduler::end(ending::MEMORY_ERROR, 0);
    }
}

/// Whether there are blocks that nothing points to; the first one is recorded. Without a list of the process's memory nothing is known, and
/// nothing is said.
pub fn find() -> bool {
    if shared().detects_leaks.get() == 0 {
        return false;
    }
    forget_registers();
    let here = 0_u8;
    thread(me()).stack_low.set((&raw const here) as u64);
    let Some(mappings) = memory_map::writable() else {
        return false;
    };
    for mapping in mappings {
        let Mapping { from, to, .. } = mapping.get();
        let mut at = from;
        while at < to {
            let (excluded_from, excluded_to) = next_excluded(at, to);
            // SAFETY: the system lists the range as mapped for reading, and no thread runs that could change that.
            unsafe { reach_from(at, excluded_from) };
            at = excluded_to;
        }
    }
    let is_running = |id: &u8| thread(*id).state.get() != ThreadState::Done;
    for id in ids().filter(is_running) {
        thread(id)
            .registers
            .get()
            .iter()
            .for_each(|&word| heap::reach(word));
    }
    while let Some((from, to)) = heap::next_reached() {
        // SAFETY: it is a block of the heap.
        unsafe { reach_from(from, to) };
    }
    let Some(leaks) = heap::unreached() else {
        return false;
    };
    shared().memory_error.set(MemoryErrorRecord {
        kind: memory_error::LEAK,
        address: leaks.first,
        size: leaks.first_size,
        offset: leaks.blocks as i64,
        allocated: leaks.first_allocated,
        ..MemoryErrorRecord::NONE
    });
    true
}

/// Every block is reached whose address is in this memory.
///
/// # Safety
/// It is mapped for reading.
unsafe fn reach_from(from: u64, to: u64) {
    let mut at = from.next_multiple_of(8);
    while at + 8 <= to {
        // SAFETY: the caller's contract. The word is read as the machine has it, whatever it belongs to.
        heap::reach(unsafe { (at as *const u64).read_volatile() });
        at += 8;
    }
}

/// The first part of `at..to` that holds no addresses for the program: the runtime's own memory, the heap, and the unused part of each
/// stack.
fn next_excluded(at: u64, to: u64) -> (u64, u64) {
    let mut first = (to, to);
    let mut exclude = |from: u64, until: u64| {
        let (from, until) = (from.max(at), until.min(to));
        if from < until && from < first.0 {
            first = (from, until);
        }
    };
    for (from, until) in memory_map::own_state().chain(heap::memory()) {
        exclude(from, until);
    }
    for id in ids() {
        let other = thread(id);
        if at <= other.stack_low.get() && other.stack_low.get() < to {
            exclude(at, other.stack_low.get());
        }
    }
    first
}
