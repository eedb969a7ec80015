//! Time that passes the same way in every repetition.
//!
//! Each look at the clock finds it a microsecond later, so that a loop that waits for a point in time comes to
//! an end; sleeping and time limits move it forward.

use crate::code;
use crate::sys::{self, number, raw};
use crate::threads::is_controlled;
use crate::waiting::yield_now;
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
const LOOK_NS: u64 = 1_000;
/// Some day in 2023: a time that no component takes for a mistake.
#[unsafe(link_section = "omnilink_state")]
static mut NOW_NS: u64 = 1_700_000_000 * SECOND_NS;

/// Sets the clock for an execution: by whole seconds and by less, since a component may look at either.
pub unsafe fn surround(environment: u64) {
    const APART_NS: u64 = 86_413 * SECOND_NS + 123_457_000;
    unsafe { NOW_NS += environment.wrapping_mul(APART_NS) % (u64::MAX / 4) };
}

pub fn now_ns() -> u64 {
    unsafe { NOW_NS }
}

unsafe fn look() -> u64 {
    unsafe {
        // What a step finds depends on how many have looked before.
        crate::baton::mark_opaque(crate::threads::me());
        NOW_NS += LOOK_NS;
        NOW_NS
    }
}

unsafe fn duration(time: *const TimeSpec) -> u64 {
    unsafe { ((*time).seconds.max(0) as u64).saturating_mul(SECOND_NS).saturating_add((*time).nanoseconds.max(0) as u64) }
}

/// When a time limit is reached; none if there is no limit.
pub unsafe fn deadline(limit: *const TimeSpec, relative: bool) -> Option<u64> {
    unsafe {
        match (limit.is_null(), relative) {
            (true, _) => None,
            (false, true) => Some(look().saturating_add(duration(limit))),
            (false, false) => Some(duration(limit)),
        }
    }
}

pub unsafe fn advance_to(time_ns: u64) {
    unsafe { NOW_NS = NOW_NS.max(time_ns) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut TimeSpec) -> c_int {
    unsafe {
        if is_controlled() {
            let now_ns = look();
            *time = TimeSpec { seconds: (now_ns / SECOND_NS) as i64, nanoseconds: (now_ns % SECOND_NS) as i64 };
            return 0;
        }
        match raw(number::CLOCK_GETTIME, clock.into(), time as i64, 0, 0, 0, 0) {
            0 => 0,
            failure => sys::fail(-failure as c_int),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(time: *mut TimeVal, zone: *mut c_void) -> c_int {
    unsafe {
        if is_controlled() && !time.is_null() {
            let now_ns = look();
            *time = TimeVal {
                seconds: (now_ns / SECOND_NS) as i64,
                microseconds: (now_ns % SECOND_NS / 1_000) as i64,
            };
            return 0;
        }
        raw(number::GETTIMEOFDAY, time as i64, zone as i64, 0, 0, 0, 0) as c_int
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(result: *mut i64) -> i64 {
    unsafe {
        let mut now = TimeSpec { seconds: 0, nanoseconds: 0 };
        clock_gettime(0, &raw mut now);
        if !result.is_null() {
            *result = now.seconds;
        }
        now.seconds
    }
}

unsafe fn sleep_until(time_ns: u64, code: u64) {
    unsafe {
        yield_now(code);
        advance_to(time_ns);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nanosleep(time: *const TimeSpec, rest: *mut TimeSpec) -> c_int {
    unsafe {
        if is_controlled() {
            sleep_until(look().saturating_add(duration(time)), code::caller());
            return 0;
        }
        match raw(number::NANOSLEEP, time as i64, rest as i64, 0, 0, 0, 0) {
            0 => 0,
            failure => sys::fail(-failure as c_int),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_nanosleep(clock: c_int, flags: c_int, time: *const TimeSpec, rest: *mut TimeSpec) -> c_int {
    const ABSOLUTE: c_int = 1;
    unsafe {
        if is_controlled() {
            let until_ns = if flags & ABSOLUTE != 0 { duration(time) } else { look().saturating_add(duration(time)) };
            sleep_until(until_ns, code::caller());
            return 0;
        }
        -raw(number::CLOCK_NANOSLEEP, clock.into(), flags.into(), time as i64, rest as i64, 0, 0) as c_int
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    unsafe {
        let time = TimeSpec {
            seconds: (microseconds / 1_000_000).into(),
            nanoseconds: c_long::from(microseconds % 1_000_000) * 1_000,
        };
        nanosleep(&raw const time, core::ptr::null_mut())
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    unsafe {
        let time = TimeSpec { seconds: seconds.into(), nanoseconds: 0 };
        nanosleep(&raw const time, core::ptr::null_mut());
        0
    }
}
