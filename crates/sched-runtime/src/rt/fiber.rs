//! Fibers: flows of control with the stack and the thread-local storage of a thread, which all run on one thread of the system.
//!
//! To the component a fiber is a thread. For the system it does not exist: a switch is a few instructions instead of two system calls
//! and a context switch, and where a fiber stands is nothing but memory, which can be saved and restored.

#[cfg(target_arch = "x86_64")]
use crate::rt::sys;
use core::arch::{asm, global_asm};
use core::cell::Cell;
#[cfg(target_arch = "x86_64")]
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A fiber that does not run. All zero: none.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Fiber {
    stack_pointer: u64,
    /// Where the system's libraries find the storage of the thread.
    thread_pointer: u64,
}

impl Fiber {
    pub const NONE: Self = Self {
        stack_pointer: 0,
        thread_pointer: 0,
    };

    /// The fiber that is running, with the stack and the storage of the calling thread.
    pub fn running() -> Self {
        Self {
            stack_pointer: 0,
            thread_pointer: thread_pointer(),
        }
    }

    /// A fiber that begins with `entry` on a stack whose first free byte is below `stack`.
    ///
    /// # Safety
    /// The stack belongs to the fiber alone, and there is room for the frame and for what `entry` needs. The thread pointer is that of a
    /// thread of the system that never runs again.
    pub unsafe fn new(stack: u64, thread_pointer: u64, entry: unsafe extern "C" fn() -> !) -> Self {
        let frame = ((stack & !15) as *mut u64).wrapping_sub(FRAME_WORDS);
        // SAFETY: the words are on the stack, below its first free byte.
        unsafe {
            frame.write_bytes(0, FRAME_WORDS);
            frame.add(ENTRY_WORD).write(entry as usize as u64);
            #[cfg(target_arch = "x86_64")]
            frame.write(FLOATING_POINT_CONTROL);
        }
        Self {
            stack_pointer: frame as u64,
            thread_pointer,
        }
    }

    pub fn exists(&self) -> bool {
        self.thread_pointer != 0
    }
}

/// What [`swap_stacks`] leaves on the stack of a fiber, and where in it the address is at which the fiber goes on.
#[cfg(target_arch = "x86_64")]
const FRAME_WORDS: usize = 9;
#[cfg(target_arch = "x86_64")]
const ENTRY_WORD: usize = 7;
#[cfg(target_arch = "aarch64")]
const FRAME_WORDS: usize = 20;
#[cfg(target_arch = "aarch64")]
const ENTRY_WORD: usize = 11;

/// The control words of the two floating-point units when a program starts.
#[cfg(target_arch = "x86_64")]
const FLOATING_POINT_CONTROL: u64 = 0x037f_0000_1f80;

/// Suspends the running fiber, which is kept in `from`, and resumes another one.
///
/// # Safety
/// The calling thread is the fiber in `from`, and `next` is where another one was switched from, or a new one. What is on its stack, and
/// what the thread pointer leads to, has not changed since then.
pub unsafe fn switch(from: &Cell<Fiber>, next: Fiber) {
    // SAFETY: the caller's contract: nothing between the two uses the thread's storage. The other fiber finds its registers on its stack,
    // and the cell keeps where this one goes on.
    unsafe {
        if from.get().thread_pointer != next.thread_pointer {
            set_thread_pointer(next.thread_pointer);
        }
        swap_stacks(&raw mut (*from.as_ptr()).stack_pointer, next.stack_pointer);
    }
}

unsafe extern "C" {
    /// Saves the callee-saved registers on the stack and its address in `from`; takes those that were saved at `to`.
    #[link_name = "omnilink_swap_stacks"]
    fn swap_stacks(from: *mut u64, to: u64);
}

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".pushsection .text.omnilink_swap_stacks, \"ax\", %progbits",
    ".balign 16",
    ".hidden omnilink_swap_stacks",
    ".globl omnilink_swap_stacks",
    ".type omnilink_swap_stacks, %function",
    "omnilink_swap_stacks:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "stmxcsr dword ptr [rsp]",
    "fnstcw word ptr [rsp + 4]",
    "mov qword ptr [rdi], rsp",
    "mov rsp, rsi",
    "ldmxcsr dword ptr [rsp]",
    "fldcw word ptr [rsp + 4]",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".size omnilink_swap_stacks, . - omnilink_swap_stacks",
    ".popsection",
);

#[cfg(target_arch = "aarch64")]
global_asm!(
    ".pushsection .text.omnilink_swap_stacks, \"ax\", %progbits",
    ".balign 16",
    ".hidden omnilink_swap_stacks",
    ".globl omnilink_swap_stacks",
    ".type omnilink_swap_stacks, %function",
    "omnilink_swap_stacks:",
    "sub sp, sp, #160",
    "stp x19, x20, [sp]",
    "stp x21, x22, [sp, #16]",
    "stp x23, x24, [sp, #32]",
    "stp x25, x26, [sp, #48]",
    "stp x27, x28, [sp, #64]",
    "stp x29, x30, [sp, #80]",
    "stp d8, d9, [sp, #96]",
    "stp d10, d11, [sp, #112]",
    "stp d12, d13, [sp, #128]",
    "stp d14, d15, [sp, #144]",
    "mov x9, sp",
    "str x9, [x0]",
    "mov sp, x1",
    "ldp x19, x20, [sp]",
    "ldp x21, x22, [sp, #16]",
    "ldp x23, x24, [sp, #32]",
    "ldp x25, x26, [sp, #48]",
    "ldp x27, x28, [sp, #64]",
    "ldp x29, x30, [sp, #80]",
    "ldp d8, d9, [sp, #96]",
    "ldp d10, d11, [sp, #112]",
    "ldp d12, d13, [sp, #128]",
    "ldp d14, d15, [sp, #144]",
    "add sp, sp, #160",
    "ret",
    ".size omnilink_swap_stacks, . - omnilink_swap_stacks",
    ".popsection",
);

/// Where the storage of the calling thread is.
pub fn thread_pointer() -> u64 {
    let pointer: u64;
    // SAFETY: reads a register, or the word that x86 keeps at that address for this purpose.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(pure, readonly, nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    pointer
}

/// Whether a program may set the register itself. Older systems want to be asked.
#[cfg(target_arch = "x86_64")]
#[unsafe(link_section = "omnilink_state")]
static SETS_THREAD_POINTER: AtomicBool = AtomicBool::new(false);

/// Finds out how the thread pointer is set.
pub fn prepare() {
    #[cfg(target_arch = "x86_64")]
    {
        const AT_HWCAP2: core::ffi::c_ulong = 26;
        const HWCAP2_FSGSBASE: core::ffi::c_ulong = 2;
        SETS_THREAD_POINTER.store(sys::getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE != 0, Relaxed);
    }
}

/// # Safety
/// The pointer leads to the storage of a thread.
#[inline(always)]
unsafe fn set_thread_pointer(pointer: u64) {
    // SAFETY: the caller's contract. The first instruction is used only where the system says that a program may.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if SETS_THREAD_POINTER.load(Relaxed) {
            asm!("wrfsbase {}", in(reg) pointer, options(nostack, preserves_flags));
        } else {
            const ARCH_SET_FS: i64 = 0x1002;
            sys::raw(sys::number::ARCH_PRCTL, [ARCH_SET_FS, pointer as i64]);
        }
        #[cfg(target_arch = "aarch64")]
        asm!("msr tpidr_el0, {}", in(reg) pointer, options(nostack, preserves_flags));
    }
}
