//! Waiting for a debugger, before a step or at a failure.
//!
//! The thread that is about to take the step, or that failed, waits until a debugger has attached to its process, and then goes on: the step is the first thing
//! that happens when the user continues.

use crate::layout::STOP_AT_FAILURE;
use crate::rt::scheduler::shared;
use crate::rt::sys;
use core::sync::atomic::Ordering::Relaxed;

/// Waits if the step that the calling thread has been chosen for is the one to stop at.
pub fn stop_before(step: u64) {
    // The shared memory has the number plus 1, so that 0 is none. A thread outside the schedule has no step.
    let stop_at = shared().stop_at.get();
    if stop_at != 0 && stop_at - 1 == step {
        wait();
    }
}

/// Waits if the program is to stop where the runtime finds something wrong with it.
pub fn stop_at_failure() {
    if shared().stop_at.get() == STOP_AT_FAILURE {
        wait();
    }
}

fn wait() {
    const PR_SET_PTRACER: i64 = 0x5961_6d61;
    const ANY: i64 = -1;
    // Some systems let a debugger attach to its descendants only, unless a process allows more.
    sys::prctl(PR_SET_PTRACER, ANY);
    sys::alarm(0);
    shared().is_stopped.store(1, Relaxed);
    while !is_traced() {
        const PAUSE: [i64; 2] = [0, 10_000_000];
        sys::poll(&mut [], PAUSE);
    }
}

/// Whether a debugger has attached to this process.
fn is_traced() -> bool {
    let file = sys::open(c"/proc/self/status");
    if file < 0 {
        return false;
    }
    let mut text = [0_u8; 2_048];
    let length = sys::read(file, &mut text);
    sys::close(file);
    let text = text
        .get(..usize::try_from(length).unwrap_or(0))
        .unwrap_or_default();
    const NAME: &[u8] = b"TracerPid:\t";
    let found = text.windows(NAME.len()).position(|window| window == NAME);
    let digit = found.and_then(|at| text.get(at + NAME.len()));
    digit.is_some_and(|digit| *digit != b'0')
}
