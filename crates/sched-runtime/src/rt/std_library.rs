//! Functions of Rust's prebuilt standard library, seen where they are entered.
//!
//! The linker puts a stub before each of them (`omnilink-sched` writes the stubs), which calls [`enter`]. What the function
//! does until its first futex call, or until it calls a closure, is then a step of its own. What `Once::call` does after its
//! closure is a step too: it begins when the closure, which is instrumented, ends.
//!
//! # Order
//!
//! Each function synchronises as its documentation says: what took a lock has acquired what was released with it, what waited for
//! a condition or a `Once` has acquired what the one who ended the wait released. The stub acquires when the function is entered.
//! Until its first futex call nothing else runs, so that this is what the function itself acquires; after each futex call it is
//! acquired again.
//!
//! **Weak memory.** The words that such a function is given are left to it: from then on they are read and written as under sequential
//! consistency ([`weak_memory::leave_to_library`]). Before that only instrumented accesses have changed them, of which the store
//! history knows. So `lock()` may fail to take a free lock because its compare-and-swap reads a stale value, as C++ and Rust allow;
//! `lock_contended`, which then takes the lock, acquires what the last owner has released.

use crate::layout::{StepRecord, flag, std_function};
use crate::rt::entry::{is_controlled, load_address, local, me};
use crate::rt::scheduler::{access, mark_opaque, step_of};
use crate::rt::spin::Yield;
use crate::rt::{call_stack, races, weak_memory};

/// The calling thread acquires what was released at the arguments of the function that it is in.
pub fn acquire_arguments() {
    for address in local().std_arguments.get() {
        if address != 0 {
            races::acquire(address);
        }
    }
}

pub extern "C" fn enter(first: u64, second: u64, kind: u32, return_address: u64) {
    if !is_controlled() {
        return;
    }
    let code = return_address.wrapping_sub(load_address());
    if kind != std_function::CONTINUES_ACCESS {
        step(first, code);
    }
    local().std_call.set(code);
    local().uses_condition.set(kind == std_function::CONDITION);
    local().std_arguments.set(match kind {
        std_function::CONTINUES_ACCESS => [first, 0],
        _ => [first, second],
    });
    weak_memory::leave_to_library(first);
    match kind {
        std_function::READS_ANYTHING => races::acquire_all(),
        std_function::CONTINUES_ACCESS => {
            continue_access(first);
            acquire_arguments();
        }
        std_function::ACCESSES_PART => {
            const WORDS: u64 = 8;
            for word in 0..WORDS {
                races::acquire(first + 8 * word);
                races::release(first + 8 * word);
            }
        }
        _ => {
            weak_memory::leave_to_library(second);
            acquire_arguments();
            races::release(first);
            races::release(second);
        }
    }
    if kind == std_function::CALLS_CLOSURE {
        call_stack::after_next(ReturnHook { address: first, code });
    }
}

/// The step that the calling thread is in may also change the words of a lock, even if its own access was a load.
fn continue_access(lock: u64) {
    if let Some(step) = step_of(me()) {
        let record = step.get();
        let flag = if record.address == lock {
            flag::WRITES
        } else {
            flag::OPAQUE
        };
        step.set(StepRecord {
            flags: record.flags | flag,
            second: lock + 4,
            ..record
        });
    }
}

/// A step of such a function: it is not known which locations it accesses.
fn step(address: u64, code: u64) {
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
    pub fn run(self) {
        if is_controlled() {
            step(self.address, self.code);
            races::release(self.address);
        }
    }
}
