//! The memory that is shared with the explorer, and what is run with it.

use crate::checked::trap;
use crate::layout::Shared;
use crate::rt::sys;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering::Relaxed};

/// Which threads are controlled, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// None.
    Off,
    /// The main thread of an execution runs alone: decisions are not part of the schedule.
    MainThread,
    /// The columns of an execution run.
    Columns,
    /// A whole program runs; its main thread is thread 0.
    WholeProgram,
}

#[unsafe(link_section = "omnilink_state")]
static SHARED: AtomicPtr<Shared> = AtomicPtr::new(core::ptr::null_mut());
#[unsafe(link_section = "omnilink_state")]
static PHASE: AtomicU8 = AtomicU8::new(Phase::Off as u8);

/// The memory that is shared with the explorer. It is there before any thread is controlled, and before a block is allocated from the
/// component's heap.
#[inline(always)]
pub fn shared() -> &'static Shared {
    // SAFETY: `attach` was called with a mapping that stays, and of which everything is in cells and atomics.
    match unsafe { SHARED.load(Relaxed).as_ref() } {
        Some(shared) => shared,
        None => trap(),
    }
}

/// Whether there is such memory yet.
pub fn is_attached() -> bool {
    !SHARED.load(Relaxed).is_null()
}

#[inline(always)]
pub fn phase() -> Phase {
    match PHASE.load(Relaxed) {
        MAIN_THREAD => Phase::MainThread,
        COLUMNS => Phase::Columns,
        WHOLE_PROGRAM => Phase::WholeProgram,
        _ => Phase::Off,
    }
}

const MAIN_THREAD: u8 = Phase::MainThread as u8;
const COLUMNS: u8 = Phase::Columns as u8;
const WHOLE_PROGRAM: u8 = Phase::WholeProgram as u8;

pub fn set_phase(phase: Phase) {
    PHASE.store(phase as u8, Relaxed);
}

/// Sets the memory that is shared with the explorer.
///
/// # Safety
/// It is mapped for the rest of the process, with the size of the structure.
pub unsafe fn attach(shared: *mut Shared) {
    SHARED.store(shared, Relaxed);
}

/// The calling thread is that of a new process, a copy of a program under the scheduler: it shares nothing with the explorer, who would
/// take what it does for what the program does.
pub fn detach() {
    if phase() != Phase::Off {
        set_phase(Phase::Off);
        let shared = SHARED.load(Relaxed);
        // SAFETY: zeros are a valid value of each of its words, and this process has one thread, which holds no reference to them.
        if !unsafe { sys::replace_by_zeros(shared.cast(), size_of::<Shared>()) } {
            sys::exit_process(127);
        }
    }
}
