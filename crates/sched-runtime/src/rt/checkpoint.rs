//! Many executions in one process: when one has ended, everything is as it was before it began.
//!
//! Forking a process for each execution costs most of its time: the fork, a fault for each page that is written, new threads. Instead a
//! process saves its memory before its first execution and restores it after each. What an execution can change is:
//!
//! * **Memory.** All of it that is private and writable is restored, statics and thread-locals included. The component's heap and the
//!   tables of the runtime are reset, which makes them what they were: all zero.
//! * **Where its threads stand.** Columns are fibers, so that this is memory too: an execution can be given up in any state. A thread
//!   of the system that the component created cannot; the process then ends with its execution.
//! * **What the system keeps for the process.** If mappings or open files differ, the process ends with its execution, too. Signal
//!   handlers, timers and the working directory are not compared: for components that change them, and for the repetition of what was
//!   found, an execution can have a process of its own.
//!
//! After a crash there is no process left. The process that serves requests ([`server`](super::server)) then makes a new one.

use crate::rt::fiber::{self, Fiber};
use crate::rt::sys::{self, number, raw};
use crate::rt::{heap, races, saved_memory, server, threads, weak_memory};
use core::ffi::{CStr, c_int};

/// The moment to which the process returns, and the fiber that restores it, on a stack that is not restored.
#[unsafe(link_section = "omnilink_state")]
static mut BEGINNING: Fiber = Fiber::NONE;
#[unsafe(link_section = "omnilink_state")]
static mut KEEPER: Fiber = Fiber::NONE;
#[unsafe(link_section = "omnilink_state")]
static mut IS_TAKEN: bool = false;
/// The list of the sizes of the process.
#[unsafe(link_section = "omnilink_state")]
static mut SIZES: c_int = -1;
#[unsafe(link_section = "omnilink_state")]
static mut FOOTPRINT: Footprint = Footprint::NONE;

/// What the system keeps for the process, as far as it is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Footprint {
    /// Pages of all mappings.
    pages: u64,
    /// The number of the next file that is opened.
    next_file: i64,
}

impl Footprint {
    const NONE: Self = Self {
        pages: 0,
        next_file: 0,
    };

    unsafe fn now() -> Self {
        const F_DUPFD: i64 = 0;
        let mut text = [0_u8; 32];
        let at = text.as_mut_ptr();
        raw(number::PREAD, [SIZES.into(), at as i64, text.len() as i64 - 1, 0]);
        let next_file = raw(number::FCNTL, [SIZES.into(), F_DUPFD, 0]);
        raw(number::CLOSE, [next_file]);
        Self {
            pages: sys::leading_number(at.cast()).0,
            next_file,
        }
    }
}

/// Makes this the moment to which the process returns: the function returns now, and again before each further execution. Without
/// enough memory, or a list of it, the process makes one execution.
pub unsafe fn take() {
    const OPEN_ON_EXEC_CLOSED: i64 = 0o2_000_000;
    let path: &CStr = c"/proc/self/statm";
    let sizes = raw(number::OPENAT, [-100, path.as_ptr() as i64, OPEN_ON_EXEC_CLOSED]);
    if sizes < 0 {
        return;
    }
    SIZES = sys::move_out_of_the_way(sizes as c_int);
    let Some(stack) = saved_memory::map() else {
        return;
    };
    FOOTPRINT = Footprint::now();
    BEGINNING = Fiber::running();
    KEEPER = Fiber::new(stack, fiber::thread_pointer(), keep);
    IS_TAKEN = true;
    fiber::switch(&raw mut BEGINNING, &raw const KEEPER);
}

/// Returns to the moment that was taken. Returns to the caller if there is none, or if the process cannot be used again.
pub unsafe fn rewind() {
    if IS_TAKEN && !threads::has_system_threads() {
        let mut given_up = Fiber::running();
        fiber::switch(&raw mut given_up, &raw const KEEPER);
    }
}

unsafe extern "C" fn keep() -> ! {
    if !saved_memory::save() {
        IS_TAKEN = false;
    }
    loop {
        fiber::switch(&raw mut KEEPER, &raw const BEGINNING);
        sys::alarm(0);
        if Footprint::now() != FOOTPRINT {
            sys::exit_process(0);
        }
        // The explorer can go on while the memory is restored.
        server::answer();
        heap::reset();
        races::reset();
        weak_memory::reset();
        threads::reset();
        if !saved_memory::restore() {
            sys::exit_process(0);
        }
        server::wait_for_request();
    }
}
