//! Functions of Rust's prebuilt standard library, seen where they are entered.
//!
//! The linker puts a stub before each of them (`omnilink-sched` writes the stubs), which calls [`enter`]. What the function
//! does until its first futex call, or until it calls a closure, is then a step of its own. What `Once::call` does after its
//! closure is a step too: it begins when the closure, which is instrumented, ends.

use crate::layout::std_function;
use crate::rt::entry::{is_controlled, load_address, local, me};
use crate::rt::scheduler::{access, mark_opaque};
use crate::rt::spin::Yield;
use crate::rt::{call_stack, races};

/// The calling thread acquires what was released at the arguments of the function that it is in.
pub unsafe fn acquire_arguments() {
    for address in (*local()).std_arguments {
        if address != 0 {
            races::acquire(address);
        }
    }
}

pub unsafe extern "C" fn enter(first: u64, second: u64, kind: u32, return_address: u64) {
    if !is_controlled() {
        return;
    }
    let code = return_address.wrapping_sub(load_address());
    step(first, code);
    (*local()).std_arguments = [first, second];
    match kind {
        std_function::READS_ANYTHING => races::acquire_all(),
        std_function::ACCESSES_PART => {
            const WORDS: u64 = 8;
            for word in 0..WORDS {
                races::acquire(first + 8 * word);
                races::release(first + 8 * word);
            }
        }
        _ => {
            acquire_arguments();
            races::release(first);
            races::release(second);
        }
    }
    if kind == std_function::CALLS_CLOSURE {
        call_stack::after_next(ReturnHook { address: first, code });
    }
}

/// A step of such a function: it is not known which locations it accesses.
unsafe fn step(address: u64, code: u64) {
    access(address, true, code, Yield::No);
    mark_opaque(me());
}

/// The rest of a function after its closure has ended.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ReturnHook {
    address: u64,
    code: u64,
}

impl ReturnHook {
    pub unsafe fn run(self) {
        if is_controlled() {
            step(self.address, self.code);
            races::release(self.address);
        }
    }
}
