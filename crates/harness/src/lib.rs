//! Offers a component to `omnilink lineup`: how to make one, and which calls it has.
//!
//! This crate is compiled together with the component, instrumented, for every check. It is therefore small and has no
//! dependencies: the `omnilink` command chooses what to call, and runs the harness in forked processes.
//!
//! A file `lineup/queue.rs`, named in `Cargo.toml` as a test without a test harness (`[[test]] name = "queue"`,
//! `path = "lineup/queue.rs"`, `harness = false`):
//!
//! ```
//! use std::collections::VecDeque;
//! use std::process::ExitCode;
//! use std::sync::Mutex;
//!
//! use omnilink_harness::Component;
//!
//! fn main() -> ExitCode {
//!     Component::new("queue", || Mutex::new(VecDeque::new()))
//!         .op("push(1)", |queue| queue.lock().unwrap().push_back(1))
//!         .op("push(2)", |queue| queue.lock().unwrap().push_back(2))
//!         .op("pop()", |queue| queue.lock().unwrap().pop_front())
//!         .main()
//! }
//! ```
//!
//! `cargo omnilink lineup` then builds it instrumented and checks it; `cargo test` only compiles it. A `#[test]` function that ends in
//! [`.test()`](Component::test) is checked by `cargo test` too. Results are compared as
//! `{:?}` prints them. A panic is a result too.

mod component;
mod explore;
mod role_cell;
pub mod serve;

pub use component::Component;
pub use role_cell::RoleCell;
