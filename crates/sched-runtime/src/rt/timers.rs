//! Timers that are files (`timerfd`), in a program's simulated time.
//!
//! A timer is an event counter of the system, to which one is added when the time has come. It is read and waited for like a timer.

use crate::layout::NO_THREAD;
use crate::rt::clock;
use crate::rt::entry::me;
use crate::rt::global::Global;
use crate::rt::readiness;
use crate::rt::sys::{self, number, raw};
use core::cell::Cell;
use core::ffi::c_int;

const TIMERS_CAP: usize = 64;

#[derive(Clone, Copy)]
struct Timer {
    file: c_int,
    /// When it goes off; `u64::MAX` if it is not set.
    due_ns: u64,
    /// After that again and again; 0 if only once.
    interval_ns: u64,
}

const NONE: Timer = Timer {
    file: -1,
    due_ns: u64::MAX,
    interval_ns: 0,
};

#[unsafe(link_section = "omnilink_state")]
static TIMERS: Global<[Cell<Timer>; TIMERS_CAP]> = Global::new([const { Cell::new(NONE) }; TIMERS_CAP]);

/// Whether there has been a timer: most programs have none.
#[unsafe(link_section = "omnilink_state")]
static IS_USED: Global<Cell<bool>> = Global::new(Cell::new(false));

fn timer_of(file: c_int) -> Option<&'static Cell<Timer>> {
    TIMERS.iter().find(|timer| timer.get().file == file)
}

/// The timer of a file, if the running thread asks for one.
fn scheduled_timer(file: c_int) -> Option<&'static Cell<Timer>> {
    (me() != NO_THREAD && file >= 0).then(|| timer_of(file))?
}

/// The file is closed, by the running thread: what others do, nobody schedules.
pub fn forget(file: c_int) {
    if me() != NO_THREAD
        && IS_USED.get()
        && let Some(timer) = timer_of(file)
    {
        timer.set(NONE);
    }
}

/// When the next timer goes off.
pub fn next_ns() -> Option<u64> {
    let next = TIMERS.iter().map(|timer| timer.get().due_ns).min();
    next.filter(|&due_ns| due_ns != u64::MAX)
}

/// The timers whose time has come go off.
pub fn go_off() {
    if !IS_USED.get() {
        return;
    }
    let now_ns = clock::now_ns();
    for known in TIMERS.iter().filter(|known| known.get().due_ns <= now_ns) {
        let mut timer = known.get();
        let times = match timer.interval_ns {
            0 => 1,
            interval_ns => 1 + (now_ns - timer.due_ns) / interval_ns,
        };
        timer.due_ns = match timer.interval_ns {
            0 => u64::MAX,
            interval_ns => timer.due_ns + times * interval_ns,
        };
        known.set(timer);
        sys::write(timer.file, &times.to_ne_bytes());
    }
}

pub extern "C" fn timerfd_create(clock: c_int, flags: c_int) -> c_int {
    if readiness::is_scheduled() {
        // SAFETY: it takes two numbers.
        let file = sys::result(unsafe { raw(number::EVENTFD, [0, flags.into()]) }) as c_int;
        if let (0.., Some(free)) = (file, timer_of(NONE.file)) {
            free.set(Timer { file, ..NONE });
            IS_USED.set(true);
            return file;
        }
        if file >= 0 {
            sys::close(file);
        }
    }
    // SAFETY: it takes two numbers.
    sys::result(unsafe { raw(number::TIMERFD_CREATE, [clock.into(), flags.into()]) }) as c_int
}

/// `struct itimerspec`: the interval and the time, in seconds and nanoseconds.
pub type TimerTimes = [i64; 4];

fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    (seconds.max(0) as u64)
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds.max(0) as u64)
}

fn times_of(timer: Timer) -> TimerTimes {
    let left_ns = match timer.due_ns {
        u64::MAX => 0,
        due_ns => due_ns.saturating_sub(clock::now_ns()).max(1),
    };
    let split = |ns: u64| ((ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64);
    let (interval, left) = (split(timer.interval_ns), split(left_ns));
    [interval.0, interval.1, left.0, left.1]
}

pub unsafe extern "C" fn timerfd_settime(
    file: c_int,
    flags: c_int,
    new: *const TimerTimes,
    old: *mut TimerTimes,
) -> c_int {
    const ABSOLUTE: c_int = 1;
    let Some(known) = scheduled_timer(file) else {
        let arguments = [file.into(), flags.into(), new as i64, old as i64];
        // SAFETY: this has the contract of the function that it replaces.
        return sys::result(unsafe { raw(number::TIMERFD_SETTIME, arguments) }) as c_int;
    };
    let mut timer = known.get();
    if new.is_null() {
        return sys::fail(sys::EINVAL);
    }
    if !old.is_null() {
        // SAFETY: the caller wants the old times there.
        unsafe { *old = times_of(timer) };
    }
    // What has gone off before does not count any more.
    if readiness::is_ready(file) {
        sys::read(file, &mut [0; size_of::<u64>()]);
    }
    // SAFETY: the caller passes the new times.
    let [interval_s, interval_ns, seconds, part_ns] = unsafe { *new };
    timer.interval_ns = nanoseconds(interval_s, interval_ns);
    timer.due_ns = match nanoseconds(seconds, part_ns) {
        0 => u64::MAX,
        at_ns if flags & ABSOLUTE != 0 => at_ns,
        after_ns => clock::now_ns().saturating_add(after_ns),
    };
    known.set(timer);
    go_off();
    0
}

pub unsafe extern "C" fn timerfd_gettime(file: c_int, times: *mut TimerTimes) -> c_int {
    match scheduled_timer(file) {
        Some(timer) if !times.is_null() => {
            // SAFETY: the caller wants the times there.
            unsafe { *times = times_of(timer.get()) };
            0
        }
        Some(_) => sys::fail(sys::EINVAL),
        // SAFETY: this has the contract of the function that it replaces.
        None => sys::result(unsafe { raw(number::TIMERFD_GETTIME, [file.into(), times as i64]) }) as c_int,
    }
}
