//! The stacks and the thread-local storage of the columns.
//!
//! Each is that of a real thread, made by the C library, so that everything in it is as a thread expects it. The thread itself never
//! runs again; a [`Fiber`] uses what it has.

use crate::checked::slot;
use crate::layout::{THREADS_CAP, ending};
use crate::rt::fiber::{Fiber, thread_pointer};
use crate::rt::global::Global;
use crate::rt::scheduler;
use crate::rt::sys::{self, number, raw, real};
use crate::rt::threads::StartRoutine;
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Written by the thread that lends it, while its creator waits.
struct ColumnStack {
    handle: Cell<usize>,
    /// The first free byte is below this.
    stack: Cell<u64>,
    thread_pointer: Cell<u64>,
}

#[unsafe(link_section = "omnilink_state")]
static STACKS: Global<[ColumnStack; THREADS_CAP]> = Global::new(
    [const {
        ColumnStack {
            handle: Cell::new(0),
            stack: Cell::new(0),
            thread_pointer: Cell::new(0),
        }
    }; THREADS_CAP],
);
#[unsafe(link_section = "omnilink_state")]
static COUNT: Global<Cell<u32>> = Global::new(Cell::new(0));
/// A futex: 1 while a thread has not recorded its stack yet.
#[unsafe(link_section = "omnilink_state")]
static STARTING: AtomicU32 = AtomicU32::new(0);

/// Makes as many as there are columns.
pub fn provide(count: u32) {
    while COUNT.get() < count {
        STARTING.store(1, SeqCst);
        let stack = slot(&*STACKS, COUNT.get() as usize);
        // SAFETY: the handle may be written, and `lend` takes a pointer to a stack that is never freed.
        let failure = unsafe {
            real!(
                pthread_create,
                fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
                stack.handle.as_ptr(),
                core::ptr::null(),
                lend,
                core::ptr::from_ref(stack).cast_mut().cast()
            )
        };
        if failure != 0 {
            scheduler::end(ending::TOO_MANY_THREADS, 0);
        }
        while STARTING.load(SeqCst) != 0 {
            sys::futex_wait(&STARTING, 1);
        }
        COUNT.set(COUNT.get() + 1);
    }
}

/// How many there are.
pub fn count() -> u32 {
    COUNT.get()
}

/// A fiber with the stack of a column, the address at which its stack begins, and the handle of its thread.
pub fn fiber(column: u8, entry: unsafe extern "C" fn() -> !) -> (Fiber, u64, usize) {
    let lent = slot(&*STACKS, column.into());
    let stack = lent.stack.get();
    // SAFETY: the thread that has lent the stack sleeps for ever above it, and each execution makes one fiber of it.
    let fiber = unsafe { Fiber::new(stack, lent.thread_pointer.get(), entry) };
    (fiber, stack, lent.handle.get())
}

/// The thread of a column: it records what it has, and sleeps. No signal may be handled on its stack.
unsafe extern "C" fn lend(stack: *mut c_void) -> *mut c_void {
    /// Its own frames, up to the system call in which it sleeps.
    const FRAMES: u64 = 2_048;
    const SIG_BLOCK: i64 = 0;
    let all = u64::MAX;
    let set = (&raw const all) as i64;
    // SAFETY: it reads the set.
    unsafe { raw(number::SIGPROCMASK, [SIG_BLOCK, set, 0, size_of_val(&all) as i64]) };
    let here = 0_u8;
    // SAFETY: `provide` passes a stack, and waits.
    let lent = unsafe { &*stack.cast::<ColumnStack>() };
    lent.stack.set(((&raw const here) as u64 - FRAMES) & !15);
    lent.thread_pointer.set(thread_pointer());
    STARTING.store(0, SeqCst);
    sys::futex_wake(&STARTING);
    sys::park_forever()
}
