//! Fences that order a clock reading.
//!
//! On x86-64 the counter may be read before earlier instructions complete and after later ones have begun. The processor
//! manual recommends: `lfence` after the reading delays all later instructions; `mfence; lfence` before it waits until
//! earlier loads have their values and earlier stores are visible to every core.
//!
//! Without the wait for stores, the last store of an operation can still be in the core's store buffer when `end` is read.
//! Another core's operation that starts later, by the clock, then misses it, and a checker would report a violation that no
//! program without a shared clock can observe. The fence costs some 10 ns, and it hides bugs *between* two operations of a
//! thread: those that need the store of one to stay in the buffer until the loads of the next have run. To find those, use
//! [`EndFence::LoadsOnly`](crate::EndFence::LoadsOnly).

use std::sync::atomic::{Ordering, compiler_fence, fence};

/// Waits until all earlier loads are complete, and delays all later instructions.
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

/// Waits until all earlier stores are visible to every core.
///
/// On x86-64 the standard fence is an `mfence` or a locked instruction: both drain the store buffer before they complete, and
/// the `lfence` that follows waits for that.
#[inline(always)]
pub(super) fn complete_stores() {
    fence(Ordering::SeqCst);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: waits for earlier loads and stores; touches no register and no memory.
    unsafe {
        std::arch::asm!("dsb ish", options(nostack, preserves_flags));
    }
}
