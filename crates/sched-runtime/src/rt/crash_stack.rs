//! Where a process died: the functions that the running thread was in.
//!
//! A signal that is about to kill the process is caught once, the stack is written to the shared memory, and the signal then does
//! what it would have done. A handler that the component installs replaces ours, and a stack that cannot be unwound is shorter: nothing but
//! the report depends on it. The unwinder is that of the program, which C++ and Rust programs have.

use crate::rt::entry::load_address;
use crate::rt::scheduler::{self, shared};
use crate::rt::sys::{self, number, raw};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};

/// SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE and SIGSEGV.
const SIGNALS: [c_int; 6] = [4, 5, 6, 7, 8, 11];
/// Unwinding takes some kilobytes, and what the processor saves for a handler as many again.
const HANDLER_STACK_BYTES: usize = 128 << 10;

/// `struct sigaction` of the C library.
#[repr(C)]
struct Action {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// `stack_t`.
#[repr(C)]
struct HandlerStack {
    memory: *mut u8,
    flags: c_int,
    size: usize,
}

/// The first fields of `siginfo_t`.
#[repr(C)]
struct SignalInfo {
    signal: c_int,
    errno: c_int,
    code: c_int,
}

/// Set when something has failed that ends the process.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);
/// The functions of the unwinder, 0 if there is none. They are looked up before anything has failed.
static BACKTRACE: AtomicUsize = AtomicUsize::new(0);
static GET_ADDRESS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn sigaction(signal: c_int, action: *const Action, old: *mut Action) -> c_int;
    fn sigaltstack(stack: *const HandlerStack, old: *mut HandlerStack) -> c_int;
    /// Placed by the linker after the last instruction of the program.
    static etext: u8;
}

/// Catches what kills this process, on the calling thread and on those that it creates.
pub fn catch() {
    const SA_SIGINFO: c_int = 4;
    const SA_ONSTACK: c_int = 0x0800_0000;
    BACKTRACE.store(sys::function(c"_Unwind_Backtrace") as usize, Relaxed);
    GET_ADDRESS.store(sys::function(c"_Unwind_GetIPInfo") as usize, Relaxed);
    let Some(memory) = sys::map_memory(HANDLER_STACK_BYTES) else {
        return;
    };
    let stack = HandlerStack {
        memory,
        flags: 0,
        size: HANDLER_STACK_BYTES,
    };
    // SAFETY: the memory is new and stays.
    unsafe { sigaltstack(&raw const stack, core::ptr::null_mut()) };
    for signal in SIGNALS {
        let action = Action {
            handler: died as *const () as usize,
            mask: [0; 16],
            flags: SA_SIGINFO | SA_ONSTACK,
            restorer: 0,
        };
        // SAFETY: the handler has the type that its flags say.
        unsafe { sigaction(signal, &raw const action, core::ptr::null_mut()) };
    }
}

unsafe extern "C" fn died(signal: c_int, info: *const SignalInfo, _context: *mut c_void) {
    let default = Action {
        handler: 0,
        mask: [0; 16],
        flags: 0,
        restorer: 0,
    };
    // SAFETY: the default is no handler.
    unsafe { sigaction(signal, &raw const default, core::ptr::null_mut()) };
    if is_first_failure() {
        record();
    }
    // An instruction that fails does so again when this function returns. A signal that was sent has to be sent again; it arrives then.
    // SAFETY: the system passes the information.
    if unsafe { (*info).code } <= 0 {
        // SAFETY: the calls take numbers only.
        unsafe {
            let thread = raw(number::GETTID, []);
            raw(
                number::TGKILL,
                [sys::process_number().into(), thread, signal.into()],
            );
        }
    }
}

/// Whether this is the first failure of the process that the explorer watches: the record has room for one. A copy of that process, which
/// it has forked, has no record.
fn is_first_failure() -> bool {
    let is_watched = scheduler::is_attached() && shared().process.load(Relaxed) == sys::process_number();
    is_watched && !HAS_FAILED.swap(true, SeqCst)
}

/// The calling thread has found a failure, and ends the process. If another one has done so before, it waits for its end.
pub fn begin_failure() {
    if HAS_FAILED.swap(true, SeqCst) {
        sys::park_forever();
    }
}

type Backtrace = unsafe extern "C" fn(
    frame: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
    *mut c_void,
) -> c_int;
type GetAddress = unsafe extern "C" fn(frame: *mut c_void, is_before: *mut c_int) -> usize;

/// Writes the stack of the calling thread to the shared memory: the addresses to which its functions return, the innermost first.
pub fn record() {
    shared().stack_len.set(0);
    let (backtrace, get_address) = (BACKTRACE.load(Relaxed), GET_ADDRESS.load(Relaxed));
    if backtrace == 0 || get_address == 0 {
        return;
    }
    // SAFETY: the unwinder's function of this name has this type, and calls `add_frame` with what it is given here.
    unsafe {
        let backtrace: Backtrace = core::mem::transmute(backtrace);
        backtrace(add_frame, get_address as *mut c_void);
    }
}

unsafe extern "C" fn add_frame(frame: *mut c_void, get_address: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const END: c_int = 5;
    let mut is_before = 0;
    // SAFETY: `record` passes the unwinder's function, which has this type, and the unwinder a frame.
    let address = unsafe {
        let get_address: GetAddress = core::mem::transmute(get_address);
        get_address(frame, &raw mut is_before) as u64
    };
    // Where a signal interrupted a function, the address is that of the instruction itself, and not of the one after a call.
    let returns_to = address + u64::from(is_before != 0);
    let shared = shared();
    if returns_to > load_address() && returns_to <= (&raw const etext) as u64 {
        let Some(free) = shared.stack.get(shared.stack_len.get() as usize) else {
            return END;
        };
        free.set(returns_to - load_address());
        shared.stack_len.set(shared.stack_len.get() + 1);
    }
    GO_ON
}
