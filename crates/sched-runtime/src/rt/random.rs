//! Random numbers that are the same in every repetition.

use crate::layout::influence;
use crate::rt::entry::{is_controlled, me};
use crate::rt::sys::{self, number, raw};
use crate::rt::{scheduler, server, whole_program};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). The object has no dependencies, so it brings its own generator. Its state only counts, so
/// that an atomic is enough for threads that nobody schedules.
pub struct Random(AtomicU64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    pub fn state(&self) -> u64 {
        self.0.load(Relaxed)
    }

    pub fn set_seed(&self, seed: u64) {
        self.0.store(seed, Relaxed);
    }

    pub fn next(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.0.fetch_add(STEP, Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}

/// What the component gets when it asks the system for random bytes. Every forked process starts with the same state.
#[unsafe(link_section = "omnilink_state")]
static SYSTEM: Random = Random::new(0);

/// The state of the generator behind `getrandom`.
pub fn system_state() -> u64 {
    SYSTEM.state()
}

/// Makes the random numbers depend on the environment of the execution.
pub fn set_environment(environment: u64) {
    SYSTEM.set_seed(SYSTEM.state() ^ environment.wrapping_mul(0xd1b5_4a32_d192_ed03));
}

/// Orders elements at random, if the random numbers are not the usual ones: a program that takes them one after the other may depend on it.
///
/// # Safety
/// There are as many elements.
pub unsafe fn shuffle<T>(elements: *mut T, count: i32) {
    if count < 2 {
        return;
    }
    whole_program::is_influenced(influence::RANDOM_NUMBERS);
    if scheduler::shared().environment.get() == 0 {
        return;
    }
    for last in (1..count as u64).rev() {
        let chosen = SYSTEM.below(last + 1);
        // SAFETY: both numbers are below the count.
        unsafe { elements.add(last as usize).swap(elements.add(chosen as usize)) };
    }
}

/// # Safety
/// That of the C library's function of this name; so for those that follow.
pub unsafe extern "C" fn getentropy(buffer: *mut c_void, length: usize) -> c_int {
    const LENGTH_MAX: usize = 256;
    if length > LENGTH_MAX {
        return sys::fail(sys::EIO);
    }
    // SAFETY: the caller offers this many bytes.
    match unsafe { getrandom(buffer, length, 0) } {
        done if done == length as isize => 0,
        _ => -1,
    }
}

pub unsafe extern "C" fn arc4random_buf(buffer: *mut c_void, length: usize) {
    // SAFETY: the caller offers this many bytes.
    unsafe { getrandom(buffer, length, 0) };
}

pub extern "C" fn arc4random() -> u32 {
    let mut number = 0_u32;
    // SAFETY: it writes the number.
    unsafe { getrandom((&raw mut number).cast(), size_of::<u32>(), 0) };
    number
}

pub extern "C" fn arc4random_uniform(limit: u32) -> u32 {
    ((u64::from(arc4random()) * u64::from(limit)) >> 32) as u32
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
            // SAFETY: the caller offers this many bytes.
            unsafe { buffer.cast::<u8>().add(index).write(SYSTEM.next() as u8) };
        }
        return length as isize;
    }
    // SAFETY: this has the contract of the function that it replaces.
    sys::result(unsafe { raw(number::GETRANDOM, [buffer as i64, length as i64, flags.into()]) }) as isize
}
