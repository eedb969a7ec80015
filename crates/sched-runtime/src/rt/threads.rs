//! The controlled threads, their creation and their end.

use crate::checked::slot;
use crate::layout::{NO_THREAD, PlaceRecord, THREADS_CAP, ending};
use crate::rt::cancellation::Cancellation;
use crate::rt::cpp_library::ReadyAtExit;
use crate::rt::entry::{REGISTERS, Registers, ThreadLocal, is_controlled, local, me, set_me};
use crate::rt::fiber::Fiber;
use crate::rt::global::Global;
use crate::rt::once::RunningOnces;
use crate::rt::readiness::AwaitedFiles;
use crate::rt::saved_memory::PAGE;
use crate::rt::signals::ThreadSignals;
use crate::rt::spin::SpinTable;
use crate::rt::sys::{self, real};
use crate::rt::wait::wake_all;
use crate::rt::wide_write::WideWrite;
use crate::rt::{column_stacks, cpp_library, locks, races, scheduler, signals};
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ThreadState {
    /// No such thread.
    Absent,
    /// It can take its next step.
    Ready,
    /// It waits to be woken at `wait_address`.
    Waiting,
    /// The main thread waits for the columns.
    WaitingForColumns,
    /// It has ended.
    Done,
}

/// A set of threads: bit *i* is the thread with id *i*.
pub type ThreadSet = u128;

/// Threads of a whole program. Executions of the explorer have at most [`THREADS_CAP`].
pub const ALL_THREADS_CAP: usize = ThreadSet::BITS as usize;
const _: () = assert!(ALL_THREADS_CAP.is_power_of_two() && THREADS_CAP <= ALL_THREADS_CAP);

pub type StartRoutine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// What the runtime knows of a thread.
///
/// Only the running thread touches it, except for `turn`. It is all cells: who changes a thread may hold a reference to another one, or to
/// the same.
pub struct Thread {
    pub state: Cell<ThreadState>,
    /// A futex: not 0 when the thread becomes the running one.
    pub turn: AtomicU32,
    /// The address at which it waits, and the bits of a futex.
    pub wait_address: Cell<u64>,
    pub wait_mask: Cell<u32>,
    /// Orders waits by arrival.
    pub wait_number: Cell<u64>,
    /// The `pthread_once_t`s whose routines it runs, or ran until an exception ended them.
    pub runs_once: Cell<RunningOnces>,
    /// The `pthread_once_t` whose routine it waits for, or null.
    pub waits_for_once: Cell<*const c_int>,
    /// When the wait times out.
    pub deadline_ns: Cell<Option<u64>>,
    /// The wait ended for another reason than what it waited for.
    pub is_interrupted: Cell<bool>,
    /// It waits for a robust mutex, and so perhaps for the end of a thread.
    pub waits_for_owner: Cell<bool>,
    /// The read-write lock that it waits to write, or 0.
    pub waits_to_write: Cell<u64>,
    /// How many times it has locked streams: code that is not instrumented would wait for them.
    pub streams_locked: Cell<u32>,
    pub at_cancellation_point: Cell<bool>,
    pub cancellation: Cell<Cancellation>,
    pub signals: ThreadSignals,
    /// Greater than 0 while its accesses are not looked at for races.
    pub ignores_races: Cell<u32>,
    pub ready_at_exit: ReadyAtExit,
    /// By which the system knows it.
    pub system_number: Cell<u32>,
    /// The files for which it waits.
    pub awaited: Cell<AwaitedFiles>,
    /// Its next access, as far as it is known.
    pub next_address: Cell<u64>,
    pub next_writes: Cell<bool>,
    pub next_code: Cell<u64>,
    /// The step it is in.
    pub step: Cell<u64>,
    /// The first access of a call belongs to the step that began the call.
    pub first_access: Cell<bool>,
    /// It is a column inside a call.
    pub in_call: Cell<bool>,
    /// Steps since the last switch to it.
    pub steps_in_turn: Cell<u32>,
    pub priority: Cell<u64>,
    /// How often it has stopped for a decision, and so have earlier threads with its id.
    pub decisions: Cell<u32>,
    /// The progress count when it yielded last.
    pub yielded_at: Cell<u64>,
    /// The location of its last relaxed load, if nothing orders what comes after it; else 0.
    pub relaxed_load: Cell<u64>,
    /// How many more times it goes on where it yields: see the module `idle`.
    pub idle_left: Cell<u32>,
    pub spin: SpinTable,
    pub wide_write: Cell<Option<WideWrite>>,
    /// Its registers when it called the runtime last.
    pub registers: Cell<Registers>,
    /// The lowest address of its stack in use when it stopped, and the highest. 0 if not known.
    pub stack_low: Cell<u64>,
    pub stack_begin: Cell<u64>,
    /// Where it stands, if it is a fiber and does not run.
    pub fiber: Cell<Fiber>,
    start: Cell<Option<StartRoutine>>,
    argument: Cell<*mut c_void>,
    /// By which the C library knows it; 0 if nobody may join it any more.
    pub handle: Cell<usize>,
    /// Its thread-local storage; null before it has begun, and when it has ended.
    local: Cell<*const ThreadLocal>,
}

