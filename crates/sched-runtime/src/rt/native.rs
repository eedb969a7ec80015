//! Native threads: the operating system schedules them.
//!
//! For components that cannot be instrumented. Threads are kept over many rounds, each with a new component; they meet before
//! each round, so that their calls overlap. An event reserves its offset in the shared memory by one atomic addition, before a
//! call begins or after its effect. The offsets are the order that is shown: an operation that is shown to end before another
//! one begins really did.

use crate::checked::slot;
use crate::layout::{EVENTS_CAP, EventHeader, ending, event_kind};
use crate::rt::entry::{CallInProgress, local, take_open_call};
use crate::rt::sys::{self, number, raw, real};
use crate::rt::threads::StartRoutine;
use crate::rt::{scheduler, server};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};

/// No round begins when less than this is left for its events.
const ROUND_BYTES_MIN: u32 = 1 << 16;

/// The round that may begin; 0 before the first.
static ROUND: AtomicU32 = AtomicU32::new(0);
/// Columns that have finished the current round.
static FINISHED: AtomicU32 = AtomicU32::new(0);

type EnableStalls = extern "C" fn(c_int);
/// The function of the chaos preload library that enables stalls, if it is loaded.
/// 0 if it is not.
static ENABLE_STALLS: AtomicUsize = AtomicUsize::new(0);

/// Runs rounds in the process of an execution.
pub fn run() -> ! {
    let shared = scheduler::shared();
    // The harness is bound to one processor, which is best for threads that run one at a time.
    let all = [u64::MAX; 16];
    // SAFETY: it reads the set.
    unsafe {
        raw(
            number::SCHED_SETAFFINITY,
            [0, size_of_val(&all) as i64, all.as_ptr() as i64],
        )
    };
    let main = scheduler::columns();
    shared.running.set(main.into());
    local().native_column_plus_one.set(main + 1);
    ENABLE_STALLS.store(sys::function(c"omnilink_chaos_enable") as usize, Relaxed);
    for column in 0..main {
        let mut handle = 0_usize;
        // SAFETY: the handle may be written, and the function takes a number.
        let failure = unsafe {
            real!(
                pthread_create,
                fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
                &raw mut handle,
                core::ptr::null(),
                column_main,
                column as usize as *mut c_void
            )
        };
        if failure != 0 {
            scheduler::end(ending::TOO_MANY_THREADS, 0);
        }
    }
    for round in 1..=shared.rounds.get() {
        server::make_component();
        for position in 0..shared.before_len.get() {
            call(position, position);
        }
        FINISHED.store(0, SeqCst);
        ROUND.store(round, SeqCst);
        wait_while(|| FINISHED.load(SeqCst) < main.into());
        let first_after = server::ops_before_column(main);
        for index in 0..shared.after_len.get() {
            call(first_after + index, shared.before_len.get() + index);
        }
        server::destroy_component();
        event(event_kind::ROUND_END, 0, 0, &[]);
        if shared.events_len.load(SeqCst) + ROUND_BYTES_MIN > EVENTS_CAP as u32 {
            break;
        }
    }
    scheduler::end(ending::FINISHED, 0)
}

unsafe extern "C" fn column_main(column: *mut c_void) -> *mut c_void {
    let column = column as usize as u8;
    local().native_column_plus_one.set(column + 1);
    enable_stalls(false);
    let first = server::ops_before_column(column);
    let count = slot(&scheduler::shared().column_len, column.into()).get();
    let mut round = 1;
    loop {
        wait_while(|| ROUND.load(SeqCst) < round);
        for position in 0..count {
            call(first + position, position);
        }
        FINISHED.fetch_add(1, SeqCst);
        round += 1;
    }
}

/// Spins for a while, so that threads begin together, then yields: there may be one processor only.
fn wait_while(condition: impl Fn() -> bool) {
    const SPINS: u32 = 200;
    let mut spins = 0;
    while condition() {
        spins += 1;
        match spins > SPINS {
            true => sys::sched_yield(),
            false => core::hint::spin_loop(),
        }
    }
}

fn call(index: u32, position: u32) {
    let op = server::op_at(index);
    event(event_kind::CALL, position, op, &[]);
    local().open_call.set(CallInProgress {
        is_open: true,
        position,
        op,
    });
    enable_stalls(true);
    server::call_component(u32::from(local().native_column_plus_one.get()) - 1, op);
    returned(&[]);
}

/// Tells the chaos preload library whether the calling thread is inside a call.
fn enable_stalls(is_enabled: bool) {
    let function = ENABLE_STALLS.load(Relaxed);
    if function != 0 {
        // SAFETY: the function of this name in our own library has this type.
        let enable: EnableStalls = unsafe { core::mem::transmute(function) };
        enable(is_enabled.into());
    }
}

/// The open call of a native thread returns; false if the calling thread is not native.
pub fn returned(result: &[u8]) -> bool {
    if local().native_column_plus_one.get() == 0 {
        return false;
    }
    enable_stalls(false);
    if let Some(CallInProgress { position, op, .. }) = take_open_call() {
        event(event_kind::RETURN, position, op, result);
    }
    true
}

fn event(kind: u8, position: u32, op: u32, result: &[u8]) {
    let size = size_of::<EventHeader>() + result.len().next_multiple_of(8);
    if size > EVENTS_CAP / 2 {
        scheduler::end(ending::EVENTS_TOO_LARGE, 0);
    }
    let used = &scheduler::shared().events_len;
    let start = used.fetch_add(size as u32, SeqCst) as usize;
    if start + size > EVENTS_CAP {
        used.store(start as u32, SeqCst);
        scheduler::end(ending::EVENTS_TOO_LARGE, 0);
    }
    let header = EventHeader {
        step: start as u64,
        position,
        op,
        value_len: result.len() as u32,
        thread: local().native_column_plus_one.get() - 1,
        kind,
        reserved: 0,
    };
    server::write_event(start, header, result);
}
