//! `pthread_once`, on which `std::call_once` of C++ is built.
//!
//! The routine may leave by an exception, or be cancelled: the C library then resets the variable, and the next caller runs its
//! routine. So the C library's own function runs it, and no frame of this runtime that cannot be unwound is below it: the symbol is
//! written in assembly, with the directives that an unwinder needs. A thread that comes while the routine runs does not enter the C
//! library, which would block the thread of the system. It waits until the variable says that the routine has ended, however that
//! came about.

use crate::rt::entry::{is_controlled, load_address, me};
use crate::rt::races;
use crate::rt::scheduler::{access, also_accesses, mark_opaque, progress};
use crate::rt::spin::Yield;
use crate::rt::sys::Real;
use crate::rt::threads::{ids, thread};
use crate::rt::wait::wait;
use core::arch::global_asm;
use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, Ordering::SeqCst};

/// Bits that glibc sets in a `pthread_once_t` while its routine runs and when it has run.
const RUNNING: c_int = 1;
const DONE: c_int = 2;

static REAL: Real = Real::new(c"pthread_once");

/// What the assembly needs after [`begin`].
#[repr(C)]
struct Begun {
    /// The C library's function.
    function: usize,
    /// Not 0 if the routine had run before.
    was_done: u64,
}

/// Some `pthread_once_t`s. Beyond a few, the oldest is forgotten.
#[derive(Clone, Copy)]
pub struct RunningOnces([RunningOnce; 4]);

#[derive(Clone, Copy)]
struct RunningOnce {
    /// Null if there is none.
    once: *const c_int,
    /// Its routine was left without an end, and that has been seen.
    was_left: bool,
}

impl RunningOnces {
    pub const NONE: Self = Self(
        [RunningOnce {
            once: core::ptr::null(),
            was_left: false,
        }; 4],
    );

    fn add(&mut self, once: *const c_int) {
        self.remove(once);
        self.0.rotate_right(1);
        self.0[0] = RunningOnce {
            once,
            was_left: false,
        };
    }

    /// Whether it was there.
    fn remove(&mut self, once: *const c_int) -> bool {
        let known = self.0.iter_mut().find(|known| known.once == once);
        known.map(|known| known.once = core::ptr::null()).is_some()
    }

    /// Whether a routine was left by an exception or a cancellation since this was asked last.
    fn is_one_left(&mut self) -> bool {
        let mut is_left = false;
        for running in &mut self.0 {
            if !running.once.is_null() && !running.was_left && has_ended(running.once) {
                running.was_left = true;
                is_left = true;
            }
        }
        is_left
    }
}

/// A thread stops. If it has left a routine in the step that ends here, that step has changed a variable of which nothing was seen, and
/// other threads may go on because of that: it depends on every other step.
pub fn notice_left(id: u8) {
    let mut running = thread(id).runs_once.get();
    if running.is_one_left() {
        thread(id).runs_once.set(running);
        mark_opaque(id);
    }
}

/// Whether a thread that waits for a routine can go on.
pub fn has_ended(once: *const c_int) -> bool {
    state(once) & RUNNING == 0
}

/// The bits of a variable that a thread is using. The C library changes it atomically.
fn state(once: *const c_int) -> c_int {
    // SAFETY: a thread is inside of `pthread_once` with it, or has left it by an exception in the step that ends now: what it left is looked
    // at once, when the thread stops next.
    unsafe { AtomicI32::from_ptr(once.cast_mut()) }.load(SeqCst)
}

unsafe extern "C" fn begin(once: *mut c_int, _routine: usize, return_address: u64) -> Begun {
    if is_controlled() {
        let code = return_address.wrapping_sub(load_address());
        access(once as u64, true, code, Yield::No);
        while !has_ended(once) {
            thread(me()).waits_for_once.set(once);
            wait(once as u64, u32::MAX, None, code);
            thread(me()).waits_for_once.set(core::ptr::null());
        }
    }
    let was_done = state(once) & DONE != 0;
    if is_controlled() && !was_done {
        // The routine was run before, and ended by an exception: what it did happens before this attempt.
        for other in ids().filter(|&id| id != me()) {
            let mut running = thread(other).runs_once.get();
            if running.remove(once) {
                thread(other).runs_once.set(running);
                races::acquire_from(other);
            }
        }
        let mut running = thread(me()).runs_once.get();
        running.add(once);
        thread(me()).runs_once.set(running);
    }
    Begun {
        function: REAL.get() as usize,
        was_done: was_done.into(),
    }
}

/// The C library's function has returned: the routine has run, now or before.
unsafe extern "C" fn end(once: *mut c_int, was_done: u64) {
    if !is_controlled() {
        return;
    }
    if was_done == 0 {
        let mut running = thread(me()).runs_once.get();
        running.remove(once);
        thread(me()).runs_once.set(running);
        also_accesses(once as u64);
        races::release(once as u64);
        progress();
    }
    races::acquire(once as u64);
}

#[cfg(omnilink_link)]
macro_rules! name {
    () => {
        "pthread_once"
    };
}
#[cfg(not(omnilink_link))]
macro_rules! name {
    () => {
        "omnilink_unlinked_pthread_once"
    };
}

/// The same function by its name in C11: what it returns, 0, is not looked at there.
#[cfg(omnilink_link)]
macro_rules! c11_name {
    () => {
        "call_once"
    };
}
#[cfg(not(omnilink_link))]
macro_rules! c11_name {
    () => {
        "omnilink_unlinked_call_once"
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! body {
    () => {
        "push rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        push r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r12, 0
        sub rsp, 8
        .cfi_adjust_cfa_offset 8
        mov rbx, rdi
        mov r12, rsi
        mov rdx, qword ptr [rsp + 24]
        call {begin}
        mov qword ptr [rsp], rdx
        mov rdi, rbx
        mov rsi, r12
        call rax
        mov r12d, eax
        mov rdi, rbx
        mov rsi, qword ptr [rsp]
        call {end}
        mov eax, r12d
        add rsp, 8
        .cfi_adjust_cfa_offset -8
        pop r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore r12
        pop rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        ret"
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! body {
    () => {
        "stp x29, x30, [sp, #-48]!
        .cfi_def_cfa_offset 48
        .cfi_offset x29, -48
        .cfi_offset x30, -40
        stp x19, x20, [sp, #16]
        .cfi_offset x19, -32
        .cfi_offset x20, -24
        mov x29, sp
        mov x19, x0
        mov x20, x1
        mov x2, x30
        bl {begin}
        str x1, [sp, #32]
        mov x9, x0
        mov x0, x19
        mov x1, x20
        blr x9
        mov w20, w0
        mov x0, x19
        ldr x1, [sp, #32]
        bl {end}
        mov w0, w20
        ldp x19, x20, [sp, #16]
        ldp x29, x30, [sp], #48
        .cfi_def_cfa_offset 0
        ret"
    };
}

global_asm!(
    concat!(".pushsection .text.", name!(), ", \"ax\", %progbits"),
    ".balign 16",
    concat!(".globl ", name!()),
    concat!(".globl ", c11_name!()),
    concat!(".type ", name!(), ", %function"),
    concat!(".type ", c11_name!(), ", %function"),
    concat!(name!(), ":"),
    concat!(c11_name!(), ":"),
    ".cfi_startproc",
    body!(),
    ".cfi_endproc",
    concat!(".size ", name!(), ", . - ", name!()),
    ".popsection",
    begin = sym begin,
    end = sym end,
);
