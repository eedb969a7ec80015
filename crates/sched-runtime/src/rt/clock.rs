//! Virtual time, which passes the same way in every repetition.
//!
//! Each reading of the clock advances it by a microsecond, so that a loop that waits for a point in time ends.
//!
//! How sleeping and time limits end depends on what is run. In the executions of the explorer they may end whenever the scheduler
//! chooses, and advance the clock to their end: all orders of time-outs are explored. A whole program has threads in the background
//! that sleep for seconds; if each of their sleeps could end at once, hours would pass while the other threads take a few steps. So
//! there every step takes a fixed time, sleeping and time limits end when their time has come, and the clock jumps only if no thread
//! can do anything else. How long a step takes is a choice of the run (`OMNILINK_STEP_NS`): slow steps make time-outs frequent.

use crate::layout::influence;
use crate::rt::entry::{caller, is_controlled, me};
use crate::rt::global::Global;
use crate::rt::scheduler::{self, Phase};
use crate::rt::sys::{self, number, raw};
use crate::rt::threads::thread;
use crate::rt::wait::{Wakeup, wait, yield_now};
use crate::rt::{cancellation, timers, whole_program};
use core::cell::Cell;
use core::ffi::{c_int, c_long, c_uint, c_void};

#[derive(Clone, Copy)]
#[repr(C)]
pub struct TimeSpec {
    seconds: i64,
    nanoseconds: i64,
}

#[repr(C)]
pub struct TimeVal {
    seconds: i64,
    microseconds: i64,
}

const SECOND_NS: u64 = 1_000_000_000;
const READING_NS: u64 = 1_000;
/// A day in 2023: no component takes it for a mistake.
#[unsafe(link_section = "omnilink_state")]
static NOW_NS: Global<Cell<u64>> = Global::new(Cell::new(1_700_000_000 * SECOND_NS));

/// How long a step of a whole program takes; 0 in the executions of the explorer.
#[unsafe(link_section = "omnilink_state")]
static STEP_NS: Global<Cell<u64>> = Global::new(Cell::new(0));

pub fn set_step_ns(step_ns: u64) {
    STEP_NS.set(step_ns);
}

/// A step of a whole program is made.
pub fn pass_step() {
    NOW_NS.set(NOW_NS.get() + STEP_NS.get());
    timers::go_off();
}

/// Makes the time depend on the environment of the execution, in seconds and in fractions: a component may use either.
pub fn set_environment(environment: u64) {
    const APART_NS: u64 = 86_413 * SECOND_NS + 123_457_000;
    NOW_NS.set(NOW_NS.get() + environment.wrapping_mul(APART_NS) % (u64::MAX / 4));
}

pub fn now_ns() -> u64 {
    NOW_NS.get()
}

/// How often the program has looked at the clock.
#[unsafe(link_section = "omnilink_state")]
static READINGS: Global<Cell<u64>> = Global::new(Cell::new(0));

pub fn readings() -> u64 {
    READINGS.get()
}

/// A reading by the component.
fn read() -> u64 {
    // The result depends on the number of readings before.
    scheduler::mark_opaque(me());
    whole_program::is_influenced(influence::TIME);
    NOW_NS.set(NOW_NS.get() + READING_NS);
    NOW_NS.get()
}

fn duration_ns(time: TimeSpec) -> u64 {
    let (seconds, nanoseconds) = (time.seconds.max(0) as u64, time.nanoseconds.max(0) as u64);
    seconds.saturating_mul(SECOND_NS).saturating_add(nanoseconds)
}

/// When a time limit expires; none if there is no limit.
///
/// # Safety
/// The limit is null or a time.
pub unsafe fn deadline(limit: *const TimeSpec, relative: bool) -> Option<u64> {
    // SAFETY: the caller's contract.
    let limit_ns = duration_ns(unsafe { limit.as_ref() }.copied()?);
    Some(if relative {
        read().saturating_add(limit_ns)
    } else {
        limit_ns
    })
}

pub fn advance_to(time_ns: u64) {
    NOW_NS.set(NOW_NS.get().max(time_ns));
    timers::go_off();
}

pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut TimeSpec) -> c_int {
    if is_controlled() {
        READINGS.set(READINGS.get() + 1);
        let now_ns = read();
        let now = TimeSpec {
            seconds: (now_ns / SECOND_NS) as i64,
            nanoseconds: (now_ns % SECOND_NS) as i64,
        };
        // SAFETY: the caller wants the time there.
        unsafe { *time = now };
        return 0;
    }
    // SAFETY: this has the contract of the function that it replaces.
    sys::result(unsafe { raw(number::CLOCK_GETTIME, [clock.into(), time as i64]) }) as c_int
}

