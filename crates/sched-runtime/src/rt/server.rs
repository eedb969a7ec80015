//! What a harness calls: it waits for programs and runs each in a forked process.

use crate::code;
use crate::baton::{self, Asking, Phase};
use crate::layout::{EVENTS_CAP, EventHeader, MAGIC, NOBODY, OPS_CAP, Shared, choices, ending, flag, kind};
use crate::races;
use crate::spin::Yield;
use crate::sys::{self, number, raw};
use crate::threads::{self, me, thread};
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// What a harness offers. `lineup.hpp` and `harness.rs` have the same structure.
#[repr(C)]
pub struct Harness {
    /// Given to `make`.
    pub context: *mut c_void,
    /// Makes a component.
    pub make: unsafe extern "C" fn(context: *mut c_void) -> *mut c_void,
    /// Makes the call `op` and reports its result by `omnilink_return`.
    pub call: unsafe extern "C" fn(component: *mut c_void, thread: u32, op: u32),
    /// Ends the component.
    pub destroy: unsafe extern "C" fn(component: *mut c_void),
    /// How many calls there are.
    pub ops: u32,
    /// Text for whoever drives the harness.
    pub description: *const u8,
    /// Length of the text.
    pub description_len: usize,
}

/// The numbers of two open files, the shared memory and a socket, such as `3,4`.
const VARIABLE: &[u8] = b"OMNILINK_SCHED\0";
static mut HARNESS: *const Harness = core::ptr::null();
static mut COMPONENT: *mut c_void = core::ptr::null_mut();

pub unsafe fn make_component() {
    unsafe { COMPONENT = ((*HARNESS).make)((*HARNESS).context) };
}

pub unsafe fn call_component(thread: u32, op: u32) {
    unsafe { ((*HARNESS).call)(COMPONENT, thread, op) };
}

pub unsafe fn destroy_component() {
    unsafe { ((*HARNESS).destroy)(COMPONENT) };
}

/// 0: not looked yet, 1: no, 2: yes.
static DRIVEN: AtomicU32 = AtomicU32::new(0);

/// Whether somebody asks this process for executions.
pub fn is_driven() -> bool {
    match DRIVEN.load(SeqCst) {
        0 => {
            let driven = unsafe {
                !sys::getenv(VARIABLE.as_ptr().cast()).is_null() || crate::whole::is_wanted()
            };
            DRIVEN.store(1 + u32::from(driven), SeqCst);
            driven
        }
        known => known == 2,
    }
}

unsafe fn files() -> Option<(c_int, c_int)> {
    unsafe {
        let mut text: *const c_char = sys::getenv(VARIABLE.as_ptr().cast());
        if text.is_null() {
            return None;
        }
        let mut numbers = [0, 0];
        for number in &mut numbers {
            while (b'0'..=b'9').contains(&(*text as u8)) {
                *number = *number * 10 + c_int::from(*text as u8 - b'0');
                text = text.add(1);
            }
            if *text as u8 == b',' {
                text = text.add(1);
            }
        }
        Some((numbers[0], numbers[1]))
    }
}

/// Serves executions until nobody asks for more. Returns 0 at once if this process is not driven, 1 when it is
/// done, 2 if the driver speaks another version of the layout.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omnilink_serve(harness: *const Harness) -> c_int {
    const PROT_READ_WRITE: c_int = 3;
    const MAP_SHARED: c_int = 1;
    unsafe {
        let Some((memory, socket)) = files() else { return 0 };
        let size = size_of::<Shared>();
        let shared = sys::mmap(core::ptr::null_mut(), size, PROT_READ_WRITE, MAP_SHARED, memory, 0).cast::<Shared>();
        if shared as isize == -1 || (*shared).magic != MAGIC {
            return 2;
        }
        HARNESS = harness;
        baton::attach(shared);
        (*shared).ops_offered = (*harness).ops;
        (*shared).load_address = code::load_address();
        let described = (*harness).description_len.min(EVENTS_CAP);
        core::ptr::copy_nonoverlapping((*harness).description, (*shared).events.as_mut_ptr(), described);
        (*shared).events_len = described as u32;
        let mut message = [0_u8; 4];
        loop {
            if sys::write(socket, message.as_ptr().cast(), 4) != 4 {
                return 1;
            }
            if sys::read(socket, message.as_mut_ptr().cast(), 1) != 1 {
                return 1;
            }
            let process = sys::fork();
            if process == 0 {
                sys::close(socket);
                run();
            }
            let mut status: c_int = -1;
            if process > 0 {
                sys::waitpid(process, &raw mut status, 0);
            }
            message = status.to_ne_bytes();
        }
    }
}

