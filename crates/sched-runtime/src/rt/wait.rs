//! Waiting and waking: wait queues, futexes and yields.
//!
//! Waiting threads are woken in the order of their arrival, as the kernel does it, or where one of several is woken, in any order. A wait with a time limit may end whenever
//! the scheduler chooses: the clock then shows the limit.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::entry::{self, caller, is_controlled, me};
use crate::rt::global::Global;
use crate::rt::scheduler::{self, Phase, SchedulingPoint, access};
use crate::rt::spin::{SpinTable, Yield};
use crate::rt::sys::{self, number, raw};
use crate::rt::threads::{ThreadState, ids, thread};
use crate::rt::{
    cancellation, conditions, races, random, readiness, signals, std_library, step_values, timers,
    waiting_places,
};
use core::cell::Cell;
use core::ffi::{c_int, c_long, c_void};

/// Numbers waits in the order of their arrival.
#[unsafe(link_section = "omnilink_state")]
static WAIT_NUMBER: Global<Cell<u64>> = Global::new(Cell::new(0));

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wakeup {
    /// A thread woke it.
    Woken,
    /// The time limit expired.
    TimedOut,
    /// A signal handler ran, or the thread is to be cancelled.
    Interrupted,
}

/// The calling thread waits until a thread wakes `address`.
pub fn wait(address: u64, mask: u32, deadline_ns: Option<u64>, code: u64) -> Wakeup {
    let waiting = thread(me());
    WAIT_NUMBER.set(WAIT_NUMBER.get() + 1);
    waiting.first_access.set(false);
    waiting.state.set(ThreadState::Waiting);
    waiting.wait_address.set(address);
    waiting.wait_mask.set(mask);
    waiting.wait_number.set(WAIT_NUMBER.get());
    waiting.deadline_ns.set(deadline_ns);
    waiting.next_address.set(address);
    waiting.next_writes.set(true);
    waiting.next_code.set(code);
    let yields = match deadline_ns {
        None => Yield::No,
        Some(_) => timed_wait(&waiting.spin, code, address),
    };
    scheduler::stop_undisturbed(SchedulingPoint {
        yields,
        between_calls: false,
    });
    let has_timed_out = deadline_ns.is_some() && thread(me()).deadline_ns.get().is_none();
    let is_interrupted = thread(me()).is_interrupted.take();
    scheduler::after_stop();
    match (is_interrupted, has_timed_out) {
        (true, _) => Wakeup::Interrupted,
        (false, true) => Wakeup::TimedOut,
        (false, false) => Wakeup::Woken,
    }
}

/// Whether a thread that waits goes on because of a signal or a cancellation.
pub fn is_disturbed(id: u8) -> bool {
    signals::has_pending(id) || cancellation::ends_wait(id)
}

/// The scheduler chose a thread that waits: what it waits for is ready, or its time limit expires.
pub fn time_out(id: u8) {
    let is_ready = readiness::has_come(id);
    let waiting = thread(id);
    if !is_ready && is_disturbed(id) {
        waiting.is_interrupted.set(true);
    } else if !is_ready && let Some(deadline_ns) = waiting.deadline_ns.take() {
        clock::advance_to(deadline_ns);
        scheduler::mark_opaque(id);
    }
    waiting.state.set(ThreadState::Ready);
}

/// Whether a wait with a time limit yields: the limit may expire at once, but a loop of such waits yields like a loop of loads.
fn timed_wait(spin: &SpinTable, code: u64, address: u64) -> Yield {
    const NOT_WOKEN: u64 = 0;
    let yields = match spin.would_load(code, address, NOT_WOKEN) {
        Yield::Yes => Yield::Yes,
        Yield::No | Yield::Optional => Yield::Optional,
    };
    spin.loaded(code, address, NOT_WOKEN);
    yields
}

/// The threads that wait at `address`.
fn waiters(address: u64, mask: u32) -> impl Iterator<Item = u8> {
    ids().filter(move |&id| {
        let other = thread(id);
        other.state.get() == ThreadState::Waiting
            && other.wait_address.get() == address
            && other.wait_mask.get() & mask != 0
    })
}

