//! The machinery of the runtime, one noun per file.
//!
//! # Why it is sound
//!
//! All state is in `static mut` variables and in the shared memory. Two invariants make unsynchronised access to them sound;
//! every `unsafe fn` of this module requires them of its caller:
//!
//! * **One thread runs.** From the fork of an execution's process on, a controlled thread touches the state only while it is
//!   the running thread. The running thread changes only in [`scheduler`], by a futex whose operations are sequentially
//!   consistent. No reference into the state lives across a change of the running thread.
//! * **The shared memory is mapped.** [`scheduler::attach`] has been called before any thread is controlled.
//!
//! Functions with C names have, besides, the contract of the function that they replace. A function body is therefore not
//! split into `unsafe` blocks: they would all have the same reason.
#![allow(unsafe_op_in_unsafe_fn, reason = "see above")]
#![allow(
    clippy::deref_addrof,
    reason = "a `static mut` is borrowed through a raw pointer"
)]

mod accesses;
mod atomics;
mod call_stack;
mod checkpoint;
mod clock;
mod column_stacks;
mod crash_stack;
mod debugger;
mod descriptors;
mod endless_loop;
mod entry;
mod fiber;
mod heap;
mod idle;
mod leaks;
mod libc_accesses;
#[cfg(target_arch = "x86_64")]
mod library_calls;
mod locks;
mod mappings;
mod memory_map;
mod native;
mod once;
mod one_location;
mod outside;
mod policy;
mod processes;
mod program_state;
mod races;
mod random;
mod readiness;
mod runnable;
mod saved_memory;
mod scheduler;
mod serial;
mod server;
mod spin;
mod std_library;
mod step_values;
mod switches;
mod symbols;
mod sys;
mod threads;
mod timers;
mod wait;
mod waiting_places;
mod weak_memory;
mod whole_program;
mod wide_write;
