//! Threads of a whole program that wait until a file can be read or written: pipes, sockets, event counters, sets of those.
//!
//! Whether a file is ready is asked of the system whenever a decision is made, so that it is a fact of the schedule: inside of one program
//! a file becomes ready by a step of another thread. Only if no thread can run, what is outside of the program may have a moment to answer:
//! another process, or the network of this machine, which may deliver a little later.

use crate::rt::clock;
use crate::rt::entry::{is_controlled, me};
use crate::rt::scheduler::{self, Phase, access};
use crate::rt::spin::Yield;
use crate::rt::sys;
use crate::rt::threads::{ThreadState, ids, thread};
use crate::rt::wait::{Wakeup, wait};
use crate::rt::{cancellation, processes, races, wait, waiting_places};
use core::ffi::c_int;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// `struct pollfd`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PollFile {
    pub file: c_int,
    pub events: i16,
    pub returned: i16,
}

pub const POLLIN: i16 = 1;
pub const POLLOUT: i16 = 4;

/// The files that a thread waits for.
#[derive(Clone, Copy)]
pub struct AwaitedFiles {
    files: *mut PollFile,
    count: usize,
}

impl AwaitedFiles {
    pub const NONE: Self = Self {
        files: core::ptr::null_mut(),
        count: 0,
    };

    /// Whether there are some.
    fn is_some(self) -> bool {
        !self.files.is_null()
    }

    /// Whether one of them is ready, or becomes ready within some milliseconds.
    fn are_ready(self, milliseconds: i64) -> bool {
        if self.files.is_null() {
            return false;
        }
        // SAFETY: the list is there: the thread that waits has set it, and takes it away before the list is gone. That thread has stopped,
        // or is the calling one.
        let files = unsafe { core::slice::from_raw_parts_mut(self.files, self.count) };
        sys::poll(files, [0, milliseconds * 1_000_000]) > 0
    }
}

/// What is outside of the program and may answer later: nothing, the network of this machine, another process.
#[unsafe(link_section = "omnilink_state")]
static PATIENCE_MS: AtomicI64 = AtomicI64::new(0);
/// The network of this machine usually delivers at once.
pub const NETWORK_MS: i64 = 5;
/// Another process has to be scheduled by the system.
pub const PROCESS_MS: i64 = 200;

/// From now on something outside of the program may answer within this time.
pub fn expect_answers(milliseconds: i64) {
    PATIENCE_MS.fetch_max(milliseconds, Relaxed);
}

/// Whether reading and writing are steps of the calling thread.
pub fn is_scheduled() -> bool {
    is_controlled() && scheduler::phase() == Phase::WholeProgram
}

/// The calling thread is about to read or write something that another thread may have: a step, which depends on all others of this kind.
pub fn step(code: u64) {
    access(step_address(), true, code, Yield::No);
    scheduler::mark_opaque(me());
}

/// One location stands for everything that is read and written.
fn step_address() -> u64 {
    core::ptr::from_ref(&PATIENCE_MS) as u64
}

/// What the calling thread did so far is before what reads what it writes now.
pub fn release() {
    races::release(step_address());
    scheduler::progress();
}

/// What was done before something was written is before what the calling thread does from now on.
pub fn acquire() {
    races::acquire(step_address());
}

/// Whether the files that a thread waits for are ready.
pub fn has_come(id: u8) -> bool {
    thread(id).awaited.get().are_ready(0)
}

/// Waits until one of the files is ready: it then is woken. A cancellation point.
pub fn wait_for(files: &mut [PollFile], deadline_ns: Option<u64>, code: u64) -> Wakeup {
    cancellation::within(|| wait_until_ready(files, deadline_ns, code))
}

fn wait_until_ready(files: &mut [PollFile], deadline_ns: Option<u64>, code: u64) -> Wakeup {
    let awaited = AwaitedFiles {
        files: files.as_mut_ptr(),
        count: files.len(),
    };
    waiting_places::may_wait(code);
    if awaited.are_ready(0) {
        return Wakeup::Woken;
    }
    waiting_places::waits(code);
    thread(me()).awaited.set(awaited);
    let address = thread(me()).awaited.as_ptr() as u64;
    let ended = wait(address, u32::MAX, deadline_ns, code);
    thread(me()).awaited.set(AwaitedFiles::NONE);
    ended
}

/// Whether a file can be read now.
pub fn is_ready(file: c_int) -> bool {
    let mut file = PollFile {
        file,
        events: POLLIN,
        returned: 0,
    };
    let awaited = AwaitedFiles {
        files: &raw mut file,
        count: 1,
    };
    awaited.are_ready(0)
}

/// When a limit in milliseconds ends; none if it is negative.
pub fn deadline(milliseconds: c_int) -> Option<u64> {
    let limit_ns = u64::try_from(milliseconds).ok()? * 1_000_000;
    Some(clock::now_ns().saturating_add(limit_ns))
}

/// How much longer another process may take if nothing else can ever happen.
const LAST_HOPE: i64 = 50;

/// No thread can run: waits for what is outside of the program, longer if nothing else can happen. Returns whether something has come.
pub fn await_outside(is_last_hope: bool) -> bool {
    let patience_ms = PATIENCE_MS.load(Relaxed);
    let rounds = match is_last_hope && patience_ms >= PROCESS_MS {
        true => patience_ms * LAST_HOPE,
        false => patience_ms,
    };
    if processes::await_polled() {
        scheduler::progress();
        return true;
    }
    let waiting = || ids().filter(|&id| thread(id).state.get() == ThreadState::Waiting);
    // Of several threads, each file is looked at in turn for a moment.
    let waits_for_files = waiting().any(|id| thread(id).awaited.get().is_some());
    for _ in 0..rounds {
        // The program is not to be taken for one that hangs.
        scheduler::beat();
        if !waits_for_files {
            // A signal may come.
            sys::poll(&mut [], [0, 1_000_000]);
        }
        for id in waiting() {
            if thread(id).awaited.get().are_ready(1) || wait::is_disturbed(id) {
                return true;
            }
        }
    }
    false
}
