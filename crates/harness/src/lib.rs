//! Offers a component to `omnilink lineup`: how to make one, and what may be called.
//!
//! The decision of this crate is to be nothing else. It is compiled together with the component, instrumented, for every
//! check, so it has no dependencies; everything that thinks is in the `omnilink` command, which runs the harness in forked
//! processes and tells it what to call.
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
//! `cargo omnilink lineup` then builds it instrumented and checks it; `cargo test` only sees that it compiles. A result is
//! what `{:?}` prints of it. A panic is a result too.

#[path = "../../sched/src/harness.rs"]
pub mod serve;

mod component;

pub use component::Component;
