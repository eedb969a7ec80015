//! Signals between the threads of a whole program.
//!
//! A handler that the program installs is wrapped. Where a thread sends itself a signal, its handler runs at once, as part of the thread. A
//! signal that comes in any other way is kept until its thread is the running one and stops, or goes on: the handler of a stopped thread would
//! run beside the running one. A thread that waits goes on because of it, as in the system: sleeping, semaphores, reading and writing are
//! interrupted, and other waits begin anew.
//!
//! Signals of faults, and those that end the process, are left to the system.

use crate::checked;
use crate::layout::NO_THREAD;
use crate::rt::cancellation;
use crate::rt::clock::{self, TimeSpec};
use crate::rt::entry::me;
use crate::rt::locks;
use crate::rt::readiness;
use crate::rt::scheduler::{self, Phase};
use crate::rt::sys::{self, number, raw, real, replaced};
use crate::rt::threads::{Thread, ThreadState, ids, thread, with_handle};
use crate::rt::wait::{Wakeup, wait, wake_all};
use crate::rt::{races, waiting_places};
use core::cell::Cell;
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

const SIGNALS: usize = 65;
/// Faults, and `SIGABRT`: their handlers run at once, wherever that is.
const IMMEDIATE: u64 = 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 11 | 1 << 31;

/// `siginfo_t`, of which handlers of kept signals get the number alone.
type Information = [u64; 16];
type Handler = unsafe extern "C" fn(c_int, *mut c_void, *mut c_void);

/// The program's own handlers, 0 where it has none, and whether they take one argument or three: the same in registers.
static HANDLERS: [AtomicUsize; SIGNALS] = [const { AtomicUsize::new(0) }; SIGNALS];

/// The signals of a thread.
pub struct ThreadSignals {
    /// Bit *n* is signal *n*. Any thread sets it.
    pending: AtomicU64,
    /// It has sent itself a signal, and waits for the handler to return.
    raises: AtomicBool,
    /// Those that it has blocked: the system's set, in which bit *n* - 1 is signal *n*.
    blocked: Cell<u64>,
    /// Handlers of kept signals that run.
    running: Cell<u64>,
}

impl ThreadSignals {
    pub const fn new() -> Self {
        Self {
            pending: AtomicU64::new(0),
            raises: AtomicBool::new(false),
            blocked: Cell::new(0),
            running: Cell::new(0),
        }
    }

    pub fn reset(&self) {
        self.pending.store(0, Relaxed);
        self.raises.store(false, Relaxed);
        self.blocked.set(0);
        self.running.set(0);
    }

    fn is_blocked(&self, signal: c_int) -> bool {
        self.blocked.get() & set_bit(signal) != 0
    }
}

const fn set_bit(signal: c_int) -> u64 {
    match 1_u64.checked_shl((signal - 1) as u32) {
        Some(bit) => bit,
        None => 0,
    }
}

/// A thread inherits what its creator has blocked.
pub fn inherit(new: &Thread) {
    if me() != NO_THREAD {
        new.signals.blocked.set(thread(me()).signals.blocked.get());
    }
}

/// Whether a handler is to run in a thread.
pub fn has_pending(id: u8) -> bool {
    let signals = &thread(id).signals;
    signals.pending.load(Relaxed) & !signals.running.get() != 0
}

/// Runs the handlers of kept signals in the calling thread, which is the running one.
pub fn deliver() {
    while has_pending(me()) {
        let signals = &thread(me()).signals;
        let ready = signals.pending.load(Relaxed) & !signals.running.get();
        let signal = ready.trailing_zeros();
        signals.pending.fetch_and(!(1 << signal), Relaxed);
        races::acquire(address_of(me()));
        let Some(handler) = handler(signal as c_int) else {
            continue;
        };
        signals.running.set(signals.running.get() | 1 << signal);
        let (errno, mut information): (_, Information) = (sys::errno(), [0; 16]);
        information[0] = signal.into();
        // SAFETY: the program has installed this handler for this signal, and the thread has not blocked it.
        unsafe {
            handler(
                signal as c_int,
                information.as_mut_ptr().cast(),
                core::ptr::null_mut(),
            )
        };
        sys::fail(errno);
        signals.running.set(signals.running.get() & !(1 << signal));
    }
}

fn handler(signal: c_int) -> Option<Handler> {
    let address = HANDLERS.get(signal as usize)?.load(Relaxed);
    // SAFETY: it was installed as a handler; one with a single argument leaves the other registers alone.
    (address > IGNORE).then(|| unsafe { core::mem::transmute::<usize, Handler>(address) })
}

/// What a thread has released to a handler that runs in `id`, or to one that waits for its signals.
fn address_of(id: u8) -> u64 {
    thread(id).signals.pending.as_ptr() as u64
}