impl Thread {
    const fn absent() -> Self {
        Self {
            state: Cell::new(ThreadState::Absent),
            turn: AtomicU32::new(0),
            wait_address: Cell::new(0),
            wait_mask: Cell::new(0),
            wait_number: Cell::new(0),
            runs_once: Cell::new(RunningOnces::NONE),
            waits_for_once: Cell::new(core::ptr::null()),
            deadline_ns: Cell::new(None),
            is_interrupted: Cell::new(false),
            waits_for_owner: Cell::new(false),
            waits_to_write: Cell::new(0),
            streams_locked: Cell::new(0),
            at_cancellation_point: Cell::new(false),
            cancellation: Cell::new(Cancellation::NONE),
            signals: ThreadSignals::new(),
            ignores_races: Cell::new(0),
            ready_at_exit: [const { Cell::new(0) }; 4],
            system_number: Cell::new(0),
            awaited: Cell::new(AwaitedFiles::NONE),
            next_address: Cell::new(0),
            next_writes: Cell::new(false),
            next_code: Cell::new(0),
            step: Cell::new(u64::MAX),
            first_access: Cell::new(false),
            in_call: Cell::new(false),
            steps_in_turn: Cell::new(0),
            priority: Cell::new(0),
            decisions: Cell::new(0),
            yielded_at: Cell::new(scheduler::NOT_YIELDED),
            relaxed_load: Cell::new(0),
            idle_left: Cell::new(0),
            spin: SpinTable::new(),
            wide_write: Cell::new(None),
            registers: Cell::new([0; REGISTERS]),
            stack_low: Cell::new(0),
            stack_begin: Cell::new(0),
            fiber: Cell::new(Fiber::NONE),
            start: Cell::new(None),
            argument: Cell::new(core::ptr::null_mut()),
            handle: Cell::new(0),
            local: Cell::new(core::ptr::null()),
        }
    }

