//! Native threads: nobody decides, the system runs them as it likes.
//!
//! For components that cannot be instrumented. Threads are kept over many rounds, each with a new component;
//! they meet before each round, so that their calls overlap. An event takes its place in the shared memory by
//! one atomic addition, before a call begins or after its effect; the places are the order that is shown, so
//! that an operation which is shown to end before another one begins really did.

use crate::baton;
use crate::layout::{EVENTS_CAP, EventHeader, NOBODY, ending, kind};
use crate::serve;
use crate::sys::{self, number, raw, real};
use crate::threads::StartRoutine;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Rounds end when less than this is left for their events.
const ROOM_PER_ROUND: u32 = 1 << 16;

/// The round that may begin; 0 before the first.
static ROUND: AtomicU32 = AtomicU32::new(0);
/// Columns that have finished the current round.
static FINISHED: AtomicU32 = AtomicU32::new(0);

type Welcome = unsafe extern "C" fn(c_int);
/// What tells the preloaded library where stalls are of use, if it is there.
static mut WELCOME: Option<Welcome> = None;

#[thread_local]
static mut COLUMN: u8 = NOBODY;
#[thread_local]
static mut OPEN: Option<(u32, u32)> = None;

pub unsafe fn run() -> ! {
    unsafe {
        let shared = &mut *baton::shared();
        // The harness is tied to one processor, which is best for threads that take turns.
        let all = [u64::MAX; 16];
        raw(number::SCHED_SETAFFINITY, 0, size_of_val(&all) as i64, all.as_ptr() as i64, 0, 0, 0);
        let main = baton::columns();
        shared.running = main.into();
        COLUMN = main;
        let found = sys::dlsym(core::ptr::null_mut(), c"omnilink_chaos_welcome".as_ptr());
        WELCOME = core::mem::transmute::<*mut c_void, Option<Welcome>>(found);
        for column in 0..main {
            let mut handle = 0_usize;
            let failure = real!(
                "pthread_create",
                fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
                &raw mut handle, core::ptr::null(), column_main, column as usize as *mut c_void
            );
            if failure != 0 {
                baton::end(ending::TOO_MANY_THREADS, 0);
            }
        }
        for round in 1..=shared.rounds {
            serve::make_component();
            for position in 0..shared.before_len {
                call(position, position);
            }
            FINISHED.store(0, SeqCst);
            ROUND.store(round, SeqCst);
            wait_while(|| FINISHED.load(SeqCst) < main.into());
            let first_after = serve::ops_before_column(main);
            for index in 0..shared.after_len {
                call(first_after + index, shared.before_len + index);
            }
            serve::destroy_component();
            event(kind::ROUND_END, 0, 0, &[]);
            if used().load(SeqCst) + ROOM_PER_ROUND > EVENTS_CAP as u32 {
                break;
            }
        }
        baton::end(ending::FINISHED, 0)
    }
}

unsafe extern "C" fn column_main(column: *mut c_void) -> *mut c_void {
    unsafe {
        COLUMN = column as usize as u8;
        welcome_stalls(false);
        let first = serve::ops_before_column(COLUMN);
        let count = (*baton::shared()).column_len.get(COLUMN as usize).copied().unwrap_or(0);
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
}

/// Spins for a while, so that threads begin together, then lets others run: there may be one processor only.
unsafe fn wait_while(still: impl Fn() -> bool) {
    const SPINS: u32 = 200;
    let mut spins = 0;
    while still() {
        spins += 1;
        match spins > SPINS {
            true => unsafe { _ = raw(number::SCHED_YIELD, 0, 0, 0, 0, 0, 0) },
            false => core::hint::spin_loop(),
        }
    }
}

unsafe fn call(index: u32, position: u32) {
    unsafe {
        let op = serve::op_at(index);
        event(kind::CALL, position, op, &[]);
        OPEN = Some((position, op));
        welcome_stalls(true);
        serve::call_component(COLUMN.into(), op);
        returned(core::ptr::null(), 0);
    }
}

unsafe fn welcome_stalls(are_welcome: bool) {
    unsafe {
        if let Some(welcome) = WELCOME {
            welcome(are_welcome.into());
        }
    }
}

/// The open call of a native thread returns; false if the calling thread is none.
pub unsafe fn returned(result: *const u8, length: usize) -> bool {
    unsafe {
        if COLUMN == NOBODY {
            return false;
        }
        welcome_stalls(false);
        let open = &mut *(&raw mut OPEN);
        if let Some((position, op)) = open.take() {
            let result = if length == 0 { &[] } else { core::slice::from_raw_parts(result, length) };
            event(kind::RETURN, position, op, result);
        }
        true
    }
}

unsafe fn used() -> &'static AtomicU32 {
    unsafe { AtomicU32::from_ptr(&raw mut (*baton::shared()).events_len) }
}

unsafe fn event(what: u8, position: u32, op: u32, result: &[u8]) {
    unsafe {
        let size = size_of::<EventHeader>() + result.len().next_multiple_of(8);
        if size > EVENTS_CAP / 2 {
            baton::end(ending::EVENTS_TOO_LARGE, 0);
        }
        let start = used().fetch_add(size as u32, SeqCst) as usize;
        if start + size > EVENTS_CAP {
            used().store(start as u32, SeqCst);
            baton::end(ending::EVENTS_TOO_LARGE, 0);
        }
        let place = (*baton::shared()).events.as_mut_ptr().add(start);
        core::ptr::copy_nonoverlapping(result.as_ptr(), place.add(size_of::<EventHeader>()), result.len());
        place.cast::<EventHeader>().write_unaligned(EventHeader {
            step: start as u64,
            position,
            op,
            value_len: result.len() as u32,
            thread: COLUMN,
            kind: what,
            reserved: 0,
        });
    }
}