/// The handler that the system knows, on whichever thread the system has chosen.
unsafe extern "C" fn arrived(signal: c_int, information: *mut c_void, context: *mut c_void) {
    let id = me();
    let is_kept = id != NO_THREAD
        && scheduler::phase() == Phase::WholeProgram
        && !thread(id).signals.raises.load(Relaxed);
    match handler(signal) {
        Some(_) if is_kept => {
            thread(id).signals.pending.fetch_or(1 << signal, Relaxed);
        }
        // SAFETY: this is what the program has asked for.
        Some(handler) => unsafe { handler(signal, information, context) },
        None => {}
    }
}

/// Sends a signal to a controlled thread.
///
/// # Safety
/// `real` sends it to this thread.
unsafe fn send(id: u8, signal: c_int, real: impl FnOnce() -> c_int) -> c_int {
    races::release(address_of(id));
    scheduler::mark_opaque(me());
    let signals = &thread(id).signals;
    if id == me() {
        signals.raises.store(true, Relaxed);
        let result = real();
        signals.raises.store(false, Relaxed);
        return result;
    }
    if handler(signal).is_some() && !signals.is_blocked(signal) {
        signals.pending.fetch_or(1 << signal, Relaxed);
        scheduler::progress();
        return 0;
    }
    let result = real();
    wake_all(address_of(id));
    scheduler::progress();
    result
}

/// The controlled thread that handles a signal for the process: the calling one, or one that has not blocked it.
fn handling(signal: c_int) -> Option<u8> {
    let takes = |&id: &u8| {
        let other = thread(id);
        !matches!(other.state.get(), ThreadState::Done | ThreadState::Absent)
            && !other.signals.is_blocked(signal)
    };
    core::iter::once(me()).chain(ids()).find(takes)
}

/// `struct sigaction` of the C library.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SignalAction {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

const IGNORE: usize = 1;
const SA_SIGINFO: c_int = 4;

fn is_wrapped(signal: c_int) -> bool {
    (1..SIGNALS as c_int).contains(&signal)
        && IMMEDIATE & 1_u64.checked_shl(signal as u32).unwrap_or(0) == 0
        && scheduler::phase() == Phase::WholeProgram
}

