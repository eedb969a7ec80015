//! The controlled threads, their creation and their end.

use crate::layout::{NO_THREAD, PlaceRecord, THREADS_CAP, ending};
use crate::rt::entry::{REGISTERS, Registers, ThreadLocal, caller, is_controlled, local, me, set_me};
use crate::rt::fiber::Fiber;
use crate::rt::once::RunningOnces;
use crate::rt::readiness::AwaitedFiles;
use crate::rt::saved_memory::PAGE;
use crate::rt::spin::SpinTable;
use crate::rt::sys::{self, real};
use crate::rt::wait::{wait, wake_all};
use crate::rt::wide_write::WideWrite;
use crate::rt::{column_stacks, races, scheduler, waiting_places};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

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

pub struct Thread {
    pub state: ThreadState,
    /// A futex: not 0 when the thread becomes the running one.
    pub turn: AtomicU32,
    /// The address at which it waits, and the bits of a futex.
    pub wait_address: u64,
    pub wait_mask: u32,
    /// Orders waits by arrival.
    pub wait_number: u64,
    /// The `pthread_once_t`s whose routines it runs, or ran until an exception ended them.
    pub runs_once: RunningOnces,
    /// The `pthread_once_t` whose routine it waits for, or null.
    pub waits_for_once: *const c_int,
    /// When the wait times out.
    pub deadline_ns: Option<u64>,
    /// The files for which it waits.
    pub awaited: AwaitedFiles,
    /// Its next access, as far as it is known.
    pub next_address: u64,
    pub next_writes: bool,
    pub next_code: u64,
    /// The step it is in.
    pub step: u64,
    /// The first access of a call belongs to the step that began the call.
    pub first_access: bool,
    /// It is a column inside a call.
    pub in_call: bool,
    /// Steps since the last switch to it.
    pub steps_in_turn: u32,
    pub priority: u64,
    /// How often it has stopped for a decision, and so have earlier threads with its id.
    pub decisions: u32,
    /// The progress count when it yielded last.
    pub yielded_at: u64,
    /// The location of its last relaxed load, if nothing orders what comes after it; else 0.
    pub relaxed_load: u64,
    /// How many more times it goes on where it yields: see the module `idle`.
    pub idle_left: u32,
    pub spin: SpinTable,
    pub wide_write: Option<WideWrite>,
    /// Its registers when it called the runtime last.
    pub registers: Registers,
    /// The lowest address of its stack in use when it stopped, and the highest. 0 if not known.
    pub stack_low: u64,
    pub stack_begin: u64,
    /// Where it stands, if it is a fiber and does not run.
    pub fiber: Fiber,
    start: Option<StartRoutine>,
    argument: *mut c_void,
    handle: usize,
    /// Its thread-local storage; null if it has not begun.
    local: *const ThreadLocal,
}

impl Thread {
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a template that is copied, never used in place"
    )]
    const ABSENT: Self = Self {
        state: ThreadState::Absent,
        turn: AtomicU32::new(0),
        wait_address: 0,
        wait_mask: 0,
        wait_number: 0,
        runs_once: RunningOnces::NONE,
        waits_for_once: core::ptr::null(),
        deadline_ns: None,
        awaited: AwaitedFiles::NONE,
        next_address: 0,
        next_writes: false,
        next_code: 0,
        step: u64::MAX,
        first_access: false,
        in_call: false,
        steps_in_turn: 0,
        priority: 0,
        decisions: 0,
        yielded_at: scheduler::NOT_YIELDED,
        relaxed_load: 0,
        idle_left: 0,
        spin: SpinTable::EMPTY,
        wide_write: None,
        registers: [0; REGISTERS],
        stack_low: 0,
        stack_begin: 0,
        fiber: Fiber::NONE,
        start: None,
        argument: core::ptr::null_mut(),
        handle: 0,
        local: core::ptr::null(),
    };
}

