//! Random numbers that are the same in every repetition.

use crate::layout::influence;
use crate::rt::entry::{is_controlled, me};
use crate::rt::sys::{self, number, raw};
use crate::rt::{scheduler, server, whole_program};
use core::ffi::c_void;

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). The object has no dependencies, so it brings its own generator.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}

/// What the component gets when it asks the system for random bytes. Every forked process starts with the same state.
#[unsafe(link_section = "omnilink_state")]
static mut SYSTEM: Random = Random(0);

/// The state of the generator behind `getrandom`.
pub fn system_state() -> u64 {
    // SAFETY: read by the running thread only, see the module `rt`.
    unsafe { (*(&raw const SYSTEM)).0 }
}

/// Makes the random numbers depend on the environment of the execution.
pub unsafe fn set_environment(environment: u64) {
    (*(&raw mut SYSTEM)).0 ^= environment.wrapping_mul(0xd1b5_4a32_d192_ed03);
}

/// Orders elements at random, if the random numbers are not the usual ones: a program that takes them one after the other may depend on it.
pub unsafe fn shuffle<T>(elements: *mut T, count: i32) {
    if count < 2 {
        return;
    }
    whole_program::is_influenced(influence::RANDOM_NUMBERS);
    if (*scheduler::shared()).environment == 0 {
        return;
    }
    for last in (1..count as u64).rev() {
        let chosen = (*(&raw mut SYSTEM)).below(last + 1);
        elements.add(last as usize).swap(elements.add(chosen as usize));
    }
}

/// Replaces the C library's: Rust's hash tables take their keys from here. Deterministic in the whole process that serves
/// executions, since a table made before the fork exists in every execution.
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, flags: u32) -> isize {
    if server::is_driven() {
        if is_controlled() {
            scheduler::mark_opaque(me());
            whole_program::is_influenced(influence::RANDOM_NUMBERS);
        }
        for index in 0..length {
            *buffer.cast::<u8>().add(index) = (*(&raw mut SYSTEM)).next() as u8;
        }
        return length as isize;
    }
    match raw(number::GETRANDOM, [buffer as i64, length as i64, flags.into()]) {
        failure @ ..0 => sys::fail(-failure as i32) as isize,
        filled => filled as isize,
    }
}
