//! Makes rare interleavings happen: controlled schedules for unmodified native code.
//!
//! A *harness* is a program that offers a component: how to make one, and a numbered list of calls. A [`TestProgram`] says which
//! thread makes which of those calls. An [`Executor`] runs one program once under [`RunOptions`] and returns the [`Execution`]:
//! the calls and returns in their order, how it ended, and every step of the scheduler. [`explore`] makes executions until an
//! [`ExplorationStrategy`] is exhausted.
//!
//! # Decisions
//!
//! * **Unmodified code.** The component is compiled with ThreadSanitizer's instrumentation and linked with the crate
//!   `omnilink-sched-runtime` in place of ThreadSanitizer's runtime: every atomic access is a scheduling point. Nothing has to be
//!   ported to other types.
//! * **Real threads, one at a time.** Every thread of the component has the stack and the thread-locals of a thread of the operating
//!   system; those that the component creates are such threads. But only one of them runs.
//! * **Every execution begins in the same state.** Executions run in a forked process, whose memory (statics, allocators, stacks,
//!   thread-locals) is restored after each. It is not used again after a crash, or when it has other threads, mappings or open files than
//!   before. On request ([`RunOptions::isolated`]), and when it is repeated, an execution has a process of its own.
//! * **Stateless search.** An execution is determined by its [`Schedule`], the list of the threads chosen. The search keeps
//!   schedules, never states, and a violation is repeated by following its schedule.
//! * **The bound is exact.** Partial-order reduction drops an execution only if an execution with the same history has at most
//!   as many preemptions, see [`ExplorationStrategy::Bounded`].
//! * **The runtime is embedded.** The build script compiles `omnilink-sched-runtime` and `omnilink-chaos-preload` for the programs
//!   under test and embeds the results, so that the `omnilink` command alone can build harnesses. It finds their sources through
//!   build dependencies, which works for published packages too.
//!
//! * **Weak memory as further choices.** Under [`MemoryModel::Cpp20`] an atomic access also chooses the store that it reads. The
//!   choice is part of the schedule.
//!
//! What it gives up: code that is not instrumented (inline assembly, prebuilt libraries, the slow paths of Rust's prebuilt standard library) runs between two
//! scheduling points without being seen.

mod access_words;
pub mod build;
mod chaos;
mod control;
mod error;
mod execution;
mod executor;
mod explore;
#[cfg(target_os = "linux")]
mod harness_executor;
mod limits;
#[cfg(target_os = "linux")]
mod observed_accesses;
#[cfg(target_os = "linux")]
mod output;
#[cfg(target_os = "linux")]
mod outside_use;
mod program;
#[cfg(target_os = "linux")]
mod program_schedule;
#[cfg(target_os = "linux")]
mod recorded_step;
mod reduction;
mod sample;
mod schedule;
mod schedule_tree;
#[cfg(target_os = "linux")]
mod shared_memory;
#[cfg(target_os = "linux")]
mod stopped_program;
#[cfg(target_os = "linux")]
mod waiting_place;
#[cfg(target_os = "linux")]
mod watchdog;
#[cfg(target_os = "linux")]
mod whole_program;

pub use chaos::{ThreadStalls, chaos_library};
pub use error::SchedError;
pub use execution::{
    AccessOrder, DataRace, Ending, Execution, HarnessEvent, HarnessEventKind, MemoryError, MemoryErrorKind,
    RacingAccess, SchedulerStep, StepAccess, StepValues, StuckReason, StuckThreads, UnknownCall,
    UnresponsiveReason,
};
pub use executor::{Executor, MemoryModel, RunOptions, SchedulingPoints, SchedulingPolicy};
pub use explore::{
    BoundSummary, ExplorationResult, ExplorationStrategy, ExploreOptions, StopReason, explore, replay,
    run_in_order, stop_before,
};
#[cfg(target_os = "linux")]
pub use harness_executor::{HarnessExecutor, HarnessOptions};
pub use limits::StopConditions;
#[cfg(target_os = "linux")]
pub use observed_accesses::{ObservedAccesses, ObservedStop};
#[cfg(target_os = "linux")]
pub use outside_use::OutsideUse;
pub use program::TestProgram;
#[cfg(target_os = "linux")]
pub use program_schedule::{ProgramPolicy, ProgramSchedule, ProgramSwitch, SharedLocation};
pub use schedule::{Schedule, ScheduleError, ScheduledStep};
#[cfg(target_os = "linux")]
pub use stopped_program::{StopAt, StoppedProgram};
#[cfg(target_os = "linux")]
pub use waiting_place::WaitingPlace;
#[cfg(target_os = "linux")]
pub use whole_program::{ProgramEnding, ProgramExecution, ProgramStep, ThreadPlace, WholeProgram};

/// A thread of an execution: the columns of the [`TestProgram`] are `0..n`, the main thread is `n`, threads that the component
/// creates follow in the order of their creation.
pub type ThreadId = u8;

/// The most threads of one execution.
pub const THREADS_MAX: usize = 32;