#[unsafe(link_section = "omnilink_state")]
static mut THREADS: [Thread; ALL_THREADS_CAP] = [const { Thread::ABSENT }; ALL_THREADS_CAP];
#[unsafe(link_section = "omnilink_state")]
static mut IDS_USED: u8 = 0;
/// A futex: 1 while a created thread has not started yet.
#[unsafe(link_section = "omnilink_state")]
static STARTING: AtomicU32 = AtomicU32::new(0);
static mut EXIT_KEY: u32 = 0;
/// Whether a thread of the system was created since the process of the execution began, besides those of the columns.
#[unsafe(link_section = "omnilink_state")]
static mut HAS_SYSTEM_THREADS: bool = false;

#[inline(always)]
pub fn thread(id: u8) -> *mut Thread {
    let first = (&raw mut THREADS).cast::<Thread>();
    // SAFETY: the index is below the number of threads.
    unsafe { first.add(id as usize & (ALL_THREADS_CAP - 1)) }
}

/// The ids of all threads that there can be.
pub fn all_ids() -> core::ops::Range<u8> {
    0..ALL_THREADS_CAP as u8
}

/// The ids that were used so far, so that few threads cost little.
#[inline(always)]
pub fn ids() -> core::ops::Range<u8> {
    // SAFETY: written by the running thread only, see the module `rt`.
    0..unsafe { IDS_USED }
}

unsafe fn use_id(id: u8) {
    IDS_USED = IDS_USED.max(id + 1);
}

/// The pages that hold nothing but the structures of threads.
pub fn whole_pages() -> (u64, u64) {
    let begin = (&raw const THREADS) as u64;
    let end = begin + size_of::<[Thread; ALL_THREADS_CAP]>() as u64;
    (begin.next_multiple_of(PAGE), end / PAGE * PAGE)
}

/// Forgets all threads.
pub unsafe fn reset() {
    for id in ids() {
        *thread(id) = Thread::ABSENT;
    }
}

/// Whether the execution has threads of the system, besides those of the columns.
pub unsafe fn has_system_threads() -> bool {
    HAS_SYSTEM_THREADS
}

/// Prepares the process of executions, which has one thread.
pub unsafe fn prepare() {
    HAS_SYSTEM_THREADS = false;
    sys::pthread_key_create(&raw mut EXIT_KEY, at_exit);
}

/// Makes the calling thread the running thread, with the given id.
pub unsafe fn adopt(id: u8) {
    use_id(id);
    set_me(id);
    let here = 0_u8;
    (*thread(id)).stack_begin = (&raw const here) as u64;
    (*thread(id)).local = local();
    (*thread(id)).state = ThreadState::Ready;
}

/// Creates the thread of a column: a fiber that begins with `entry`.
pub unsafe fn create_column(id: u8, entry: unsafe extern "C" fn() -> !) {
    use_id(id);
    let new = thread(id);
    let (fiber, stack_begin, handle) = column_stacks::fiber(id, entry);
    *new = Thread {
        state: ThreadState::Ready,
        priority: (*new).priority,
        stack_begin,
        stack_low: stack_begin,
        fiber,
        handle,
        ..Thread::ABSENT
    };
    races::created(me(), id);
}

/// Makes the calling fiber the running thread `id`, when it begins.
pub unsafe fn begin_column(id: u8) {
    set_me(id);
    sys::pthread_setspecific(EXIT_KEY, FIRST_CALL as *const c_void);
}

/// Creates the thread `id` and waits until it waits for its turn.
unsafe fn create(
    id: u8,
    handle: *mut usize,
    attributes: *const c_void,
    start: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    use_id(id);
    let new = thread(id);
    *new = Thread {
        priority: (*new).priority,
        decisions: (*new).decisions,
        ..Thread::ABSENT
    };
    (*new).start = Some(start);
    (*new).argument = argument;
    if me() != NO_THREAD {
        races::created(me(), id);
    }
    STARTING.store(1, SeqCst);
    HAS_SYSTEM_THREADS = true;
    let result = real!(
        pthread_create,
        fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
        handle,
        attributes,
        trampoline,
        id as usize as *mut c_void
    );
    if result == 0 {
        while STARTING.load(SeqCst) != 0 {
            sys::futex_wait(&STARTING, 1);
        }
        (*new).handle = *handle;
        (*new).state = ThreadState::Ready;
    }
    result
}