pub unsafe extern "C" fn gettimeofday(time: *mut TimeVal, zone: *mut c_void) -> c_int {
    if is_controlled() && !time.is_null() {
        READINGS.set(READINGS.get() + 1);
        let now_ns = read();
        let now = TimeVal {
            seconds: (now_ns / SECOND_NS) as i64,
            microseconds: (now_ns % SECOND_NS / 1_000) as i64,
        };
        // SAFETY: the caller wants the time there.
        unsafe { *time = now };
        return 0;
    }
    // SAFETY: this has the contract of the function that it replaces.
    sys::result(unsafe { raw(number::GETTIMEOFDAY, [time as i64, zone as i64]) }) as c_int
}

pub unsafe extern "C" fn time(result: *mut i64) -> i64 {
    let mut now = TimeSpec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: the structure may be written, and the result if it is not null.
    unsafe {
        clock_gettime(0, &raw mut now);
        if !result.is_null() {
            *result = now.seconds;
        }
    }
    now.seconds
}

/// Sleeps. Returns how much is left if a signal has ended that.
fn sleep_until(time_ns: u64, code: u64) -> Option<u64> {
    if scheduler::phase() == Phase::WholeProgram {
        // Nobody wakes what waits at the place where the runtime keeps the thread's own time.
        let address = thread(me()).deadline_ns.as_ptr() as u64;
        let ended = cancellation::within(|| wait(address, u32::MAX, Some(time_ns), code));
        return (ended == Wakeup::Interrupted).then(|| time_ns.saturating_sub(now_ns()));
    }
    yield_now(code);
    advance_to(time_ns);
    None
}

/// # Safety
/// It is null or may be written.
unsafe fn set_rest(rest: *mut TimeSpec, left_ns: u64) {
    if !rest.is_null() {
        let left = TimeSpec {
            seconds: (left_ns / SECOND_NS) as i64,
            nanoseconds: (left_ns % SECOND_NS) as i64,
        };
        // SAFETY: the caller's contract.
        unsafe { *rest = left };
    }
}

pub unsafe extern "C" fn nanosleep(time: *const TimeSpec, rest: *mut TimeSpec) -> c_int {
    if is_controlled() {
        let code = caller();
        // SAFETY: this has the contract of the function that it replaces.
        let length_ns = duration_ns(unsafe { *time });
        if let Some(left_ns) = sleep_until(read().saturating_add(length_ns), code) {
            // SAFETY: as above.
            unsafe { set_rest(rest, left_ns) };
            return sys::fail(sys::EINTR);
        }
        return 0;
    }
    // SAFETY: this has the contract of the function that it replaces.
    sys::result(unsafe { raw(number::NANOSLEEP, [time as i64, rest as i64]) }) as c_int
}

pub unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const TimeSpec,
    rest: *mut TimeSpec,
) -> c_int {
    const ABSOLUTE: c_int = 1;
    if is_controlled() {
        let code = caller();
        // SAFETY: this has the contract of the function that it replaces.
        let time_ns = duration_ns(unsafe { *time });
        let until_ns = match flags & ABSOLUTE != 0 {
            true => time_ns,
            false => read().saturating_add(time_ns),
        };
        return match sleep_until(until_ns, code) {
            Some(left_ns) => {
                if flags & ABSOLUTE == 0 {
                    // SAFETY: as above.
                    unsafe { set_rest(rest, left_ns) };
                }
                sys::EINTR
            }
            None => 0,
        };
    }
    let arguments = [clock.into(), flags.into(), time as i64, rest as i64];
    // SAFETY: this has the contract of the function that it replaces.
    -unsafe { raw(number::CLOCK_NANOSLEEP, arguments) } as c_int
}

pub extern "C" fn usleep(microseconds: c_uint) -> c_int {
    let time = TimeSpec {
        seconds: (microseconds / 1_000_000).into(),
        nanoseconds: c_long::from(microseconds % 1_000_000) * 1_000,
    };
    // SAFETY: the time lives until the call returns.
    unsafe { nanosleep(&raw const time, core::ptr::null_mut()) }
}

pub extern "C" fn sleep(seconds: c_uint) -> c_uint {
    let time = TimeSpec {
        seconds: seconds.into(),
        nanoseconds: 0,
    };
    // SAFETY: the time lives until the call returns.
    let mut rest = TimeSpec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: as above.
    match unsafe { nanosleep(&raw const time, &raw mut rest) } {
        0 => 0,
        _ => rest.seconds as c_uint,
    }
}