/// Wakes up to `max` threads that wait at `address`. If that is one, which one is a choice.
pub fn wake_any(address: u64, max: usize, mask: u32) -> usize {
    let left_out = match max {
        1 => step_values::choose_wakeup(waiters(address, mask).count()),
        _ => 0,
    };
    for _ in 0..left_out {
        let Some(first) = first_waiter(address, mask) else {
            break;
        };
        // It waits for shortest now.
        WAIT_NUMBER.set(WAIT_NUMBER.get() + 1);
        thread(first).wait_number.set(WAIT_NUMBER.get());
    }
    wake(address, max, mask)
}

/// The thread that waits at `address` for longest.
fn first_waiter(address: u64, mask: u32) -> Option<u8> {
    waiters(address, mask).min_by_key(|&id| thread(id).wait_number.get())
}

/// Wakes up to `max` threads that wait at `address`, the longest waiting first.
pub fn wake(address: u64, max: usize, mask: u32) -> usize {
    let mut woken = 0;
    while woken < max {
        let Some(first) = first_waiter(address, mask) else {
            break;
        };
        thread(first).state.set(ThreadState::Ready);
        woken += 1;
    }
    if woken > 0 {
        scheduler::progress();
    }
    woken
}

/// Wakes all threads that wait at `address`.
pub fn wake_all(address: u64) -> usize {
    wake(address, usize::MAX, u32::MAX)
}

/// The arguments of a futex call.
struct Futex {
    word: *mut u32,
    /// Without its flags.
    command: c_long,
    value: c_long,
    limit: *const TimeSpec,
    mask: c_long,
}

impl Futex {
    /// # Safety
    /// That of the system call with these arguments.
    unsafe fn call(&self, code: u64) -> c_long {
        let address = self.word as u64;
        // The code around the call is often not instrumented, such as Rust's prebuilt library: what it does before and after
        // the call is not seen.
        scheduler::mark_opaque(me());
        access(address, true, code, Yield::No);
        scheduler::mark_opaque(me());
        races::release(address);
        // SAFETY: the caller's contract.
        let result = unsafe { self.command(code) };
        scheduler::mark_opaque(me());
        // The woken thread takes a lock next to the word, or the one that a function of the standard library was given.
        for word in 0..5 {
            races::acquire((address + 4 * word).wrapping_sub(8));
        }
        std_library::acquire_arguments();
        result
    }

    /// # Safety
    /// That of the system call with these arguments.
    unsafe fn command(&self, code: u64) -> c_long {
        let address = self.word as u64;
        let max = self.value.max(0) as usize;
        match self.command {
            sys::FUTEX_WAIT | sys::FUTEX_WAIT_BITSET => {
                // SAFETY: the system call reads the word, too.
                if unsafe { self.word.read_volatile() } != self.value as u32 {
                    return sys::fail(sys::EAGAIN).into();
                }
                let (mask, relative) = match self.command {
                    sys::FUTEX_WAIT => (u32::MAX, true),
                    _ => (self.mask as u32, false),
                };
                // SAFETY: the limit of the system call is null or a time.
                let deadline_ns = unsafe { clock::deadline(self.limit, relative) };
                waiting_places::waits_for_futex(code);
                // The only waits of Rust's library that may end without a reason for its callers.
                if entry::local().uses_condition.take()
                    && conditions::may_end_at_once(deadline_ns)
                    && step_values::choose_wakeup(2) == 1
                {
                    return 0;
                }
                match wait(address, mask, deadline_ns, code) {
                    Wakeup::Woken => 0,
                    Wakeup::TimedOut => sys::fail(sys::ETIMEDOUT).into(),
                    Wakeup::Interrupted => sys::fail(sys::EINTR).into(),
                }
            }
            sys::FUTEX_WAKE | sys::FUTEX_WAKE_BITSET => {
                let mask = match self.command {
                    sys::FUTEX_WAKE => u32::MAX,
                    _ => self.mask as u32,
                };
                // To the explorer the order matters where a program asks for one of several waiters itself.
                let is_chosen =
                    scheduler::phase() == Phase::WholeProgram || entry::local().uses_condition.get();
                match is_chosen {
                    true => wake_any(address, max, mask) as c_long,
                    false => wake(address, max, mask) as c_long,
                }
            }
            // A requeue wakes all: every waiter has to expect spurious wakeups.
            _ => wake_all(address) as c_long,
        }
    }
}

