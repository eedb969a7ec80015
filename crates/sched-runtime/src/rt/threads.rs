//! The threads under control, and how a thread comes and goes.

use crate::code;
use crate::baton::{self, Phase};
use crate::layout::{NOBODY, THREADS_CAP, ending};
use crate::races;
use crate::situation::{ENTRY_LEN, Entry};
use crate::spin::Spin;
use crate::sys::{self, real};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// No such thread.
    Absent,
    /// It can take its next step.
    Ready,
    /// It waits to be woken at `wait_address`.
    Waiting,
    /// The main thread waits for the columns.
    Resting,
    /// It has ended.
    Done,
}

pub type StartRoutine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

pub struct Thread {
    pub state: State,
    /// Given the baton when not 0.
    pub turn: AtomicU32,
    /// Where it waits, and for which bits of a futex.
    pub wait_address: u64,
    pub wait_mask: u32,
    /// Who waits longer has the lower number.
    pub wait_number: u64,
    /// Waiting may also end by itself, at this time.
    pub deadline_ns: Option<u64>,
    /// What it will do next, as far as it is known.
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
    /// What the count of changes was when it yielded last.
    pub yielded_in: u64,
    pub spin: Spin,
    /// Its registers and the end of its stack when it called the runtime last.
    pub entry: Entry,
    /// Where its stack ended when it stopped, and where that begins. 0 if not known.
    pub stack_low: u64,
    pub stack_begin: u64,
    start: Option<StartRoutine>,
    argument: *mut c_void,
    handle: usize,
}

impl Thread {
    const ABSENT: Self = Self {
        state: State::Absent,
        turn: AtomicU32::new(0),
        wait_address: 0,
        wait_mask: 0,
        wait_number: 0,
        deadline_ns: None,
        next_address: 0,
        next_writes: false,
        next_code: 0,
        step: u64::MAX,
        first_access: false,
        in_call: false,
        steps_in_turn: 0,
        priority: 0,
        yielded_in: 0,
        spin: Spin::NEW,
        entry: [0; ENTRY_LEN],
        stack_low: 0,
        stack_begin: 0,
        start: None,
        argument: core::ptr::null_mut(),
        handle: 0,
    };
}

#[unsafe(link_section = "omnilink_state")]
static mut THREADS: [Thread; THREADS_CAP] = [const { Thread::ABSENT }; THREADS_CAP];
/// Threads that were created and have not yet asked for the baton.
#[unsafe(link_section = "omnilink_state")]
static STARTING: AtomicU32 = AtomicU32::new(0);
static mut EXIT_KEY: u32 = 0;

#[thread_local]
static mut ME: u8 = NOBODY;
/// Not 0 while the thread is inside the runtime or asked to be left alone.
#[thread_local]
static mut UNOBSERVED: u32 = 0;

#[inline(always)]
pub fn me() -> u8 {
    unsafe { ME }
}

/// Whether the scheduler decides for the calling thread.
#[inline(always)]
pub fn is_controlled() -> bool {
    unsafe { ME != NOBODY && UNOBSERVED == 0 }
}

#[inline(always)]
pub fn thread(id: u8) -> *mut Thread {
    // Ids are given out below the capacity, and NOBODY never gets here.
    unsafe { (&raw mut THREADS).cast::<Thread>().add(id as usize & (THREADS_CAP - 1)) }
}

#[inline(always)]
pub fn ids() -> core::ops::Range<u8> {
    0..THREADS_CAP as u8
}

/// Makes the calling thread the thread `id`, with the baton.
pub unsafe fn adopt(id: u8) {
    unsafe {
        sys::pthread_key_create(&raw mut EXIT_KEY, at_exit);
        ME = id;
        let here = 0_u8;
        (*thread(id)).stack_begin = (&raw const here) as u64;
        (*thread(id)).state = State::Ready;
    }
}

/// Creates the thread `id` and waits until it asks for the baton.
pub unsafe fn create(id: u8, handle: *mut usize, attributes: *const c_void, start: StartRoutine, argument: *mut c_void) -> c_int {
    unsafe {
        let new = thread(id);
        *new = Thread { priority: (*new).priority, ..Thread::ABSENT };
        (*new).start = Some(start);
        (*new).argument = argument;
        if me() != NOBODY {
            races::created(me(), id);
        }
        STARTING.store(1, SeqCst);
        let result = real!(
            "pthread_create",
            fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
            handle, attributes, trampoline, id as usize as *mut c_void
        );
        if result == 0 {
            while STARTING.load(SeqCst) != 0 {
                sys::futex_wait(&STARTING, 1);
            }
            (*new).handle = *handle;
            (*new).state = State::Ready;
        }
        result
    }
}

