//! The stacks and the thread-local storage of the columns.
//!
//! Each is that of a real thread, made by the C library, so that everything in it is as a thread expects it. The thread itself never
//! runs again; a [`Fiber`] uses what it has.

use crate::layout::{THREADS_CAP, ending};
use crate::rt::fiber::{Fiber, thread_pointer};
use crate::rt::scheduler;
use crate::rt::sys::{self, number, raw, real};
use crate::rt::threads::StartRoutine;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Clone, Copy)]
struct ColumnStack {
    handle: usize,
    /// The first free byte is below this.
    stack: u64,
    thread_pointer: u64,
}

impl ColumnStack {
    const NONE: Self = Self {
        handle: 0,
        stack: 0,
        thread_pointer: 0,
    };
}

#[unsafe(link_section = "omnilink_state")]
static mut STACKS: [ColumnStack; THREADS_CAP] = [ColumnStack::NONE; THREADS_CAP];
#[unsafe(link_section = "omnilink_state")]
static mut COUNT: u32 = 0;
/// A futex: 1 while a thread has not recorded its stack yet.
#[unsafe(link_section = "omnilink_state")]
static STARTING: AtomicU32 = AtomicU32::new(0);

/// Makes as many as there are columns.
pub unsafe fn provide(count: u32) {
    while COUNT < count {
        STARTING.store(1, SeqCst);
        let stack = &raw mut STACKS[COUNT as usize & (THREADS_CAP - 1)];
        let failure = real!(
            pthread_create,
            fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
            &raw mut (*stack).handle,
            core::ptr::null(),
            lend,
            stack.cast()
        );
        if failure != 0 {
            scheduler::end(ending::TOO_MANY_THREADS, 0);
        }
        while STARTING.load(SeqCst) != 0 {
            sys::futex_wait(&STARTING, 1);
        }
        COUNT += 1;
    }
}

/// How many there are.
pub unsafe fn count() -> u32 {
    COUNT
}

/// A fiber with the stack of a column, the address at which its stack begins, and the handle of its thread.
pub unsafe fn fiber(column: u8, entry: unsafe extern "C" fn() -> !) -> (Fiber, u64, usize) {
    let ColumnStack {
        handle,
        stack,
        thread_pointer,
    } = STACKS[column as usize & (THREADS_CAP - 1)];
    (Fiber::new(stack, thread_pointer, entry), stack, handle)
}

/// The thread of a column: it records what it has, and sleeps. No signal may be handled on its stack.
unsafe extern "C" fn lend(stack: *mut c_void) -> *mut c_void {
    /// Its own frames, up to the system call in which it sleeps.
    const FRAMES: u64 = 2_048;
    const SIG_BLOCK: i64 = 0;
    let all = u64::MAX;
    let set = (&raw const all) as i64;
    raw(number::SIGPROCMASK, [SIG_BLOCK, set, 0, size_of_val(&all) as i64]);
    let here = 0_u8;
    let lent = &mut *stack.cast::<ColumnStack>();
    lent.stack = ((&raw const here) as u64 - FRAMES) & !15;
    lent.thread_pointer = thread_pointer();
    STARTING.store(0, SeqCst);
    sys::futex_wake(&STARTING);
    sys::park_forever()
}
