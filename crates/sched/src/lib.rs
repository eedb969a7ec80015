//! Makes rare interleavings happen: controlled schedules for unmodified native code.
//!
//! A *harness* is a program that offers a component: how to make one, and a numbered list of calls. A
//! [`TestProgram`] says which thread makes which of those calls. An [`Executor`] runs one program once under one
//! [`RunOptions`] and returns the [`Execution`]: the calls and returns in the order in which they happened, how it
//! ended, and every decision of the scheduler. [`explore`] asks for one execution after the other until a
//! [`ExplorationStrategy`] is exhausted.
//!
//! # What it decided
//!
//! * **Unmodified code.** The component is compiled with ThreadSanitizer's instrumentation and linked with a
//!   runtime of ours in place of ThreadSanitizer's: every atomic access is a place where the scheduler may
//!   switch. Nothing has to be ported to other types.
//! * **Real threads, one baton.** The threads of the component are threads of the system, so thread-locals
//!   and thread exits are the real ones; only the one that holds the baton runs.
//! * **One process, one execution.** Statics, allocators, and crashes stay in the forked process in which
//!   they happened.
//! * **Stateless search.** An execution is determined by its [`Schedule`], the list of the threads chosen. The
//!   search keeps schedules, never states, and a finding is repeated by following its schedule.
//! * **The bound is exact.** Partial-order reduction drops an execution only if an equal history is reached
//!   by a schedule with as few preemptions or fewer, see [`ExplorationStrategy::Bounded`].
//!
//! What it gives up: executions are sequentially consistent, so that bugs that need a weaker memory model are
//! not found; and code that is not instrumented (inline assembly, prebuilt libraries, the slow paths of
//! Rust's prebuilt standard library) runs between two decisions without being seen.

pub mod build;
mod chaos;
mod error;
mod execution;
mod executor;
mod explore;
#[cfg(target_os = "linux")]
mod harness_executor;
mod program;
mod progress;
mod reduction;
mod sample;
mod schedule;
#[cfg(target_os = "linux")]
mod shared_memory;
mod tree;
#[cfg(target_os = "linux")]
mod watch;

pub use chaos::{Chaos, chaos_library};
pub use error::SchedError;
pub use execution::{
    CallEvent, CallEventKind, DataRace, Ending, Execution, MemoryError, MemoryErrorKind, RacingAccess,
    SchedulerStep, StepAccess, StuckReason, StuckThreads, UnresponsiveReason,
};
pub use executor::{Executor, RunOptions, SchedulingPoints, SchedulingPolicy};
pub use explore::{
    BoundSummary, Exploration, ExplorationStrategy, ExploreOptions, StopReason, explore, replay,
};
#[cfg(target_os = "linux")]
pub use harness_executor::{HarnessExecutor, HarnessOptions};
pub use program::TestProgram;
pub use schedule::{Schedule, ScheduleError};

/// A thread of an execution: the columns of the [`TestProgram`] are `0..n`, the main thread is `n`, threads that
/// the component itself creates follow in the order of their creation.
pub type ThreadId = u8;

/// How many threads one execution can have.
pub const THREADS_MAX: usize = 32;