unsafe extern "C" fn trampoline(id: *mut c_void) -> *mut c_void {
    unsafe {
        let id = id as usize as u8;
        ME = id;
        let here = 0_u8;
        (*thread(id)).stack_begin = (&raw const here) as u64;
        (*thread(id)).stack_low = (*thread(id)).stack_begin;
        STARTING.store(0, SeqCst);
        sys::futex_wake(&STARTING);
        baton::wait_for_turn(id);
        sys::pthread_setspecific(EXIT_KEY, FIRST_CALL);
        match (*thread(id)).start {
            Some(start) => start((*thread(id)).argument),
            None => core::ptr::null_mut(),
        }
    }
}

const FIRST_CALL: *const c_void = 1 as *const c_void;
const SECOND_CALL: *const c_void = 2 as *const c_void;

/// Runs when a thread of the component exits, after its thread-locals were dropped: they are dropped while it
/// still holds the baton. Keys of the component may have destructors too; they had their turn when this one is
/// called the second time.
unsafe extern "C" fn at_exit(value: *mut c_void) {
    unsafe {
        if value as *const c_void == FIRST_CALL {
            sys::pthread_setspecific(EXIT_KEY, SECOND_CALL);
            return;
        }
        let id = ME;
        finish(id);
        ME = NOBODY;
        baton::pass_on_and_leave(id);
    }
}

/// Marks a thread as ended and wakes those who wait for that.
pub unsafe fn finish(id: u8) {
    unsafe {
        (*thread(id)).state = State::Done;
        (*thread(id)).in_call = false;
        crate::waiting::wake(join_address(id), usize::MAX, u32::MAX);
        baton::progress();
    }
}

/// Whether an id belongs to nobody, or to a thread that has ended and that nobody can join any more.
fn is_free(id: &u8) -> bool {
    let thread = unsafe { &*thread(*id) };
    thread.state == State::Absent || (thread.state == State::Done && thread.handle == 0)
}

/// Threads that wait for the end of `id` wait at this address, which is no address of the component.
fn join_address(id: u8) -> u64 {
    thread(id) as u64
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    handle: *mut usize,
    attributes: *const c_void,
    start: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    unsafe {
        if !is_controlled() {
            return real!(
                "pthread_create",
                fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int,
                handle, attributes, start, argument
            );
        }
        let Some(id) = baton::ids_of_new_threads().find(is_free) else {
            baton::end(ending::TOO_MANY_THREADS, 0);
        };
        baton::mark_opaque(me());
        create(id, handle, attributes, start, argument)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_join(handle: usize, result: *mut *mut c_void) -> c_int {
    unsafe {
        let alive = |id: &u8| !matches!((*thread(*id)).state, State::Absent) && (*thread(*id)).handle == handle;
        if is_controlled() && let Some(id) = ids().find(alive) {
            while (*thread(id)).state != State::Done {
                crate::waiting::wait(join_address(id), u32::MAX, None, code::caller());
            }
            (*thread(id)).handle = 0;
            races::joined(id);
        }
        real!("pthread_join", fn(usize, *mut *mut c_void) -> c_int, handle, result)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_detach(handle: usize) -> c_int {
    unsafe {
        if is_controlled() && let Some(id) = ids().find(|&id| (*thread(id)).handle == handle) {
            (*thread(id)).handle = 0;
        }
        real!("pthread_detach", fn(usize) -> c_int, handle)
    }
}

/// What the calling thread does until `omnilink_observe` is no business of the scheduler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omnilink_unobserve() {
    unsafe { UNOBSERVED += 1 };
}

/// The end of what `omnilink_unobserve` began.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omnilink_observe() {
    unsafe { UNOBSERVED = UNOBSERVED.saturating_sub(1) };
}

/// The number of scheduler steps so far: a clock that is the same in every repetition. 0 when nobody decides.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omnilink_step() -> u64 {
    match baton::phase() {
        Phase::Off => 0,
        _ => baton::steps_made(),
    }
}
