//! The instrumented functions that a thread is in.

use crate::rt::entry::{load_address, local};
use crate::rt::std_library::ReturnHook;

/// Functions of the standard library that wait for a closure, one inside the other.
const CONTINUATIONS_MAX: usize = 8;
/// Deeper frames are counted but not kept.
const FRAMES_MAX: usize = 256;

/// The call stack of one thread. All zero is the empty one.
#[repr(C)]
pub struct CallStack {
    depth: u32,
    /// The return address of each frame.
    frames: [u64; FRAMES_MAX],
    continuations_len: usize,
    /// What goes on when the function at a depth ends.
    continuations: [(u32, ReturnHook); CONTINUATIONS_MAX],
}

impl CallStack {
    /// Copies the call sites of the innermost functions, relative to the program's first byte, and returns how many there are.
    pub fn copy_innermost(&self, to: &mut [u64]) -> u32 {
        let kept = self.frames.iter().take(self.depth as usize).rev();
        let mut copied = 0;
        for (free, frame) in to.iter_mut().zip(kept) {
            *free = frame.wrapping_sub(load_address());
            copied += 1;
        }
        copied
    }
}

/// Where the innermost instrumented function was called, or 0.
pub fn innermost_call() -> u64 {
    // SAFETY: the storage belongs to the calling thread.
    let stack = unsafe { &(*local()).call_stack };
    let innermost = (stack.depth as usize).checked_sub(1);
    let frame = innermost.and_then(|index| stack.frames.get(index));
    frame.map_or(0, |frame| frame.wrapping_sub(load_address()))
}

/// Runs `continuation` when the function that is entered next ends.
pub unsafe fn after_next(continuation: ReturnHook) {
    let stack = &mut (*local()).call_stack;
    if let Some(free) = stack.continuations.get_mut(stack.continuations_len) {
        *free = (stack.depth, continuation);
        stack.continuations_len += 1;
    }
}

pub unsafe extern "C" fn enter(return_address: usize) {
    let stack = &mut (*local()).call_stack;
    if let Some(frame) = stack.frames.get_mut(stack.depth as usize) {
        *frame = return_address as u64;
    }
    stack.depth = stack.depth.wrapping_add(1);
}

pub unsafe extern "C" fn exit() {
    let stack = &raw mut (*local()).call_stack;
    let depth_now = (*stack).depth.wrapping_sub(1);
    (*stack).depth = depth_now;
    while let Some(last) = (*stack).continuations_len.checked_sub(1) {
        let Some(&(depth, continuation)) = (*stack).continuations.get(last) else {
            return;
        };
        if depth < depth_now {
            return;
        }
        (*stack).continuations_len = last;
        if depth == depth_now {
            continuation.run();
        }
    }
}
