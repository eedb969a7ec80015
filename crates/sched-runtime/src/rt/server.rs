//! What a harness calls: it waits for programs, which forked processes run.
//!
//! Such a *worker* answers itself and makes further executions, as long as it can ([`checkpoint`]). When it ends, this process answers
//! in its place, and forks the next one.

use crate::layout::{
    EVENTS_CAP, EventHeader, MAGIC, NO_THREAD, OPS_CAP, Shared, ending, event_kind, flag, policy, worker,
};
use crate::rt::entry::{self, CallInProgress, local, me};
use crate::rt::fiber::{self, Fiber};
#[cfg(target_arch = "x86_64")]
use crate::rt::library_calls;
use crate::rt::scheduler::{self, Phase, SchedulingPoint};
use crate::rt::spin::Yield;
use crate::rt::sys::{self, number, raw};
use crate::rt::threads::{self, thread};
use crate::rt::{
    checkpoint, clock, column_stacks, crash_stack, heap, leaks, native, races, random, weak_memory,
    whole_program, wide_write,
};
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// What a harness offers. `lineup.hpp` and the crate `omnilink-harness` have the same structure.
#[repr(C)]
pub struct Harness {
    /// Passed to `make`.
    context: *mut c_void,
    /// Makes a component.
    make: unsafe extern "C" fn(context: *mut c_void) -> *mut c_void,
    /// Makes the call `op` and reports its result by `omnilink_return`.
    call: unsafe extern "C" fn(component: *mut c_void, thread: u32, op: u32),
    /// Destroys the component.
    destroy: unsafe extern "C" fn(component: *mut c_void),
    /// The number of calls.
    ops: u32,
    /// Text for the process that drives the harness.
    description: *const u8,
    /// Length of the text.
    description_len: usize,
}

/// The numbers of two open files, the shared memory and a socket, such as `3,4`.
const VARIABLE: &CStr = c"OMNILINK_SCHED";
/// The socket.
static mut SOCKET: c_int = -1;
static mut HARNESS: *const Harness = core::ptr::null();
static mut COMPONENT: *mut c_void = core::ptr::null_mut();

pub unsafe fn make_component() {
    COMPONENT = ((*HARNESS).make)((*HARNESS).context);
}

pub unsafe fn call_component(thread: u32, op: u32) {
    ((*HARNESS).call)(COMPONENT, thread, op);
}

pub unsafe fn destroy_component() {
    ((*HARNESS).destroy)(COMPONENT);
}

/// Whether the process is driven: 0 if not known yet, 1 for no, 2 for yes.
static DRIVEN: AtomicU32 = AtomicU32::new(0);

/// Whether this process serves executions, or runs as a whole program under the scheduler.
pub unsafe fn is_driven() -> bool {
    match DRIVEN.load(SeqCst) {
        0 => {
            let is_driven = !sys::getenv(VARIABLE.as_ptr()).is_null() || whole_program::is_enabled();
            DRIVEN.store(1 + u32::from(is_driven), SeqCst);
            is_driven
        }
        known => known == 2,
    }
}

/// The shared memory and the socket.
unsafe fn files() -> Option<(c_int, c_int)> {
    let text = sys::getenv(VARIABLE.as_ptr());
    if text.is_null() {
        return None;
    }
    let (memory, rest) = sys::leading_number(text);
    let socket = match *rest as u8 {
        b',' => sys::leading_number(rest.add(1)).0,
        _ => 0,
    };
    Some((memory as c_int, socket as c_int))
}

/// Serves executions until the driver closes the socket. Returns 0 at once if this process is not driven, 1 when it has served,
/// 2 if the driver uses another version of the layout.
pub unsafe extern "C" fn serve(harness: *const Harness) -> c_int {
    let Some((memory, socket)) = files() else {
        return 0;
    };
    let Some(shared) = sys::map_file(memory, size_of::<Shared>()) else {
        return 2;
    };
    let shared = shared.cast::<Shared>();
    if (*shared).magic != MAGIC {
        return 2;
    }
    HARNESS = harness;
    SOCKET = socket;
    scheduler::attach(shared);
    (*shared).ops_offered = (*harness).ops;
    (*shared).load_address = entry::load_address();
    #[cfg(target_arch = "x86_64")]
    library_calls::count(&raw mut (*shared).library_calls);
    let described = (*harness).description_len.min(EVENTS_CAP);
    core::ptr::copy_nonoverlapping(
        (*harness).description,
        (&raw mut (*shared).events).cast(),
        described,
    );
    (*shared).events_len = described as u32;
    let mut status = 0;
    loop {
        if !write_status(status) {
            return 1;
        }
        status = match worker_status() {
            Some(status) => status,
            None => return 1,
        };
    }
}

unsafe fn write_status(status: c_int) -> bool {
    let message = status.to_ne_bytes();
    raw(
        number::WRITE,
        [SOCKET.into(), message.as_ptr() as i64, message.len() as i64],
    ) == message.len() as i64
}