    /// Makes it a thread that is not there.
    fn reset(&self) {
        self.state.set(ThreadState::Absent);
        self.turn.store(0, Relaxed);
        self.wait_address.set(0);
        self.wait_mask.set(0);
        self.wait_number.set(0);
        self.runs_once.set(RunningOnces::NONE);
        self.waits_for_once.set(core::ptr::null());
        self.deadline_ns.set(None);
        self.is_interrupted.set(false);
        self.waits_for_owner.set(false);
        self.waits_to_write.set(0);
        self.streams_locked.set(0);
        self.at_cancellation_point.set(false);
        self.cancellation.set(Cancellation::NONE);
        self.signals.reset();
        self.ignores_races.set(0);
        self.ready_at_exit.iter().for_each(|status| status.set(0));
        self.system_number.set(0);
        self.awaited.set(AwaitedFiles::NONE);
        self.next_address.set(0);
        self.next_writes.set(false);
        self.next_code.set(0);
        self.step.set(u64::MAX);
        self.first_access.set(false);
        self.in_call.set(false);
        self.steps_in_turn.set(0);
        self.priority.set(0);
        self.decisions.set(0);
        self.yielded_at.set(scheduler::NOT_YIELDED);
        self.relaxed_load.set(0);
        self.idle_left.set(0);
        self.spin.reset();
        self.wide_write.set(None);
        self.registers.set([0; REGISTERS]);
        self.stack_low.set(0);
        self.stack_begin.set(0);
        self.fiber.set(Fiber::NONE);
        self.start.set(None);
        self.argument.set(core::ptr::null_mut());
        self.handle.set(0);
        self.local.set(core::ptr::null());
    }

    /// The same, but what belongs to its id stays.
    fn replace(&self) {
        let (priority, decisions) = (self.priority.get(), self.decisions.get());
        self.reset();
        self.priority.set(priority);
        self.decisions.set(decisions);
    }
}

#[unsafe(link_section = "omnilink_state")]
static THREADS: Global<[Thread; ALL_THREADS_CAP]> =
    Global::new([const { Thread::absent() }; ALL_THREADS_CAP]);
#[unsafe(link_section = "omnilink_state")]
static IDS_USED: Global<Cell<u8>> = Global::new(Cell::new(0));
/// A futex: 1 while a created thread has not started yet.
#[unsafe(link_section = "omnilink_state")]
static STARTING: AtomicU32 = AtomicU32::new(0);
/// Read at the end of every thread, controlled or not.
static EXIT_KEY: AtomicU32 = AtomicU32::new(0);
/// Whether a thread of the system was created since the process of the execution began, besides those of the columns. Threads that are not
/// controlled create others, too.
#[unsafe(link_section = "omnilink_state")]
static HAS_SYSTEM_THREADS: AtomicBool = AtomicBool::new(false);

/// What is known of a thread. There is none with the number [`NO_THREAD`].
#[inline(always)]
pub fn thread(id: u8) -> &'static Thread {
    slot(&*THREADS, usize::from(id))
}

/// The ids of all threads that there can be.
pub fn all_ids() -> core::ops::Range<u8> {
    0..ALL_THREADS_CAP as u8
}

/// The ids that were used so far, so that few threads cost little.
#[inline(always)]
pub fn ids() -> core::ops::Range<u8> {
    0..IDS_USED.get()
}

fn use_id(id: u8) {
    IDS_USED.set(IDS_USED.get().max(id + 1));
}

/// The pages that hold nothing but the structures of threads.
pub fn whole_pages() -> (u64, u64) {
    let begin = (&raw const THREADS) as u64;
    let end = begin + size_of::<[Thread; ALL_THREADS_CAP]>() as u64;
    (begin.next_multiple_of(PAGE), end / PAGE * PAGE)
}

/// Forgets all threads.
pub fn reset() {
    ids().for_each(|id| thread(id).reset());
}

/// Whether the execution has threads of the system, besides those of the columns.
pub fn has_system_threads() -> bool {
    HAS_SYSTEM_THREADS.load(Relaxed)
}

/// Prepares the process of executions, which has one thread.
pub fn prepare() {
    HAS_SYSTEM_THREADS.store(false, Relaxed);
    let mut key = 0;
    // SAFETY: it writes the key, and `at_exit` is a destructor.
    unsafe { sys::pthread_key_create(&raw mut key, at_exit) };
    EXIT_KEY.store(key, Relaxed);
}

/// Sets the value of the key, so that its destructor runs when the calling thread ends.
fn set_exit_value(value: usize) {
    // SAFETY: the key was made by `prepare`; the value is a number, which nobody takes for an address.
    unsafe { sys::pthread_setspecific(EXIT_KEY.load(Relaxed), value as *const c_void) };
}