/// Replaces the C library's. The real one takes a variable number of arguments; on the systems supported here those are passed
/// like these.
pub unsafe extern "C" fn syscall(
    call: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    if is_controlled() {
        match call {
            number::FUTEX => {
                let command = b & !(sys::FUTEX_PRIVATE | sys::FUTEX_CLOCK_REALTIME);
                if matches!(
                    command,
                    sys::FUTEX_WAIT
                        | sys::FUTEX_WAKE
                        | sys::FUTEX_REQUEUE
                        | sys::FUTEX_CMP_REQUEUE
                        | sys::FUTEX_WAIT_BITSET
                        | sys::FUTEX_WAKE_BITSET
                ) {
                    let futex = Futex {
                        word: a as *mut u32,
                        command,
                        value: c,
                        limit: d as *const TimeSpec,
                        mask: f,
                    };
                    // SAFETY: this has the contract of the system call.
                    return unsafe { futex.call(caller()) };
                }
            }
            number::MEMBARRIER => return membarrier([a, b, c], caller()),
            number::SCHED_YIELD => return sched_yield().into(),
            number::CLOCK_GETTIME => {
                // SAFETY: these functions have the contract of the system calls.
                return unsafe { clock::clock_gettime(a as c_int, b as *mut TimeSpec).into() };
            }
            number::TIMERFD_CREATE => return timers::timerfd_create(a as c_int, b as c_int).into(),
            number::TIMERFD_SETTIME => {
                let (new, old) = (c as *const timers::TimerTimes, d as *mut timers::TimerTimes);
                // SAFETY: as above.
                return unsafe { timers::timerfd_settime(a as c_int, b as c_int, new, old).into() };
            }
            number::TIMERFD_GETTIME => {
                // SAFETY: as above.
                return unsafe { timers::timerfd_gettime(a as c_int, b as *mut timers::TimerTimes).into() };
            }
            number::NANOSLEEP => {
                // SAFETY: as above.
                return unsafe { clock::nanosleep(a as *const TimeSpec, b as *mut TimeSpec).into() };
            }
            _ => {}
        }
    }
    if call == number::GETRANDOM {
        // SAFETY: the function has the contract of the system call.
        return unsafe { random::getrandom(a as *mut c_void, b as usize, c as u32) } as c_long;
    }
    // SAFETY: this has the contract of the function that it replaces.
    sys::result(unsafe { raw(call, [a, b, c, d, e, f]) })
}

/// The kernel makes every thread of the process pass a full memory barrier before it answers. The others do not notice: all that they
/// did before is before their barrier.
fn membarrier(arguments: [c_long; 3], code: u64) -> c_long {
    /// The commands that are barriers: global, global expedited, private expedited, the same with core serialisation and for
    /// restartable sequences.
    const BARRIERS: [c_long; 5] = [1, 2, 8, 32, 128];
    let is_barrier = BARRIERS.contains(&arguments[0]);
    if is_barrier {
        access(0, true, code, Yield::No);
        scheduler::mark_opaque(me());
    }
    // SAFETY: it takes three numbers and touches no memory.
    let result = sys::result(unsafe { raw(number::MEMBARRIER, arguments) });
    if is_barrier && result >= 0 {
        races::fence_everywhere();
    }
    result
}

/// The calling thread lets others run first.
pub fn yield_now(code: u64) {
    let current = thread(me());
    current.next_address.set(0);
    current.next_writes.set(false);
    current.next_code.set(code);
    current.first_access.set(false);
    scheduler::stop(SchedulingPoint {
        yields: Yield::Yes,
        between_calls: false,
    });
}

pub extern "C" fn sched_yield() -> c_int {
    if is_controlled() {
        yield_now(caller());
    } else {
        sys::sched_yield();
    }
    0
}
