//! What can go wrong outside the component.

use std::path::PathBuf;

/// Why executions could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchedError {
    /// There is nobody who could make an execution.
    #[error("no executor was given: start a harness first")]
    NoExecutor,
    /// The harness could not be started.
    #[error("{harness}: the harness cannot be started: {source}")]
    Start {
        /// The harness.
        harness: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The program that was started does not serve executions.
    #[error(
        "{harness}: not a harness: it ended ({ended}) without offering a component; its main function has to \
         call `serve`, and it has to be built by this version of OmniLink"
    )]
    NotAHarness {
        /// The program.
        harness: PathBuf,
        /// How it ended.
        ended: String,
    },
    /// A harness stopped answering.
    #[error("{harness}: the harness has gone: {source}")]
    Lost {
        /// The harness.
        harness: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program names a call, or has a number of threads, that the harness or the runtime does not have.
    #[error("program: {problem}")]
    Program {
        /// What is wrong and what is possible.
        problem: String,
    },
    /// Following the schedule of an execution gave another one.
    #[error(
        "the execution cannot be repeated: step {step} of its schedule went differently; the component depends \
         on something other than the schedule (time, random numbers, addresses, other processes)"
    )]
    Diverged {
        /// The first step that was different.
        step: usize,
    },
}
