//! The runtime behind ThreadSanitizer's instrumentation, linked with the component in place of libtsan.
//!
//! It is compiled when the crate `omnilink-sched` is built, never instrumented, into one object that works in
//! Rust and in C++ programs: `no_std`, no panics, nothing of Rust's own library at link time. Only the thread
//! that holds the baton runs, so that plain statics are enough for all of its state.
#![no_std]
#![feature(thread_local, link_llvm_intrinsics, linkage)]
#![allow(internal_features, private_interfaces, unused_unsafe)]

mod atomics;
mod baton;
mod calls;
mod clock;
mod code;
#[allow(dead_code, reason = "the other side, which drives the runtime, reads what is only written here")]
mod layout;
mod library;
mod heap;
mod locks;
mod memory;
mod native;
mod races;
mod random;
mod serve;
mod situation;
mod spin;
mod sys;
mod threads;
mod waiting;
mod whole;

/// Memory that the runtime has taken for itself.
fn left_out() -> impl Iterator<Item = (u64, u64)> {
    races::memory().into_iter().chain(heap::unused())
}
