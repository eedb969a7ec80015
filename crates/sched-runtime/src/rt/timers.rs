//! Timers that are files (`timerfd`), in a program's simulated time.
//!
//! A timer is an event counter of the system, to which one is added when the time has come. It is read and waited for like a timer.

use crate::rt::clock;
use crate::rt::readiness;
use crate::rt::sys::{self, number, raw};
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
static mut TIMERS: [Timer; TIMERS_CAP] = [NONE; TIMERS_CAP];

/// Whether there has been a timer: most programs have none.
#[unsafe(link_section = "omnilink_state")]
static mut IS_USED: bool = false;

unsafe fn timers() -> &'static mut [Timer; TIMERS_CAP] {
    &mut *(&raw mut TIMERS)
}

unsafe fn timer_of(file: c_int) -> Option<&'static mut Timer> {
    timers().iter_mut().find(|timer| timer.file == file)
}

/// The file is closed.
pub unsafe fn forget(file: c_int) {
    if IS_USED && let Some(timer) = timer_of(file) {
        *timer = NONE;
    }
}

/// When the next timer goes off.
pub unsafe fn next_ns() -> Option<u64> {
    let next = timers().iter().map(|timer| timer.due_ns).min();
    next.filter(|&due_ns| due_ns != u64::MAX)
}

/// The timers whose time has come go off.
pub unsafe fn go_off() {
    if !IS_USED {
        return;
    }
    let now_ns = clock::now_ns();
    for timer in timers().iter_mut().filter(|timer| timer.due_ns <= now_ns) {
        let times = match timer.interval_ns {
            0 => 1,
            interval_ns => 1 + (now_ns - timer.due_ns) / interval_ns,
        };
        timer.due_ns = match timer.interval_ns {
            0 => u64::MAX,
            interval_ns => timer.due_ns + times * interval_ns,
        };
        raw(number::WRITE, [timer.file.into(), (&raw const times) as i64, 8]);
    }
}

pub unsafe extern "C" fn timerfd_create(clock: c_int, flags: c_int) -> c_int {
    if readiness::is_scheduled() {
        let file = readiness::result(raw(number::EVENTFD, [0, flags.into()])) as c_int;
        if let (0.., Some(free)) = (file, timer_of(NONE.file)) {
            free.file = file;
            IS_USED = true;
            return file;
        }
        if file >= 0 {
            raw(number::CLOSE, [file.into()]);
        }
    }
    readiness::result(raw(number::TIMERFD_CREATE, [clock.into(), flags.into()])) as c_int
}

/// `struct itimerspec`: the interval and the time, in seconds and nanoseconds.
pub type TimerTimes = [i64; 4];

fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    (seconds.max(0) as u64)
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds.max(0) as u64)
}

fn times_of(timer: &Timer) -> TimerTimes {
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
    let Some(timer) = timer_of(file).filter(|_| file >= 0) else {
        let arguments = [file.into(), flags.into(), new as i64, old as i64];
        return readiness::result(raw(number::TIMERFD_SETTIME, arguments)) as c_int;
    };
    if new.is_null() {
        return sys::fail(sys::EINVAL);
    }
    if !old.is_null() {
        *old = times_of(timer);
    }
    // What has gone off before does not count any more.
    let mut times = 0_u64;
    if readiness::is_ready(file) {
        raw(number::READ, [file.into(), (&raw mut times) as i64, 8]);
    }
    let [interval_s, interval_ns, seconds, part_ns] = *new;
    timer.interval_ns = nanoseconds(interval_s, interval_ns);
    timer.due_ns = match nanoseconds(seconds, part_ns) {
        0 => u64::MAX,
        at_ns if flags & ABSOLUTE != 0 => at_ns,
        after_ns => clock::now_ns().saturating_add(after_ns),
    };
    go_off();
    0
}

pub unsafe extern "C" fn timerfd_gettime(file: c_int, times: *mut TimerTimes) -> c_int {
    match timer_of(file).filter(|_| file >= 0) {
        Some(timer) if !times.is_null() => {
            *times = times_of(timer);
            0
        }
        Some(_) => sys::fail(sys::EINVAL),
        None => readiness::result(raw(number::TIMERFD_GETTIME, [file.into(), times as i64])) as c_int,
    }
}