unsafe fn run() -> ! {
    const PR_SET_PDEATHSIG: i64 = 1;
    const SIGKILL: i64 = 9;
    unsafe {
        let shared = &mut *baton::shared();
        raw(number::PRCTL, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
        sys::alarm(shared.patience_s);
        shared.process = raw(number::GETPID, 0, 0, 0, 0, 0, 0) as u32;
        surround(shared.environment);
        if shared.choices == choices::NATIVE {
            crate::native::run();
        }
        let main = baton::columns();
        shared.running = main.into();
        baton::prepare();
        races::prepare();
        crate::heap::prepare();
        baton::set_phase(Phase::Alone);
        threads::adopt(main);
        make_component();
        for position in 0..shared.before_len {
            call(position, position);
        }
        for column in 0..main {
            let mut handle = 0;
            if threads::create(column, &raw mut handle, core::ptr::null(), column_main, core::ptr::null_mut()) != 0 {
                baton::end(ending::TOO_MANY_THREADS, 0);
            }
        }
        baton::run_columns(main);
        (0..main).for_each(|column| races::joined(column));
        let first_after = ops_before_column(main);
        for index in 0..shared.after_len {
            call(first_after + index, shared.before_len + index);
        }
        destroy_component();
        baton::end(ending::FINISHED, 0)
    }
}

/// Makes the surroundings of the component different from those of other numbers: the clock, random numbers, and the
/// addresses of what it allocates.
unsafe fn surround(environment: u64) {
    unsafe {
        crate::clock::surround(environment);
        crate::random::surround(environment);
        shift_addresses(environment);
    }
}

/// Lets what the calling thread allocates lie elsewhere. Each thread has memory of its own to allocate from.
unsafe fn shift_addresses(environment: u64) {
    const SHIFT_BYTES: usize = 1_232;
    if environment != 0 {
        // Never freed: that is the point. A compiler that sees it unused leaves it out.
        core::hint::black_box(unsafe { sys::malloc(SHIFT_BYTES * (1 + environment as usize % 64)) });
    }
}

/// Where the calls of a column begin.
pub unsafe fn ops_before_column(column: u8) -> u32 {
    unsafe {
        let shared = &*baton::shared();
        shared.before_len + shared.column_len.iter().take(column.into()).sum::<u32>()
    }
}

/// The call at a place in the list of all calls.
pub unsafe fn op_at(index: u32) -> u32 {
    unsafe { *(*baton::shared()).ops.get_unchecked(index as usize & (OPS_CAP - 1)) }
}

unsafe extern "C" fn column_main(_argument: *mut c_void) -> *mut c_void {
    unsafe {
        let id = me();
        shift_addresses((*baton::shared()).environment);
        let first = ops_before_column(id);
        let count = (*baton::shared()).column_len.get(id as usize).copied().unwrap_or(0);
        for position in 0..count {
            let column = &mut *thread(id);
            // Whoever comes to the first call has just been chosen for it.
            if position > 0 {
                column.next_address = 0;
                column.next_writes = false;
                column.next_code = 0;
                baton::stop(Asking { yields: Yield::No, boundary: true });
            }
            column.in_call = true;
            column.first_access = true;
            column.spin.forget();
            call(first + position, position);
            column.in_call = false;
            if core::mem::take(&mut column.first_access) {
                // Nothing of the call was seen, so that it may have done anything.
                baton::mark_opaque(id);
            }
        }
        threads::finish(id);
        baton::pass_on_and_leave(id);
        // Leaving the thread would drop thread-locals, which is not part of any call.
        sys::park_forever()
    }
}

#[thread_local]
static mut OPEN: Option<(u32, u32)> = None;

unsafe fn call(index: u32, position: u32) {
    unsafe {
        let op = op_at(index);
        event(kind::CALL, position, op, &[]);
        if let Some(step) = baton::step_of(me()) {
            step.flags |= flag::CALLS;
        }
        OPEN = Some((position, op));
        call_component(me().into(), op);
        omnilink_return(core::ptr::null(), 0);
    }
}

/// The open call of the calling thread returns with this result. Only the first one of a call counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omnilink_return(result: *const u8, length: usize) {
    unsafe {
        if crate::native::returned(result, length) {
            return;
        }
        let open = &mut *(&raw mut OPEN);
        if me() == NOBODY {
            return;
        }
        if let Some((position, op)) = open.take() {
            let result = if length == 0 { &[] } else { core::slice::from_raw_parts(result, length) };
            event(kind::RETURN, position, op, result);
            if let Some(step) = baton::step_of(me()) {
                step.flags |= flag::RETURNS;
            }
            baton::progress();
        }
    }
}

unsafe fn event(what: u8, position: u32, op: u32, result: &[u8]) {
    unsafe {
        let shared = &mut *baton::shared();
        let start = shared.events_len as usize;
        let size = size_of::<EventHeader>() + result.len().next_multiple_of(8);
        if EVENTS_CAP - start < size {
            baton::end(ending::EVENTS_TOO_LARGE, 0);
        }
        let header = EventHeader {
            step: shared.steps_made,
            position,
            op,
            value_len: result.len() as u32,
            thread: me(),
            kind: what,
            reserved: 0,
        };
        let place = shared.events.as_mut_ptr().add(start);
        place.cast::<EventHeader>().write_unaligned(header);
        core::ptr::copy_nonoverlapping(result.as_ptr(), place.add(size_of::<EventHeader>()), result.len());
        shared.events_len = (start + size) as u32;
    }
}