/// Makes the calling thread the running thread, with the given id.
pub fn adopt(id: u8) {
    use_id(id);
    set_me(id);
    let here = 0_u8;
    let adopted = thread(id);
    adopted.stack_begin.set((&raw const here) as u64);
    adopted.local.set(local());
    adopted.system_number.set(sys::thread_number());
    // SAFETY: it returns a number.
    adopted.handle.set(unsafe { sys::pthread_self() });
    adopted.state.set(ThreadState::Ready);
}

/// The calling thread, which nobody created, may end before the process.
pub fn notice_exit() {
    set_exit_value(FIRST_CALL);
}

/// Creates the thread of a column: a fiber that begins with `entry`.
pub fn create_column(id: u8, entry: unsafe extern "C" fn() -> !) {
    use_id(id);
    let new = thread(id);
    let (fiber, stack_begin, handle) = column_stacks::fiber(id, entry);
    let priority = new.priority.get();
    new.reset();
    new.priority.set(priority);
    new.state.set(ThreadState::Ready);
    new.stack_begin.set(stack_begin);
    new.stack_low.set(stack_begin);
    new.fiber.set(fiber);
    new.handle.set(handle);
    races::created(me(), id);
}

/// Makes the calling fiber the running thread `id`, when it begins.
pub fn begin_column(id: u8) {
    set_me(id);
    set_exit_value(FIRST_CALL);
}

/// Creates the thread `id` and waits until it waits for its turn.
///
/// # Safety
/// That of `pthread_create`.
unsafe fn create(
    id: u8,
    handle: *mut usize,
    attributes: *const c_void,
    start: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    use_id(id);
    let new = thread(id);
    new.replace();
    new.start.set(Some(start));
    new.argument.set(argument);
    if me() != NO_THREAD {
        races::created(me(), id);
    }
    let threads = u32::from(IDS_USED.get());
    let shared = scheduler::shared();
    shared.threads_max.set(shared.threads_max.get().max(threads));
    signals::inherit(new);
    STARTING.store(1, SeqCst);
    HAS_SYSTEM_THREADS.store(true, Relaxed);
    // SAFETY: the caller's contract; `trampoline` takes a number.
    let result = unsafe { real_create(handle, attributes, trampoline, id as usize as *mut c_void) };
    if result == 0 {
        while STARTING.load(SeqCst) != 0 {
            sys::futex_wait(&STARTING, 1);
        }
        // SAFETY: the C library has written the handle, where the caller wants it.
        new.handle.set(unsafe { *handle });
        new.state.set(ThreadState::Ready);
    }
    result
}

/// The C library's `pthread_create`.
///
/// # Safety
/// That of `pthread_create`.
unsafe fn real_create(
    handle: *mut usize,
    attributes: *const c_void,
    start: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe {
        real!(
            pthread_create,
            fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
            handle,
            attributes,
            start,
            argument
        )
    }
}

/// Begins a thread of the component. Its creator waits, and goes on when the thread has told where it is.
unsafe extern "C" fn trampoline(id: *mut c_void) -> *mut c_void {
    let id = id as usize as u8;
    set_me(id);
    let here = 0_u8;
    let began = thread(id);
    began.stack_begin.set((&raw const here) as u64);
    began.stack_low.set(began.stack_begin.get());
    began.local.set(local());
    began.system_number.set(sys::thread_number());
    STARTING.store(0, SeqCst);
    sys::futex_wake(&STARTING);
    scheduler::wait_for_turn(id);
    set_exit_value(FIRST_CALL);
    match began.start.get() {
        // SAFETY: the component asked for this call when it created the thread.
        Some(start) => unsafe { start(began.argument.get()) },
        None => core::ptr::null_mut(),
    }
}

/// The values of the key in the two calls of its destructor.
const FIRST_CALL: usize = 1;
const SECOND_CALL: usize = 2;

