//! Errors outside the component.

use std::path::PathBuf;

/// Why executions could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchedError {
    /// There is no executor.
    #[error("no executor was given: start a harness first")]
    NoExecutor,
    /// The harness could not be started.
    #[error("{harness}: it cannot be started: {source}")]
    Start {
        /// The harness.
        harness: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The program does not serve executions.
    #[error(
        "{harness}: not a harness: it ended ({ended}) without offering a component; its main function has to \
         offer one, `lineup::component<Queue>(\"queue\")….run()` in C++ or `Component::new(\"queue\", …)….main()` in Rust \
         (docs/lineup.md), and it has to be built by this version of OmniLink"
    )]
    NotAHarness {
        /// The program.
        harness: PathBuf,
        /// How it ended.
        ended: String,
    },
    /// A harness ended.
    #[error("{harness}: the harness has gone: {source}")]
    Lost {
        /// The harness.
        harness: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A program names a call that the harness does not have, or has too many threads or calls.
    #[error("program: {problem}")]
    Program {
        /// What is wrong and what is possible.
        problem: String,
    },
    /// An execution did not follow its schedule.
    #[error(
        "the execution cannot be repeated: step {step} of its schedule went differently; the component depends \
         on something other than the schedule (time, random numbers, addresses, other processes)"
    )]
    Diverged {
        /// The first step that was different.
        step: usize,
    },
    /// A stop condition ended a run. Not a failure: an exploration returns it as its [`StopReason`](crate::StopReason).
    #[error("a limit or an interrupt ended the execution")]
    Stopped(crate::StopReason),
}