/// Waits for a request; false if there will be none.
unsafe fn read_request() -> bool {
    let mut message = [0_u8; 1];
    raw(
        number::READ,
        [SOCKET.into(), message.as_mut_ptr() as i64, message.len() as i64],
    ) == message.len() as i64
}

/// Waits for requests and forks workers, until one ends without an answer: its wait status. None if there are no more requests.
unsafe fn worker_status() -> Option<c_int> {
    let shared = &mut *scheduler::shared();
    let mut has_request = false;
    loop {
        if !has_request && !read_request() {
            return None;
        }
        shared.worker = worker::RUNNING;
        shared.served = 0;
        let process = sys::fork();
        if process == 0 {
            begin_worker();
        }
        let mut status: c_int = -1;
        if process > 0 {
            sys::waitpid(process, &raw mut status, 0);
        }
        match shared.worker {
            worker::IDLE => has_request = false,
            worker::UNSERVED => has_request = true,
            _ => {
                SINGLE_WORKERS = match shared.served {
                    0 => SINGLE_WORKERS.wrapping_add(1),
                    _ => 0,
                };
                return Some(status);
            }
        }
    }
}

/// How many workers in a row have made one execution only.
static mut SINGLE_WORKERS: u32 = 0;

/// Whether a worker should be prepared for more than one execution. Preparing it for nothing costs time: if that has happened several
/// times in a row, it is tried again now and then.
unsafe fn expects_more() -> bool {
    const IN_A_ROW: u32 = 8;
    const NOW_AND_THEN: u32 = 64;
    let can_have_more = is_served_by_worker();
    can_have_more && (SINGLE_WORKERS < IN_A_ROW || SINGLE_WORKERS.is_multiple_of(NOW_AND_THEN))
}

/// Whether the execution that is requested can be one of several in a process.
unsafe fn is_served_by_worker() -> bool {
    let shared = &*scheduler::shared();
    shared.isolated == 0 && shared.policy != policy::NATIVE
}

/// Makes executions in a new process.
unsafe fn begin_worker() -> ! {
    const PR_SET_PDEATHSIG: i64 = 1;
    const SIGKILL: i64 = 9;
    raw(number::PRCTL, [PR_SET_PDEATHSIG, SIGKILL]);
    threads::prepare();
    if (*scheduler::shared()).policy == policy::NATIVE {
        raw(number::CLOSE, [SOCKET.into()]);
        execute();
    }
    crash_stack::catch();
    fiber::prepare();
    column_stacks::provide((*scheduler::shared()).columns);
    races::map();
    weak_memory::map();
    heap::map();
    SOCKET = sys::move_out_of_the_way(SOCKET);
    if expects_more() {
        checkpoint::take();
    }
    execute()
}

/// Answers that the execution has ended, without an end of its process.
pub unsafe fn answer() {
    let shared = &mut *scheduler::shared();
    shared.served += 1;
    shared.worker = worker::IDLE;
    if !write_status(0) {
        sys::exit_process(0);
    }
}

/// Waits for the next request. The process ends if there is none, or none that it can serve.
pub unsafe fn wait_for_request() {
    if !read_request() {
        sys::exit_process(0);
    }
    let shared = &mut *scheduler::shared();
    if !is_served_by_worker() || shared.columns > column_stacks::count() {
        shared.worker = worker::UNSERVED;
        sys::exit_process(0);
    }
    shared.worker = worker::RUNNING;
}

/// Makes one execution.
unsafe fn execute() -> ! {
    let shared = &mut *scheduler::shared();
    sys::alarm(shared.timeout_s);
    shared.process = raw(number::GETPID, []) as u32;
    clock::set_environment(shared.environment);
    random::set_environment(shared.environment);
    if shared.policy == policy::NATIVE {
        shift_addresses(shared.environment);
        native::run();
    }
    let main = scheduler::columns();
    shared.running = main.into();
    crate::rt::policy::prepare();
    races::prepare();
    weak_memory::prepare();
    scheduler::set_phase(Phase::MainThread);
    threads::adopt(main);
    (*thread(main)).fiber = Fiber::running();
    shift_addresses(shared.environment);
    make_component();
    for position in 0..shared.before_len {
        call(position, position);
    }
    for column in 0..main {
        threads::create_column(column, column_main);
    }
    scheduler::run_columns(main);
    (0..main).for_each(|column| races::joined(column));
    let first_after = ops_before_column(main);
    for index in 0..shared.after_len {
        call(first_after + index, shared.before_len + index);
    }
    destroy_component();
    leaks::check();
    scheduler::end(ending::FINISHED, 0)
}

/// Makes the addresses of what the calling thread allocates depend on the environment. Each thread has an arena of its own.
unsafe fn shift_addresses(environment: u64) {
    const SHIFT_BYTES: usize = 1_232;
    if environment != 0 {
        // The compiler would remove an unused allocation.
        heap::keep(core::hint::black_box(heap::malloc(
            SHIFT_BYTES * (1 + environment as usize % 64),
        )));
    }
}

