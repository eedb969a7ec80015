//! What a harness calls: it waits for programs, which forked processes run.
//!
//! Such a *worker* answers itself and makes further executions, as long as it can ([`checkpoint`]). When it ends, this process answers
//! in its place, and forks the next one.

use crate::checked::{slot, trap};
use crate::layout::{
    EVENTS_CAP, EventHeader, MAGIC, NO_THREAD, Shared, ending, event_kind, flag, policy, worker,
};
use crate::rt::entry::{self, CallInProgress, local, me, take_open_call};
use crate::rt::fiber::{self, Fiber};
use crate::rt::global::Global;
#[cfg(target_arch = "x86_64")]
use crate::rt::library_calls;
use crate::rt::scheduler::{self, Phase, SchedulingPoint};
use crate::rt::spin::Yield;
use crate::rt::sys;
use crate::rt::threads::{self, thread};
use crate::rt::{
    checkpoint, clock, column_stacks, crash_stack, heap, leaks, native, races, random, weak_memory,
    whole_program, wide_write,
};
use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

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
static SOCKET: AtomicI32 = AtomicI32::new(-1);
static HARNESS: AtomicPtr<Harness> = AtomicPtr::new(core::ptr::null_mut());
static COMPONENT: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// What the harness offers. Threads that nobody schedules make calls, too.
fn harness() -> &'static Harness {
    // SAFETY: `serve` has set it, and does not return before the process ends.
    match unsafe { HARNESS.load(Relaxed).as_ref() } {
        Some(harness) => harness,
        None => trap(),
    }
}

fn component() -> *mut c_void {
    COMPONENT.load(Relaxed)
}

pub fn make_component() {
    let harness = harness();
    // SAFETY: the harness offers the function, with this argument.
    COMPONENT.store(unsafe { (harness.make)(harness.context) }, Relaxed);
}

pub fn call_component(thread: u32, op: u32) {
    // SAFETY: the component was made, and the explorer asks only for calls that the harness offers.
    unsafe { (harness().call)(component(), thread, op) };
}

pub fn destroy_component() {
    // SAFETY: the component was made, and nobody uses it any more.
    unsafe { (harness().destroy)(component()) };
}

/// Whether the process is driven: 0 if not known yet, 1 for no, 2 for yes.
static DRIVEN: AtomicU32 = AtomicU32::new(0);

/// Whether this process serves executions, or runs as a whole program under the scheduler.
pub fn is_driven() -> bool {
    match DRIVEN.load(SeqCst) {
        0 => {
            let is_driven = sys::variable(VARIABLE).is_some() || whole_program::is_enabled();
            DRIVEN.store(1 + u32::from(is_driven), SeqCst);
            is_driven
        }
        known => known == 2,
    }
}

