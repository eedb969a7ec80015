//! Functions of Rust's prebuilt standard library, seen where they are entered.
//!
//! The linker puts a stub before each (`src/build/library.rs` writes them), which calls [`omnilink_library`]. What the
//! function does until its first futex call, or until it calls a closure, is then a step of its own. What `Once::call` does
//! after its closure is one too: it begins when the closure, which is instrumented, says that it ends.

use crate::baton::{access, mark_opaque};
use crate::calls;
use crate::code;
use crate::races;
use crate::spin::Yield;
use crate::threads::{is_controlled, me};

/// What a function does. The numbers are those in `src/build/library.rs`.
mod kind {
    /// It calls a closure, and then changes what its first argument points to.
    pub const CLOSURE: u32 = 1;
    /// It reads something that no argument points to.
    pub const ANYTHING: u32 = 2;
    /// It reads and changes some part of what its first argument points to.
    pub const PART: u32 = 3;
}

/// What the last function of the library was given.
#[thread_local]
static mut ARGUMENTS: [u64; 2] = [0; 2];

/// What the function accesses may have been released by others.
pub unsafe fn acquire() {
    unsafe {
        for address in ARGUMENTS {
            if address != 0 {
                races::acquire(address);
            }
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omnilink_library(first: u64, second: u64, what: u32, returns_to: u64) {
    unsafe {
        if !is_controlled() {
            return;
        }
        let code = returns_to.wrapping_sub(code::load_address());
        step(first, code);
        ARGUMENTS = [first, second];
        match what {
            kind::ANYTHING => races::acquire_all(),
            kind::PART => (0..8).for_each(|word| {
                races::acquire(first + 8 * word);
                races::release(first + 8 * word);
            }),
            _ => {
                acquire();
                races::release(first);
                races::release(second);
            }
        }
        if what == kind::CLOSURE {
            calls::after_next(Ended { address: first, code });
        }
    }
}

/// Which locations such a function accesses is not known.
unsafe fn step(address: u64, code: u64) {
    unsafe {
        access(address, true, code, Yield::No);
        mark_opaque(me());
    }
}

/// A function of the library that goes on when a closure has ended.
#[derive(Clone, Copy)]
pub struct Ended {
    address: u64,
    code: u64,
}

impl Ended {
    pub const NOWHERE: Self = Self { address: 0, code: 0 };

    pub unsafe fn go_on(self) {
        unsafe {
            if is_controlled() {
                step(self.address, self.code);
                races::release(self.address);
            }
        }
    }
}
