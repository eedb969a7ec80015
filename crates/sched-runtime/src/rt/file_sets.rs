//! Waiting for files that `select` names, and event counters by their own functions.

use crate::rt::clock::{self, TimeSpec};
use crate::rt::descriptors::{read, write};
use crate::rt::entry::caller;
use crate::rt::readiness::{self, POLLIN, POLLOUT, PollFile};
use crate::rt::sys::{self, number, raw, real, result};
use crate::rt::wait::Wakeup;
use core::ffi::{c_int, c_void};

/// `fd_set`: a bit for each file.
type FileSet = [u64; FILES_MAX / 64];
const FILES_MAX: usize = 1_024;

/// Waits for one of several files, as `select` names them.
///
/// # Safety
/// That of `pselect`.
unsafe fn select_files(
    count: c_int,
    sets: [*mut FileSet; 3],
    limit: Option<u64>,
    signals: *const c_void,
) -> c_int {
    const PRIORITY: i16 = 2;
    const NONE: PollFile = PollFile {
        file: -1,
        events: 0,
        returned: 0,
    };
    let code = caller();
    readiness::step(code);
    let mut files = [NONE; FILES_MAX];
    let count = (count.max(0) as usize).min(FILES_MAX);
    for (set, event) in sets.iter().zip([POLLIN, POLLOUT, PRIORITY]) {
        // SAFETY: the caller's contract: it is null or a set.
        let Some(set) = (unsafe { set.as_ref() }) else {
            continue;
        };
        for (number, file) in files.iter_mut().enumerate().take(count) {
            if set
                .get(number / 64)
                .is_some_and(|word| word >> (number % 64) & 1 != 0)
            {
                file.file = number as c_int;
                file.events |= event;
            }
        }
    }
    let asked = files.get_mut(..count).unwrap_or_default();
    if readiness::wait_for(asked, limit, code) == Wakeup::Interrupted {
        return sys::fail(sys::EINTR);
    }
    let mut at_once = [0_i64; 2];
    let mask = [signals as i64, 8];
    let [read, write, except] = sets.map(|set| set as i64);
    let arguments = [
        count as i64,
        read,
        write,
        except,
        at_once.as_mut_ptr() as i64,
        mask.as_ptr() as i64,
    ];
    // SAFETY: the caller's contract.
    let ready = result(unsafe { raw(number::PSELECT6, arguments) }) as c_int;
    readiness::acquire();
    ready
}

pub unsafe extern "C" fn select(
    count: c_int,
    read: *mut FileSet,
    write: *mut FileSet,
    except: *mut FileSet,
    limit: *mut [i64; 2],
) -> c_int {
    // SAFETY: this has the contract of the function that it replaces: the limit is null or seconds and microseconds.
    unsafe {
        if !readiness::is_scheduled() {
            return real!(
                select,
                fn(c_int, *mut FileSet, *mut FileSet, *mut FileSet, *mut [i64; 2]) -> c_int,
                count,
                read,
                write,
                except,
                limit
            );
        }
        let limit_ns = limit.as_ref().map(|limit| {
            let length_ns = limit[0].max(0) as u64 * 1_000_000_000 + limit[1].max(0) as u64 * 1_000;
            clock::now_ns().saturating_add(length_ns)
        });
        select_files(count, [read, write, except], limit_ns, core::ptr::null())
    }
}

pub unsafe extern "C" fn pselect(
    count: c_int,
    read: *mut FileSet,
    write: *mut FileSet,
    except: *mut FileSet,
    limit: *const TimeSpec,
    signals: *const c_void,
) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        if !readiness::is_scheduled() {
            return real!(
                pselect,
                fn(c_int, *mut FileSet, *mut FileSet, *mut FileSet, *const TimeSpec, *const c_void) -> c_int,
                count,
                read,
                write,
                except,
                limit,
                signals
            );
        }
        select_files(
            count,
            [read, write, except],
            clock::deadline(limit, true),
            signals,
        )
    }
}

pub unsafe extern "C" fn eventfd_read(file: c_int, value: *mut u64) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    match unsafe { read(file, value.cast(), 8) } {
        8 => 0,
        _ => -1,
    }
}

pub unsafe extern "C" fn eventfd_write(file: c_int, value: u64) -> c_int {
    // SAFETY: the value lives until the call returns.
    match unsafe { write(file, (&raw const value).cast(), 8) } {
        8 => 0,
        _ => -1,
    }
}
