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
use crate::rt::global::Global;
use crate::rt::sys::{self, number, raw};
use crate::rt::{heap, races, saved_memory, server, threads, weak_memory};
use core::cell::Cell;
use core::ffi::c_int;

/// The moment to which the process returns, and the fiber that restores it, on a stack that is not restored.
#[unsafe(link_section = "omnilink_state")]
static BEGINNING: Global<Cell<Fiber>> = Global::new(Cell::new(Fiber::NONE));
#[unsafe(link_section = "omnilink_state")]
static KEEPER: Global<Cell<Fiber>> = Global::new(Cell::new(Fiber::NONE));
#[unsafe(link_section = "omnilink_state")]
static IS_TAKEN: Global<Cell<bool>> = Global::new(Cell::new(false));
/// The list of the sizes of the process.
#[unsafe(link_section = "omnilink_state")]
static SIZES: Global<Cell<c_int>> = Global::new(Cell::new(-1));
#[unsafe(link_section = "omnilink_state")]
static FOOTPRINT: Global<Cell<Footprint>> = Global::new(Cell::new(Footprint::NONE));

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

    fn now() -> Self {
        const F_DUPFD: i64 = 0;
        let mut text = [0_u8; 32];
        let (file, length) = (SIZES.get(), text.len() as i64);
        // SAFETY: it writes into the array.
        unsafe { raw(number::PREAD, [file.into(), text.as_mut_ptr() as i64, length, 0]) };
        let next_file = sys::fcntl(file, F_DUPFD, 0);
        sys::close(next_file as c_int);
        Self {
            pages: sys::leading_number(&text).0,
            next_file,
        }
    }
}

/// Makes this the moment to which the process returns: the function returns now, and again before each further execution. Without
/// enough memory, or a list of it, the process makes one execution.
pub fn take() {
    let sizes = sys::open(c"/proc/self/statm");
    if sizes < 0 {
        return;
    }
    SIZES.set(sys::move_out_of_the_way(sizes));
    let Some(stack) = saved_memory::map() else {
        return;
    };
    FOOTPRINT.set(Footprint::now());
    BEGINNING.set(Fiber::running());
    IS_TAKEN.set(true);
    // SAFETY: nobody else uses the stack, which is large enough. The two fibers take turns on the calling thread, and share its storage.
    unsafe {
        KEEPER.set(Fiber::new(stack, fiber::thread_pointer(), keep));
        fiber::switch(&BEGINNING, KEEPER.get());
    }
}

/// Returns to the moment that was taken. Returns to the caller if there is none, or if the process cannot be used again.
pub fn rewind() {
    if IS_TAKEN.get() && !threads::has_system_threads() {
        let given_up = Cell::new(Fiber::running());
        // SAFETY: the keeper waits where it switched to the beginning, on a stack of its own.
        unsafe { fiber::switch(&given_up, KEEPER.get()) };
    }
}

extern "C" fn keep() -> ! {
    // SAFETY: this is the stack of the keeper. The process has one thread that runs; those of the columns sleep for ever.
    if !unsafe { saved_memory::save() } {
        IS_TAKEN.set(false);
    }
    loop {
        // SAFETY: the beginning is as it was when it switched to here: its stack and its storage were restored.
        unsafe { fiber::switch(&KEEPER, BEGINNING.get()) };
        sys::alarm(0);
        if Footprint::now() != FOOTPRINT.get() {
            sys::exit_process(0);
        }
        // The explorer can go on while the memory is restored.
        server::answer();
        heap::reset();
        races::reset();
        weak_memory::reset();
        threads::reset();
        // SAFETY: as above; the next switch leads to the beginning, as it was when it was saved.
        if !unsafe { saved_memory::restore() } {
            sys::exit_process(0);
        }
        server::wait_for_request();
    }
}
