//! Entry points: what a thread keeps when it calls the runtime, and its thread-local storage.
//!
//! Every C name is an assembly stub (see [`symbols`](super::symbols)) that jumps to a Rust function with the same arguments.
//! Depending on its kind the stub first saves the return address, or the return address and the registers of its caller.
//! Only assembly can do that: a compiled function may have changed the registers by the time its body begins.
//!
//! Thread-local storage is defined in assembly too, because `no_std` Rust has none. It is zero when a thread starts.

use crate::layout::NO_THREAD;
use crate::rt::call_stack::CallStack;
use core::arch::{asm, global_asm};
use core::cell::Cell;

/// The callee-saved registers of a thread when it called the runtime, the stack pointer last.
///
/// The other registers are lost to the program by the call itself.
pub type Registers = [u64; REGISTERS];

#[cfg(target_arch = "x86_64")]
pub const REGISTERS: usize = 7;
#[cfg(target_arch = "aarch64")]
pub const REGISTERS: usize = 20;

/// What the runtime keeps for each thread. All zero is its initial value.
///
/// Its thread writes it, in Rust and in the stubs. Another thread reads only the call stack, of a thread that has stopped.
#[repr(C)]
pub struct ThreadLocal {
    /// Saved by stubs of the kind `with_registers`.
    registers: Cell<Registers>,
    /// The return address of the stub that saved `registers`.
    registers_caller: Cell<u64>,
    /// Saved by stubs of the kinds `with_caller` and `with_registers`: where the stub returns to.
    caller: Cell<u64>,
    /// The id of a controlled thread plus 1.
    pub id_plus_one: Cell<u8>,
    /// The column of a native thread plus 1.
    pub native_column_plus_one: Cell<u8>,
    /// Greater than 0 while the thread runs code that is not part of the component.
    pub unobserved: Cell<u32>,
    /// The call of the harness that has not returned yet.
    pub open_call: Cell<CallInProgress>,
    /// The instrumented functions that the thread is in.
    pub call_stack: CallStack,
    /// The arguments of the last function of Rust's standard library that was entered.
    pub std_arguments: Cell<[u64; 2]>,
    /// Where that function was called.
    pub std_call: Cell<u64>,
    /// That function waits for a condition or notifies one.
    pub uses_condition: Cell<bool>,
    /// The function of a prebuilt library that was called last and of which nothing is known, as the offset of its name; 0 if that has been noticed.
    pub unknown_call: Cell<u64>,
}

/// A call of the harness.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CallInProgress {
    pub is_open: bool,
    pub position: u32,
    pub op: u32,
}

/// Closes the open call of the calling thread; none if it is closed already.
pub fn take_open_call() -> Option<CallInProgress> {
    let call = local().open_call.get();
    local().open_call.set(CallInProgress {
        is_open: false,
        ..call
    });
    call.is_open.then_some(call)
}

global_asm!(
    ".pushsection .tbss.omnilink_thread_local, \"awT\", %nobits",
    ".balign 16",
    ".hidden omnilink_thread_local",
    ".globl omnilink_thread_local",
    ".type omnilink_thread_local, %object",
    ".size omnilink_thread_local, {size}",
    "omnilink_thread_local:",
    ".zero {size}",
    ".popsection",
    size = const size_of::<ThreadLocal>(),
);

/// The storage of the calling thread. It lives as long as the thread, which does not pass the reference on.
#[inline(always)]
pub fn local() -> &'static ThreadLocal {
    let address: *const ThreadLocal;
    // SAFETY: adds the offset of the storage, which the linker knows, to the thread pointer. A fiber has a thread pointer of its own,
    // and always runs with it.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(
            "mov {address}, qword ptr [rip + omnilink_thread_local@GOTTPOFF]",
            "add {address}, qword ptr fs:[0]",
            address = out(reg) address, options(pure, nomem, nostack),
        );
        #[cfg(target_arch = "aarch64")]
        asm!(
            "mrs {address}, tpidr_el0",
            "adrp {offset}, :gottprel:omnilink_thread_local",
            "ldr {offset}, [{offset}, :gottprel_lo12:omnilink_thread_local]",
            "add {address}, {address}, {offset}",
            address = out(reg) address, offset = out(reg) _, options(pure, nomem, nostack, preserves_flags),
        );
    }
    // SAFETY: the assembly above defines the storage with the size of the structure, aligned and zero, which is a valid value. All that
    // Rust reads of it is in cells.
    unsafe { &*address }
}

/// The address of the calling thread's storage, and its thread pointer.
#[cfg(target_arch = "x86_64")]
pub fn storage_and_thread_pointer() -> (u64, u64) {
    let thread: u64;
    // SAFETY: the thread pointer points to itself.
    unsafe {
        asm!("mov {thread}, qword ptr fs:[0]", thread = out(reg) thread, options(pure, nomem, nostack))
    };
    (core::ptr::from_ref(local()) as u64, thread)
}

unsafe extern "C" {
    /// Placed by the linker at the first byte of the program.
    static __ehdr_start: u8;
}

/// Where the program was loaded.
pub fn load_address() -> u64 {
    (&raw const __ehdr_start) as u64
}

/// Where the component called the runtime, relative to the program's first byte.
///
/// Valid from the entry through a stub that saves it until the thread enters the runtime again: a function reads it first.
#[inline(always)]
pub fn caller() -> u64 {
    local().caller.get().wrapping_sub(load_address())
}

/// The registers of the calling thread when it called the runtime at `caller`. All zero if that stub did not save them.
pub fn registers(caller: u64) -> Registers {
    let local = local();
    if local.registers_caller.get().wrapping_sub(load_address()) == caller {
        local.registers.get()
    } else {
        [0; REGISTERS]
    }
}

/// Forgets the registers of the calling thread, so that no block seems to be in use because of them.
pub fn forget_registers() {
    local().registers.set([0; REGISTERS]);
}

/// The id of the calling thread, or [`NO_THREAD`] if it is not controlled.
#[inline(always)]
pub fn me() -> u8 {
    const { assert!(NO_THREAD == u8::MAX) };
    local().id_plus_one.get().wrapping_sub(1)
}

/// Makes the calling thread the controlled thread `id`, or an uncontrolled one if that is [`NO_THREAD`].
pub fn set_me(id: u8) {
    local().id_plus_one.set(id.wrapping_add(1));
}

/// Whether the scheduler decides when the calling thread runs.
#[inline(always)]
pub fn is_controlled() -> bool {
    let local = local();
    local.id_plus_one.get() != 0 && local.unobserved.get() == 0
}

/// Offsets that the stubs use.
pub const CALLER: usize = core::mem::offset_of!(ThreadLocal, caller);
pub const REGISTERS_CALLER: usize = core::mem::offset_of!(ThreadLocal, registers_caller);
const _: () = assert!(core::mem::offset_of!(ThreadLocal, registers) == 0);