/// The shared memory and the socket.
fn files() -> Option<(c_int, c_int)> {
    let (memory, rest) = sys::leading_number(sys::variable(VARIABLE)?.to_bytes());
    let socket = match rest {
        [b',', socket @ ..] => sys::leading_number(socket).0,
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
    // SAFETY: the mapping has the size of the structure, and stays.
    unsafe { scheduler::attach(shared.cast()) };
    let shared = scheduler::shared();
    if shared.magic.get() != MAGIC {
        return 2;
    }
    HARNESS.store(harness.cast_mut(), Relaxed);
    SOCKET.store(socket, Relaxed);
    // SAFETY: the caller passes a harness that stays, with a text of this length.
    let (ops, description) = unsafe {
        let harness = &*harness;
        (
            harness.ops,
            core::slice::from_raw_parts(harness.description, harness.description_len),
        )
    };
    shared.ops_offered.set(ops);
    shared.load_address.set(entry::load_address());
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the process has one thread yet, and comes here once.
    unsafe {
        library_calls::redirect_slots(&shared.library_calls);
    }
    for (free, byte) in shared.events.iter().zip(description) {
        free.set(*byte);
    }
    shared
        .events_len
        .store(description.len().min(EVENTS_CAP) as u32, Relaxed);
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

fn socket() -> c_int {
    SOCKET.load(Relaxed)
}

fn write_status(status: c_int) -> bool {
    let message = status.to_ne_bytes();
    sys::write(socket(), &message) == message.len() as i64
}

/// Waits for a request; false if there will be none.
fn read_request() -> bool {
    sys::read(socket(), &mut [0]) == 1
}

/// Waits for requests and forks workers, until one ends without an answer: its wait status. None if there are no more requests.
fn worker_status() -> Option<c_int> {
    let shared = scheduler::shared();
    let mut has_request = false;
    loop {
        if !has_request && !read_request() {
            return None;
        }
        shared.worker.store(worker::RUNNING, Relaxed);
        shared.served.store(0, Relaxed);
        // SAFETY: the process has one thread.
        let process = unsafe { sys::fork() };
        if process == 0 {
            begin_worker();
        }
        let mut status: c_int = -1;
        if process > 0 {
            // SAFETY: the status may be written.
            unsafe { sys::waitpid(process, &raw mut status, 0) };
        }
        match shared.worker.load(Relaxed) {
            worker::IDLE => has_request = false,
            worker::UNSERVED => has_request = true,
            _ => {
                SINGLE_WORKERS.set(match shared.served.load(Relaxed) {
                    0 => SINGLE_WORKERS.get().wrapping_add(1),
                    _ => 0,
                });
                return Some(status);
            }
        }
    }
}

/// How many workers in a row have made one execution only.
static SINGLE_WORKERS: Global<Cell<u32>> = Global::new(Cell::new(0));

/// Whether a worker should be prepared for more than one execution. Preparing it for nothing costs time: if that has happened several
/// times in a row, it is tried again now and then.
fn expects_more() -> bool {
    const IN_A_ROW: u32 = 8;
    const NOW_AND_THEN: u32 = 64;
    let can_have_more = is_served_by_worker();
    let singles = SINGLE_WORKERS.get();
    can_have_more && (singles < IN_A_ROW || singles.is_multiple_of(NOW_AND_THEN))
}

/// Whether the execution that is requested can be one of several in a process.
fn is_served_by_worker() -> bool {
    let shared = scheduler::shared();
    shared.isolated.get() == 0 && shared.policy.get() != policy::NATIVE
}

/// Makes executions in a new process.
fn begin_worker() -> ! {
    const PR_SET_PDEATHSIG: i64 = 1;
    const SIGKILL: i64 = 9;
    sys::prctl(PR_SET_PDEATHSIG, SIGKILL);
    threads::prepare();
    if scheduler::shared().policy.get() == policy::NATIVE {
        sys::close(socket());
        execute();
    }
    crash_stack::catch();
    fiber::prepare();
    column_stacks::provide(scheduler::shared().columns.get());
    races::map();
    weak_memory::map();
    heap::map();
    SOCKET.store(sys::move_out_of_the_way(socket()), Relaxed);
    if expects_more() {
        checkpoint::take();
    }
    execute()
}

/// Answers that the execution has ended, without an end of its process.
pub fn answer() {
    let shared = scheduler::shared();
    shared.served.store(shared.served.load(Relaxed) + 1, Relaxed);
    shared.worker.store(worker::IDLE, Relaxed);
    if !write_status(0) {
        sys::exit_process(0);
    }
}

/// Waits for the next request. The process ends if there is none, or none that it can serve.
pub fn wait_for_request() {
    if !read_request() {
        sys::exit_process(0);
    }
    let shared = scheduler::shared();
    if !is_served_by_worker() || shared.columns.get() > column_stacks::count() {
        shared.worker.store(worker::UNSERVED, Relaxed);
        sys::exit_process(0);
    }
    shared.worker.store(worker::RUNNING, Relaxed);
}

/// Makes one execution.
fn execute() -> ! {
    let shared = scheduler::shared();
    sys::alarm(shared.timeout_s.get());
    shared.process.store(sys::process_number(), Relaxed);
    clock::set_environment(shared.environment.get());
    random::set_environment(shared.environment.get());
    if shared.policy.get() == policy::NATIVE {
        shift_addresses(shared.environment.get());
        native::run();
    }
    let main = scheduler::columns();
    shared.running.set(main.into());
    crate::rt::policy::prepare();
    races::prepare();
    weak_memory::prepare();
    scheduler::set_phase(Phase::MainThread);
    threads::adopt(main);
    thread(main).fiber.set(Fiber::running());
    shift_addresses(shared.environment.get());
    make_component();
    for position in 0..shared.before_len.get() {
        call(position, position);
    }
    for column in 0..main {
        threads::create_column(column, column_main);
    }
    scheduler::run_columns(main);
    (0..main).for_each(races::joined);
    let first_after = ops_before_column(main);
    for index in 0..shared.after_len.get() {
        call(first_after + index, shared.before_len.get() + index);
    }
    destroy_component();
    leaks::check();
    scheduler::end(ending::FINISHED, 0)
}

/// Makes the addresses of what the calling thread allocates depend on the environment. Each thread has an arena of its own.
fn shift_addresses(environment: u64) {
    const SHIFT_BYTES: usize = 1_232;
    if environment != 0 {
        // The compiler would remove an unused allocation.
        let size = SHIFT_BYTES * (1 + environment as usize % 64);
        // SAFETY: any size may be asked for.
        heap::keep(core::hint::black_box(unsafe { heap::malloc(size) }));
    }
}

/// The index of the first call of a column in the list of all calls.
pub fn ops_before_column(column: u8) -> u32 {
    let shared = scheduler::shared();
    shared.before_len.get()
        + shared
            .column_len
            .iter()
            .take(column.into())
            .map(Cell::get)
            .sum::<u32>()
}

/// The call at an index of the list of all calls.
pub fn op_at(index: u32) -> u32 {
    slot(&scheduler::shared().ops, index as usize).get()
}

/// A column, which has just become the running thread for the first time.
extern "C" fn column_main() -> ! {
    let id = scheduler::shared().running.get() as u8;
    threads::begin_column(id);
    shift_addresses(scheduler::shared().environment.get());
    let first = ops_before_column(id);
    let count = slot(&scheduler::shared().column_len, id.into()).get();
    for position in 0..count {
        let column = thread(id);
        // The scheduler has just chosen the thread for its first call.
        if position > 0 {
            column.next_address.set(0);
            column.next_writes.set(false);
            column.next_code.set(0);
            scheduler::stop(SchedulingPoint {
                yields: Yield::No,
                between_calls: true,
            });
        }
        column.in_call.set(true);
        // Under a weak memory model a call that begins earlier knows less: its beginning is a step of its own.
        column.first_access.set(!weak_memory::is_on());
        column.spin.clear();
        let began = column.step.get();
        call(first + position, position);
        column.in_call.set(false);
        // The call has returned: the thread waits for nothing.
        column.yielded_at.set(scheduler::NOT_YIELDED);
        let is_first_step = weak_memory::is_on() && column.step.get() == began;
        if column.first_access.take() || is_first_step {
            // Nothing of the call was instrumented, so it may have done anything.
            scheduler::mark_opaque(id);
        }
    }
    threads::finish(id);
    entry::forget_registers();
    let here = 0_u8;
    thread(id).stack_low.set((&raw const here) as u64);
    // Ending the thread would drop thread-locals, which is not part of any call.
    scheduler::leave(id);
    sys::exit_process(0)
}

fn call(index: u32, position: u32) {
    let op = op_at(index);
    event(event_kind::CALL, position, op, &[]);
    scheduler::flag_step(me(), flag::CALLS);
    races::call_begins();
    local().open_call.set(CallInProgress {
        is_open: true,
        position,
        op,
    });
    call_component(me().into(), op);
    returned(&[]);
}

/// The open call of the calling thread returns with this result, whose pointer may be null if it is empty.
pub unsafe extern "C" fn return_from_call(result: *const u8, length: usize) {
    returned(match length {
        0 => &[],
        // SAFETY: the harness passes a result of this length.
        length => unsafe { core::slice::from_raw_parts(result, length) },
    });
}

/// Only the first return of a call counts.
fn returned(result: &[u8]) {
    if native::returned(result) || me() == NO_THREAD {
        return;
    }
    wide_write::complete();
    if let Some(CallInProgress { position, op, .. }) = take_open_call() {
        event(event_kind::RETURN, position, op, result);
        scheduler::flag_step(me(), flag::RETURNS);
        races::call_ended();
        scheduler::progress();
    }
}

fn event(kind: u8, position: u32, op: u32, result: &[u8]) {
    let shared = scheduler::shared();
    let start = shared.events_len.load(Relaxed) as usize;
    let size = size_of::<EventHeader>() + result.len().next_multiple_of(8);
    if EVENTS_CAP - start < size {
        scheduler::end(ending::EVENTS_TOO_LARGE, 0);
    }
    let header = EventHeader {
        step: shared.steps_made.load(Relaxed),
        position,
        op,
        value_len: result.len() as u32,
        thread: me(),
        kind,
        reserved: 0,
    };
    write_event(start, header, result);
    shared.events_len.store((start + size) as u32, Relaxed);
}

/// Writes an event at an offset that has room for it. The header comes last: it says that the event is written.
pub fn write_event(start: usize, header: EventHeader, result: &[u8]) {
    const HEADER: usize = size_of::<EventHeader>();
    let events = &scheduler::shared().events;
    let Some(free) = events
        .get(start..)
        .filter(|free| free.len() >= HEADER + result.len())
    else {
        trap();
    };
    for (free, byte) in free.iter().skip(HEADER).zip(result) {
        free.set(*byte);
    }
    // SAFETY: there is room for the header, and no other thread writes there.
    unsafe {
        free.as_ptr()
            .cast::<EventHeader>()
            .cast_mut()
            .write_unaligned(header)
    };
}

/// The number of steps so far: a clock that is the same in every repetition. 0 if no thread is controlled.
pub extern "C" fn step() -> u64 {
    match scheduler::phase() {
        Phase::Off => 0,
        _ => scheduler::shared().steps_made.load(Relaxed),
    }
}