/// Runs when a thread of the component exits, after its thread-locals were dropped: they are dropped while it is still the
/// running thread. Keys of the component may have destructors too; they have run when this one is called the second time.
unsafe extern "C" fn at_exit(value: *mut c_void) {
    if value as usize == FIRST_CALL {
        // The destructors that follow may be those of prebuilt libraries.
        cpp_library::at_exit(thread(me()));
        set_exit_value(SECOND_CALL);
        return;
    }
    let id = me();
    finish(id);
    set_me(NO_THREAD);
    let has_ended = |id: u8| matches!(thread(id).state.get(), ThreadState::Done | ThreadState::Absent);
    if ids().all(has_ended) {
        // `main` has ended by `pthread_exit`: the C library ends the process with its last thread.
        scheduler::set_phase(scheduler::Phase::Off);
        return;
    }
    scheduler::leave(id);
}

/// Marks a thread as ended and wakes the threads that join it.
pub fn finish(id: u8) {
    thread(id).state.set(ThreadState::Done);
    thread(id).in_call.set(false);
    thread(id).waits_to_write.set(0);
    locks::owner_ends();
    wake_all(join_address(id));
    scheduler::progress();
}

/// The storage of a thread is there no more as soon as another one runs.
pub fn forget_storage(id: u8) {
    thread(id).local.set(core::ptr::null());
}

/// Says where a thread that has stopped is.
pub fn describe(id: u8, place: PlaceRecord) -> PlaceRecord {
    let mut place = place;
    place.thread = id.into();
    place.code = thread(id).next_code.get();
    place.frames_len = copy_calls(id, &mut place.frames);
    place
}

/// Copies the call sites of the innermost functions that a thread is in, and returns how many there are.
pub fn copy_calls(id: u8, to: &mut [u64]) -> u32 {
    let local = thread(id).local.get();
    if local.is_null() {
        return 0;
    }
    // SAFETY: the storage is there: the pointer is set by the thread itself, and taken away before the thread ends. The thread has
    // stopped, or is the calling one, so that nobody writes there.
    unsafe { (*local).call_stack.copy_innermost(to) }
}

/// Whether an id can be reused: its thread, if there was one, has ended and was joined or detached.
fn is_free(id: u8) -> bool {
    let thread = thread(id);
    let state = thread.state.get();
    state == ThreadState::Absent || (state == ThreadState::Done && thread.handle.get() == 0)
}

/// The wait address of threads that join `id`. The component has nothing there.
pub fn join_address(id: u8) -> u64 {
    core::ptr::from_ref(thread(id)) as u64
}

pub unsafe extern "C" fn pthread_create(
    handle: *mut usize,
    attributes: *const c_void,
    start: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    if !is_controlled() {
        HAS_SYSTEM_THREADS.store(true, Relaxed);
        // SAFETY: this has the contract of the function that it replaces.
        return unsafe { real_create(handle, attributes, start, argument) };
    }
    let Some(id) = scheduler::ids_of_new_threads().find(|&id| is_free(id)) else {
        scheduler::end(ending::TOO_MANY_THREADS, 0);
    };
    scheduler::mark_opaque(me());
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { create(id, handle, attributes, start, argument) }
}

/// The thread with this handle, which was neither joined nor detached.
pub fn with_handle(handle: usize) -> Option<u8> {
    let has_it =
        |id: &u8| thread(*id).state.get() != ThreadState::Absent && thread(*id).handle.get() == handle;
    ids().find(has_it)
}

/// The handle of the calling thread.
pub fn own_handle() -> usize {
    // SAFETY: it returns a number.
    unsafe { sys::pthread_self() }
}

/// The scheduler does not see what the calling thread does until `observe`.
pub extern "C" fn unobserve() {
    local().unobserved.set(local().unobserved.get() + 1);
}

pub extern "C" fn observe() {
    local().unobserved.set(local().unobserved.get().saturating_sub(1));
}