replaced! {
    fn sigaction(signal: c_int, new: *const SignalAction, old: *mut SignalAction) -> c_int, at _code {
        if !is_wrapped(signal) {
            return real!(sigaction, fn(c_int, *const SignalAction, *mut SignalAction) -> c_int, signal, new, old);
        }
        let known = checked::slot(&HANDLERS, signal as usize);
        let before = known.load(Relaxed);
        let mut wrapped = new.as_ref().copied();
        if let Some(action) = &mut wrapped {
            known.store(action.handler, Relaxed);
            if action.handler > IGNORE {
                action.handler = arrived as *const () as usize;
                action.flags |= SA_SIGINFO;
            }
        }
        let new = wrapped.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        let result = real!(sigaction, fn(c_int, *const SignalAction, *mut SignalAction) -> c_int, signal, new, old);
        if result != 0 {
            known.store(before, Relaxed);
        } else if let Some(old) = old.as_mut().filter(|old| old.handler == arrived as *const () as usize) {
            old.handler = before;
        }
        result
    }
    fn signal(signal: c_int, new: usize) -> usize, at _code {
        const SA_RESTART: c_int = 0x1000_0000;
        let action = SignalAction { handler: new, mask: [0; 16], flags: SA_RESTART, restorer: 0 };
        let mut old = action;
        match sigaction(signal, &raw const action, &raw mut old) {
            0 => old.handler,
            _ => usize::MAX,
        }
    }

    fn pthread_kill(handle: usize, signal: c_int) -> c_int, at code {
        let Some(id) = with_handle(handle).filter(|_| signal != 0) else {
            return real!(pthread_kill, fn(usize, c_int) -> c_int, handle, signal);
        };
        locks::step(address_of(id) as *mut c_void, code);
        send(id, signal, || real!(pthread_kill, fn(usize, c_int) -> c_int, handle, signal))
    }
    fn raise(signal: c_int) -> c_int, at code {
        locks::step(address_of(me()) as *mut c_void, code);
        send(me(), signal, || real!(raise, fn(c_int) -> c_int, signal))
    }
    fn kill(process: c_int, signal: c_int) -> c_int, at code {
        let real = || real!(kill, fn(c_int, c_int) -> c_int, process, signal);
        if process != sys::process_number() as c_int || signal == 0 {
            readiness::expect_answers(readiness::PROCESS_MS);
            return real();
        }
        locks::step(address_of(me()) as *mut c_void, code);
        if let Some(id) = handling(signal) {
            return send(id, signal, real);
        }
        let result = real();
        // Those that wait for a signal look whether it is for them.
        ids().for_each(|id| {
            races::release(address_of(id));
            wake_all(address_of(id));
        });
        result
    }

    fn pthread_sigmask(how: c_int, new: *const u64, old: *mut u64) -> c_int, at _code {
        set_mask(|| real!(pthread_sigmask, fn(c_int, *const u64, *mut u64) -> c_int, how, new, old))
    }
    fn sigprocmask(how: c_int, new: *const u64, old: *mut u64) -> c_int, at _code {
        set_mask(|| real!(sigprocmask, fn(c_int, *const u64, *mut u64) -> c_int, how, new, old))
    }

    fn sigwait(set: *const u64, signal: *mut c_int) -> c_int, at code {
        match wait_for_one(set, core::ptr::null_mut(), None, code) {
            -1 => sys::errno(),
            found => {
                *signal = found;
                0
            }
        }
    }
    fn sigwaitinfo(set: *const u64, information: *mut c_void) -> c_int, at code {
        wait_for_one(set, information, None, code)
    }
    fn sigtimedwait(set: *const u64, information: *mut c_void, limit: *const TimeSpec) -> c_int, at code {
        wait_for_one(set, information, clock::deadline(limit, true), code)
    }
    fn pause() -> c_int, at code {
        wait_for_handler(code)
    }
    fn sigsuspend(set: *const u64) -> c_int, at code {
        const SETMASK: c_int = 2;
        let mut before = [0_u64; 16];
        pthread_sigmask(SETMASK, set, before.as_mut_ptr());
        let result = wait_for_handler(code);
        pthread_sigmask(SETMASK, before.as_ptr(), core::ptr::null_mut());
        sys::fail(sys::EINTR);
        result
    }

    fn alarm(seconds: c_uint) -> c_uint, at _code {
        readiness::expect_answers(readiness::PROCESS_MS);
        real!(alarm, fn(c_uint) -> c_uint, seconds)
    }
    fn setitimer(which: c_int, new: *const c_void, old: *mut c_void) -> c_int, at _code {
        readiness::expect_answers(readiness::PROCESS_MS);
        real!(setitimer, fn(c_int, *const c_void, *mut c_void) -> c_int, which, new, old)
    }
    fn timer_settime(timer: usize, flags: c_int, new: *const c_void, old: *mut c_void) -> c_int, at _code {
        readiness::expect_answers(readiness::PROCESS_MS);
        real!(timer_settime, fn(usize, c_int, *const c_void, *mut c_void) -> c_int, timer, flags, new, old)
    }
}

/// Changes what the calling thread has blocked. Signals that were kept by the system arrive within, as if the thread had raised them.
fn set_mask(real: impl FnOnce() -> c_int) -> c_int {
    let signals = &thread(me()).signals;
    signals.raises.store(true, Relaxed);
    races::acquire(address_of(me()));
    let result = real();
    signals.raises.store(false, Relaxed);
    let mut now = 0_u64;
    const BLOCK: i64 = 0;
    // SAFETY: it writes the set, of eight bytes.
    unsafe { raw(number::SIGPROCMASK, [BLOCK, 0, (&raw mut now) as i64, 8]) };
    signals.blocked.set(now);
    result
}

/// Waits until a signal of a set has come to the calling thread or to the process.
///
/// # Safety
/// That of `sigwaitinfo`.
unsafe fn wait_for_one(
    set: *const u64,
    information: *mut c_void,
    deadline_ns: Option<u64>,
    code: u64,
) -> c_int {
    let own = address_of(me());
    locks::step(own as *mut c_void, code);
    waiting_places::may_wait(code);
    cancellation::within(|| {
        loop {
            let now = [0_u64; 2];
            // SAFETY: the caller's contract; the time limit is there.
            let found = unsafe {
                raw(
                    number::SIGTIMEDWAIT,
                    [set as i64, information as i64, now.as_ptr() as i64, 8],
                )
            };
            if found > 0 {
                races::acquire(own);
                return found as c_int;
            }
            waiting_places::waits(code);
            match wait(own, u32::MAX, deadline_ns, code) {
                Wakeup::TimedOut => return sys::fail(sys::EAGAIN),
                Wakeup::Interrupted => return sys::fail(sys::EINTR),
                Wakeup::Woken => {}
            }
        }
    })
}

/// Waits until a handler has run in the calling thread.
fn wait_for_handler(code: u64) -> c_int {
    waiting_places::waits(code);
    // Nobody wakes what waits there.
    let address = thread(me()).signals.running.as_ptr() as u64;
    cancellation::within(|| {
        while wait(address, u32::MAX, None, code) != Wakeup::Interrupted {}
        sys::fail(sys::EINTR)
    })
}
