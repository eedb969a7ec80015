//! What keeps a clock reading in its place.
//!
//! On x86-64 the counter may be read before earlier instructions are done and after later ones have begun.
//! The processor manual's own recipe: `lfence` after the reading holds back whatever follows; `mfence;
//! lfence` before it waits until earlier loads have their values and earlier stores can be seen by every
//! core.
//!
//! Why the stores: without that, the last store of an operation can still sit in the core's store buffer when
//! `end` is read. Another core's operation that starts later, by the clock, then misses it, and a checker
//! would report a violation that no program without a shared clock can notice. The fence costs some 10 ns,
//! and it hides what is *between* two operations of a thread: a bug that needs the store of one to linger
//! until the loads of the next have run. Whoever hunts those says so with
//! [`EndFence::LoadsOnly`](crate::EndFence::LoadsOnly).

use std::sync::atomic::{Ordering, compiler_fence, fence};

/// Waits until all earlier loads are complete, and keeps everything later from starting.
#[inline(always)]
pub(super) fn complete_loads() {
    compiler_fence(Ordering::SeqCst);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `lfence` is SSE2, which every x86-64 processor has.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: waits for earlier loads, then restarts the pipeline; touches no register and no memory.
    unsafe {
        std::arch::asm!("dsb ishld", "isb", options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fence(Ordering::SeqCst);
    compiler_fence(Ordering::SeqCst);
}

/// Waits until all earlier stores can be seen by every core.
///
/// On x86-64 the standard fence is an `mfence` or a locked instruction, whichever the compiler finds cheaper:
/// both drain the store buffer before they are done, and the `lfence` that follows waits until they are.
#[inline(always)]
pub(super) fn complete_stores() {
    fence(Ordering::SeqCst);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: waits for earlier loads and stores; touches no register and no memory.
    unsafe {
        std::arch::asm!("dsb ish", options(nostack, preserves_flags));
    }
}