/// The index of the first call of a column in the list of all calls.
pub unsafe fn ops_before_column(column: u8) -> u32 {
    let shared = &*scheduler::shared();
    shared.before_len + shared.column_len.iter().take(column.into()).sum::<u32>()
}

/// The call at an index of the list of all calls.
pub unsafe fn op_at(index: u32) -> u32 {
    (&(*scheduler::shared()).ops)[index as usize & (OPS_CAP - 1)]
}

/// A column, which has just become the running thread for the first time.
unsafe extern "C" fn column_main() -> ! {
    let id = (*scheduler::shared()).running as u8;
    threads::begin_column(id);
    shift_addresses((*scheduler::shared()).environment);
    let first = ops_before_column(id);
    let lengths = &(*scheduler::shared()).column_len;
    let count = lengths.get(id as usize).copied().unwrap_or(0);
    for position in 0..count {
        let column = &mut *thread(id);
        // The scheduler has just chosen the thread for its first call.
        if position > 0 {
            column.next_address = 0;
            column.next_writes = false;
            column.next_code = 0;
            scheduler::stop(SchedulingPoint {
                yields: Yield::No,
                between_calls: true,
            });
        }
        column.in_call = true;
        // Under a weak memory model a call that begins earlier knows less: its beginning is a step of its own.
        column.first_access = !weak_memory::is_on();
        column.spin.clear();
        let began = column.step;
        call(first + position, position);
        column.in_call = false;
        // The call has returned: the thread waits for nothing.
        column.yielded_at = scheduler::NOT_YIELDED;
        let is_first_step = weak_memory::is_on() && column.step == began;
        if core::mem::take(&mut column.first_access) || is_first_step {
            // Nothing of the call was instrumented, so it may have done anything.
            scheduler::mark_opaque(id);
        }
    }
    threads::finish(id);
    entry::forget_registers();
    let here = 0_u8;
    (*thread(id)).stack_low = (&raw const here) as u64;
    // Ending the thread would drop thread-locals, which is not part of any call.
    scheduler::leave(id);
    sys::exit_process(0)
}

unsafe fn call(index: u32, position: u32) {
    let op = op_at(index);
    event(event_kind::CALL, position, op, &[]);
    if let Some(step) = scheduler::step_of(me()) {
        step.flags |= flag::CALLS;
    }
    races::call_begins();
    (*local()).open_call = CallInProgress {
        is_open: true,
        position,
        op,
    };
    call_component(me().into(), op);
    return_from_call(core::ptr::null(), 0);
}

/// The open call of the calling thread returns with this result. Only the first return of a call counts.
pub unsafe extern "C" fn return_from_call(result: *const u8, length: usize) {
    if native::returned(result, length) || me() == NO_THREAD {
        return;
    }
    wide_write::complete();
    if let Some(CallInProgress { position, op, .. }) = (*local()).open_call.take() {
        event(event_kind::RETURN, position, op, result_bytes(result, length));
        if let Some(step) = scheduler::step_of(me()) {
            step.flags |= flag::RETURNS;
        }
        races::call_ended();
        scheduler::progress();
    }
}

/// The bytes of a result, whose pointer may be null if it is empty.
pub unsafe fn result_bytes<'a>(result: *const u8, length: usize) -> &'a [u8] {
    match length {
        0 => &[],
        length => core::slice::from_raw_parts(result, length),
    }
}

unsafe fn event(kind: u8, position: u32, op: u32, result: &[u8]) {
    let shared = &mut *scheduler::shared();
    let start = shared.events_len as usize;
    let size = size_of::<EventHeader>() + result.len().next_multiple_of(8);
    if EVENTS_CAP - start < size {
        scheduler::end(ending::EVENTS_TOO_LARGE, 0);
    }
    let header = EventHeader {
        step: shared.steps_made,
        position,
        op,
        value_len: result.len() as u32,
        thread: me(),
        kind,
        reserved: 0,
    };
    write_event(start, header, result);
    shared.events_len = (start + size) as u32;
}

/// Writes an event at an offset that has room for it. The header comes last: it says that the event is written.
pub unsafe fn write_event(start: usize, header: EventHeader, result: &[u8]) {
    let at = (&raw mut (*scheduler::shared()).events).cast::<u8>().add(start);
    core::ptr::copy_nonoverlapping(result.as_ptr(), at.add(size_of::<EventHeader>()), result.len());
    at.cast::<EventHeader>().write_unaligned(header);
}

/// The number of steps so far: a clock that is the same in every repetition. 0 if no thread is controlled.
pub unsafe extern "C" fn step() -> u64 {
    match scheduler::phase() {
        Phase::Off => 0,
        _ => (*scheduler::shared()).steps_made,
    }
}
