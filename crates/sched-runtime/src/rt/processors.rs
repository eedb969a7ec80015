//! The processors that a program sees.

use crate::rt::readiness;
use crate::rt::sys::{self, number, raw};
use core::ffi::c_int;

/// The number of processors that a program under the scheduler sees: it is the same on every machine.
const PROCESSORS: usize = 4;

/// Many programs make as many threads as there are processors: their schedules must not depend on the machine.
pub unsafe extern "C" fn sched_getaffinity(process: c_int, size: usize, set: *mut u8) -> c_int {
    if readiness::is_scheduled() && size > 0 {
        // SAFETY: the caller offers this many bytes, which are at least one.
        unsafe {
            set.write_bytes(0, size);
            set.write((1 << PROCESSORS) - 1);
        }
        return 0;
    }
    let arguments = [process.into(), size as i64, set as i64];
    // SAFETY: this has the contract of the function that it replaces.
    match unsafe { raw(number::SCHED_GETAFFINITY, arguments) } {
        written @ 0.. => {
            let rest = size.saturating_sub(written as usize);
            // SAFETY: the caller offers this many bytes, of which the system has written the first ones.
            unsafe { set.add(written as usize).write_bytes(0, rest) };
            0
        }
        failure => sys::fail(-failure as c_int),
    }
}

pub extern "C" fn get_nprocs() -> c_int {
    match readiness::is_scheduled() {
        true => PROCESSORS as c_int,
        // SAFETY: this has the contract of the function that it replaces.
        false => unsafe { sys::real!(get_nprocs, fn() -> c_int,) },
    }
}
