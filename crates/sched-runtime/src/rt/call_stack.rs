//! The instrumented functions that a thread is in.

use crate::rt::entry::{load_address, local};
use crate::rt::std_library::ReturnHook;
use core::cell::Cell;

/// Functions of the standard library that wait for a closure, one inside the other.
const CONTINUATIONS_MAX: usize = 8;
/// Deeper frames are counted but not kept.
const FRAMES_MAX: usize = 256;

/// The call stack of one thread. All zero is the empty one.
#[repr(C)]
pub struct CallStack {
    depth: Cell<u32>,
    /// The return address of each frame.
    frames: [Cell<u64>; FRAMES_MAX],
    continuations_len: Cell<usize>,
    /// What goes on when the function at a depth ends.
    continuations: [Cell<(u32, ReturnHook)>; CONTINUATIONS_MAX],
}

impl CallStack {
    /// Copies the call sites of the innermost functions, relative to the program's first byte, and returns how many there are.
    pub fn copy_innermost(&self, to: &mut [u64]) -> u32 {
        let kept = self.frames.iter().take(self.depth.get() as usize).rev();
        let mut copied = 0;
        for (free, frame) in to.iter_mut().zip(kept) {
            *free = frame.get().wrapping_sub(load_address());
            copied += 1;
        }
        copied
    }
}

/// Where the innermost instrumented function was called, or 0.
pub fn innermost_call() -> u64 {
    let stack = &local().call_stack;
    let innermost = (stack.depth.get() as usize).checked_sub(1);
    let frame = innermost.and_then(|index| stack.frames.get(index));
    frame.map_or(0, |frame| frame.get().wrapping_sub(load_address()))
}

/// Runs `continuation` when the function that is entered next ends.
pub fn after_next(continuation: ReturnHook) {
    let stack = &local().call_stack;
    let len = stack.continuations_len.get();
    if let Some(free) = stack.continuations.get(len) {
        free.set((stack.depth.get(), continuation));
        stack.continuations_len.set(len + 1);
    }
}

pub extern "C" fn enter(return_address: usize) {
    let stack = &local().call_stack;
    let depth = stack.depth.get();
    if let Some(frame) = stack.frames.get(depth as usize) {
        frame.set(return_address as u64);
    }
    stack.depth.set(depth.wrapping_add(1));
}

pub extern "C" fn exit() {
    let stack = &local().call_stack;
    let depth_now = stack.depth.get().wrapping_sub(1);
    stack.depth.set(depth_now);
    while let Some(last) = stack.continuations_len.get().checked_sub(1) {
        let Some(innermost) = stack.continuations.get(last) else {
            return;
        };
        let (depth, continuation) = innermost.get();
        if depth < depth_now {
            return;
        }
        stack.continuations_len.set(last);
        if depth == depth_now {
            continuation.run();
        }
    }
}
