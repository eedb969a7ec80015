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
pub unsafe fn begin(address: u64, size: usize, writes: bool, code: u64) {
    if writes && size as u64 == 2 * HALF {
        let upper = address + HALF;
        (*thread(me())).wide_write = Some(WideWrite {
            upper,
            before: (upper as *const u64).read_unaligned(),
            code,
        });
    }
}

/// The calling thread enters the scheduler: a write in two halves becomes two steps.
#[inline(always)]
pub unsafe fn complete() {
    if let Some(write) = (*thread(me())).wide_write.take() {
        complete_slow(write);
    }
}

#[inline(never)]
unsafe fn complete_slow(write: WideWrite) {
    let upper = write.upper as *mut u64;
    let after = upper.read_unaligned();
    if after == write.before || heap::is_freed(write.upper) {
        return;
    }
    upper.write_unaligned(write.before);
    access(write.upper, true, write.code, Yield::No);
    mark_opaque(me());
    upper.write_unaligned(after);
}
