//! The machinery of the runtime, one noun per file.
//!
//! # Why it is sound
//!
//! `SOUNDNESS.md` beside this crate has the whole argument: who runs when, what two processes share, what a fiber may touch. In short:
//!
//! * **One thread runs.** A controlled thread comes to the state only while it is the running thread. The running thread changes only in
//!   [`scheduler`], by a futex or by a switch of fibers. So the variables are [`Global`](global::Global): cells that are never locked.
//! * **Others touch atomics only.** A thread that the scheduler does not control leaves a function before it comes to a cell, and so does
//!   a thread that has ended.
//! * **The shared memory is cells and atomics**, mapped before the first thread is controlled. [`scheduler::shared`] traps before that.
//!
//! Functions with C names that are unsafe have the contract of the function that they replace. Those of ThreadSanitizer that only look at
//! an address are safe.
#![deny(unsafe_op_in_unsafe_fn)]

#[macro_use]
mod stubs;

mod accesses;
mod annotations;
mod atomics;
mod c11_threads;
mod call_stack;
mod cancellation;
mod checkpoint;
mod clock;
mod column_stacks;
mod conditions;
mod cpp_library;
mod crash_stack;
mod debugger;
mod descriptors;
mod endless_loop;
mod entry;
mod fiber;
mod file_sets;
mod global;
mod heap;
mod idle;
mod joins;
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
mod processors;
mod program_state;
mod queues;
mod races;
mod random;
mod readiness;
mod runnable;
mod saved_memory;
mod scheduler;
mod serial;
mod server;
mod shared;
mod signals;
mod spin;
mod std_library;
mod step_records;
mod step_values;
mod switches;
mod symbols;
mod sys;
mod threads;
mod tickers;
mod timers;
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "no stub leaves anything there")
)]
mod unknown_calls;
mod wait;
mod waiting_places;
mod weak_memory;
mod whole_program;
mod wide_write;
