//! A whole program under one random schedule.
//!
//! Any instrumented program can be run so, without a harness: `OMNILINK_SEED=7 ./program` decides at random,
//! `OMNILINK_SEED=7 OMNILINK_CHANGES=3 OMNILINK_STEPS=10000 ./program` by priorities with three changes among
//! the first 10000 steps. The same seed gives the same run.
//!
//! A program may order or hash by address, so it starts itself once more at addresses that do not change from run to
//! run. Where that is forbidden (some containers) it runs where it is: the scheduler itself only compares addresses.

use crate::baton::{self, Phase};
use crate::layout::{NOBODY, Shared, choices, ending};
use crate::sys::{self, number, raw};
use crate::threads;
use core::ffi::{c_char, c_int, c_ulong};

const SEED: &[u8] = b"OMNILINK_SEED\0";
const CHANGES: &[u8] = b"OMNILINK_CHANGES\0";
const STEPS: &[u8] = b"OMNILINK_STEPS\0";
/// The exit code of a program that the scheduler ended.
const ENDED: i64 = 86;

unsafe fn number_in(variable: &'static [u8]) -> Option<u64> {
    unsafe {
        let mut text = sys::getenv(variable.as_ptr().cast());
        if text.is_null() {
            return None;
        }
        let mut value: u64 = 0;
        while (b'0'..=b'9').contains(&(*text as u8)) {
            value = value.wrapping_mul(10).wrapping_add(u64::from(*text as u8 - b'0'));
            text = text.add(1);
        }
        Some(value)
    }
}

pub unsafe fn is_wanted() -> bool {
    unsafe { !sys::getenv(SEED.as_ptr().cast()).is_null() }
}

/// Starts the program again at fixed addresses; returns if it is there already, or if that cannot be.
unsafe fn settle(arguments: *const *const c_char, environment: *const *const c_char) {
    const ASK: i64 = 0xffff_ffff;
    const ADDR_NO_RANDOMIZE: i64 = 0x004_0000;
    const AT_SECURE: c_ulong = 23;
    unsafe {
        let now = raw(number::PERSONALITY, ASK, 0, 0, 0, 0, 0);
        // A program with the rights of another user loses the wish at each start, and would start for ever.
        if now < 0 || now & ADDR_NO_RANDOMIZE != 0 || sys::getauxval(AT_SECURE) != 0 {
            return;
        }
        if raw(number::PERSONALITY, now | ADDR_NO_RANDOMIZE, 0, 0, 0, 0, 0) >= 0 {
            let program = c"/proc/self/exe".as_ptr();
            raw(number::EXECVE, program as i64, arguments as i64, environment as i64, 0, 0, 0);
        }
    }
}

unsafe extern "C" fn begin(_count: c_int, arguments: *const *const c_char, environment: *const *const c_char) {
    const PROT_READ_WRITE: c_int = 3;
    const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
    unsafe {
        let Some(seed) = number_in(SEED) else { return };
        // Other C libraries give the functions of this section no arguments.
        if cfg!(target_env = "gnu") {
            settle(arguments, environment);
        }
        let size = size_of::<Shared>();
        let shared =
            sys::mmap(core::ptr::null_mut(), size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0).cast::<Shared>();
        if shared as isize == -1 {
            return;
        }
        let changes = number_in(CHANGES);
        (*shared).seed = seed;
        (*shared).changes = changes.unwrap_or(0) as u32;
        (*shared).choices = if changes.is_some() { choices::PRIORITIES } else { choices::RANDOM };
        (*shared).steps_expected = number_in(STEPS).unwrap_or(10_000);
        (*shared).steps_max = u64::MAX;
        (*shared).running = NOBODY.into();
        baton::attach(shared);
        baton::prepare();
        baton::set_phase(Phase::Whole);
        threads::adopt(0);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char) = begin;

/// Says why nothing goes on, and ends the process.
pub unsafe fn end(how: u32) -> ! {
    unsafe {
        let message: &[u8] = match how {
            ending::DEADLOCK => b"omnilink: deadlock: every thread waits\n",
            ending::LIVELOCK => b"omnilink: livelock: all threads read the same values over and over\n",
            ending::TOO_MANY_THREADS => b"omnilink: more than 32 threads: the scheduler cannot go on\n",
            _ => b"omnilink: the scheduler ended the program\n",
        };
        raw(number::WRITE, 2, message.as_ptr() as i64, message.len() as i64, 0, 0, 0);
        sys::exit_process(ENDED)
    }
}
