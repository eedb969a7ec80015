//! Plain writes of sixteen bytes, which the machine makes in two halves.
//!
//! The instrumentation calls the runtime before the write, and the component then makes it as a whole. When the thread enters the
//! scheduler next, the upper half gets its old content back for one step: other threads can see the lower half of the new value
//! with the upper half of the old one. Nothing is lost by that, because the thread has taken no other step since the write.

use crate::rt::entry::me;
use crate::rt::heap;
use crate::rt::scheduler::{access, mark_opaque};
use crate::rt::spin::Yield;
use crate::rt::threads::thread;

const HALF: u64 = 8;

/// A write whose second half has not been made, as far as other threads are concerned.
#[derive(Clone, Copy)]
pub struct WideWrite {
    upper: u64,
    before: u64,
    code: u64,
}

/// The calling thread is about to make a plain access that is a scheduling point.
pub fn begin(address: u64, size: usize, writes: bool, code: u64) {
    if writes && size as u64 == 2 * HALF {
        let upper = address + HALF;
        let write = WideWrite {
            upper,
            // SAFETY: the component writes there next.
            before: unsafe { (upper as *const u64).read_unaligned() },
            code,
        };
        thread(me()).wide_write.set(Some(write));
    }
}

/// The calling thread enters the scheduler: a write in two halves becomes two steps.
#[inline(always)]
pub fn complete() {
    if let Some(write) = thread(me()).wide_write.take() {
        complete_slow(write);
    }
}

#[inline(never)]
fn complete_slow(write: WideWrite) {
    let upper = write.upper as *mut u64;
    // SAFETY: the component has written there in the step that it is in.
    let after = unsafe { upper.read_unaligned() };
    if after == write.before || heap::is_freed(write.upper) {
        return;
    }
    // SAFETY: as above, and the block is not freed.
    unsafe { upper.write_unaligned(write.before) };
    access(write.upper, true, write.code, Yield::No);
    mark_opaque(me());
    if !heap::is_freed(write.upper) {
        // SAFETY: memory of the component that it has not freed in the meantime.
        unsafe { upper.write_unaligned(after) };
    }
}
