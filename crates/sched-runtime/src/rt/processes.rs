//! Other processes, which whole programs start: they are not controlled, and may answer from then on.

use crate::layout::NO_THREAD;
use crate::rt::entry::set_me;
use crate::rt::sys::real;
use crate::rt::{outside, readiness, scheduler};
use core::ffi::{c_char, c_int, c_void};

/// A process is started, from this file or by this command if that is known.
///
/// # Safety
/// The name is null or a text that ends.
unsafe fn starts(name: *const c_char) {
    readiness::expect_answers(readiness::PROCESS_MS);
    // SAFETY: the caller's contract.
    unsafe { outside::process(name) };
}

/// The other process has one thread, which is not controlled: the others are not there to be scheduled.
pub unsafe extern "C" fn fork() -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    let process = unsafe {
        starts(core::ptr::null());
        real!(fork, fn() -> c_int,)
    };
    if process == 0 {
        set_me(NO_THREAD);
        scheduler::detach();
    }
    process
}

macro_rules! spawn {
    ($($name:ident)*) => { $(
        pub unsafe extern "C" fn $name(
            process: *mut c_int,
            file: *const c_char,
            actions: *const c_void,
            attributes: *const c_void,
            arguments: *const *mut c_char,
            environment: *const *mut c_char,
        ) -> c_int {
            // SAFETY: this has the contract of the function that it replaces.
            unsafe {
                starts(file);
                real!(
                    $name,
                    fn(
                        *mut c_int,
                        *const c_char,
                        *const c_void,
                        *const c_void,
                        *const *mut c_char,
                        *const *mut c_char,
                    ) -> c_int,
                    process,
                    file,
                    actions,
                    attributes,
                    arguments,
                    environment
                )
            }
        }
    )* };
}

spawn! { posix_spawn posix_spawnp }

pub unsafe extern "C" fn system(command: *const c_char) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        starts(command);
        real!(system, fn(*const c_char) -> c_int, command)
    }
}

pub unsafe extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        starts(command);
        real!(
            popen,
            fn(*const c_char, *const c_char) -> *mut c_void,
            command,
            mode
        )
    }
}