unsafe extern "C" fn trampoline(id: *mut c_void) -> *mut c_void {
    let id = id as usize as u8;
    set_me(id);
    let here = 0_u8;
    (*thread(id)).stack_begin = (&raw const here) as u64;
    (*thread(id)).stack_low = (*thread(id)).stack_begin;
    (*thread(id)).local = local();
    STARTING.store(0, SeqCst);
    sys::futex_wake(&STARTING);
    scheduler::wait_for_turn(id);
    sys::pthread_setspecific(EXIT_KEY, FIRST_CALL as *const c_void);
    match (*thread(id)).start {
        Some(start) => start((*thread(id)).argument),
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
        sys::pthread_setspecific(EXIT_KEY, SECOND_CALL as *const c_void);
        return;
    }
    let id = me();
    finish(id);
    set_me(NO_THREAD);
    scheduler::leave(id);
}

/// Marks a thread as ended and wakes the threads that join it.
pub unsafe fn finish(id: u8) {
    (*thread(id)).state = ThreadState::Done;
    (*thread(id)).in_call = false;
    wake_all(join_address(id));
    scheduler::progress();
}

/// Says where a thread that has stopped is.
pub unsafe fn describe(id: u8, place: &mut PlaceRecord) {
    let thread = &*thread(id);
    place.thread = id.into();
    place.code = thread.next_code;
    place.frames_len = copy_calls(id, &mut place.frames);
}

/// Copies the call sites of the innermost functions that a thread is in, and returns how many there are.
pub unsafe fn copy_calls(id: u8, to: &mut [u64]) -> u32 {
    match (*thread(id)).local.as_ref() {
        Some(local) => local.call_stack.copy_innermost(to),
        None => 0,
    }
}

/// Whether an id can be reused: its thread, if there was one, has ended and was joined or detached.
unsafe fn is_free(id: u8) -> bool {
    let thread = &*thread(id);
    thread.state == ThreadState::Absent || (thread.state == ThreadState::Done && thread.handle == 0)
}

/// The wait address of threads that join `id`. The component has nothing there.
fn join_address(id: u8) -> u64 {
    thread(id) as u64
}

pub unsafe extern "C" fn pthread_create(
    handle: *mut usize,
    attributes: *const c_void,
    start: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    if !is_controlled() {
        HAS_SYSTEM_THREADS = true;
        return real!(
            pthread_create,
            fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
            handle,
            attributes,
            start,
            argument
        );
    }
    let Some(id) = scheduler::ids_of_new_threads().find(|&id| is_free(id)) else {
        scheduler::end(ending::TOO_MANY_THREADS, 0);
    };
    scheduler::mark_opaque(me());
    create(id, handle, attributes, start, argument)
}

pub unsafe extern "C" fn pthread_join(handle: usize, result: *mut *mut c_void) -> c_int {
    let code = caller();
    let alive =
        |id: &u8| !matches!((*thread(*id)).state, ThreadState::Absent) && (*thread(*id)).handle == handle;
    if is_controlled()
        && let Some(id) = ids().find(alive)
    {
        waiting_places::may_wait(code);
        while (*thread(id)).state != ThreadState::Done {
            waiting_places::waits(code);
            wait(join_address(id), u32::MAX, None, code);
        }
        (*thread(id)).handle = 0;
        races::joined(id);
    }
    real!(pthread_join, fn(usize, *mut *mut c_void) -> c_int, handle, result)
}

pub unsafe extern "C" fn pthread_detach(handle: usize) -> c_int {
    if is_controlled()
        && let Some(id) = ids().find(|&id| (*thread(id)).handle == handle)
    {
        (*thread(id)).handle = 0;
    }
    real!(pthread_detach, fn(usize) -> c_int, handle)
}

/// The scheduler does not see what the calling thread does until `observe`.
pub unsafe extern "C" fn unobserve() {
    (*local()).unobserved += 1;
}

pub unsafe extern "C" fn observe() {
    (*local()).unobserved = (*local()).unobserved.saturating_sub(1);
}
