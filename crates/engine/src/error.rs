//! How a check is getting on, and why it may not.

use omnilink_trace::Time;
use thiserror::Error;

/// Why a check ended without a verdict.
#[derive(Debug, Error)]
pub enum CheckError {
    /// Operations must be given in order of start.
    #[error(
        "operation {id} starts at {start}, before the one given before it ({previous}): give operations in order of start"
    )]
    OutOfOrder {
        /// The operation's position in the input.
        id: u64,
        /// Its start.
        start: Time,
        /// The start of the one before.
        previous: Time,
    },
    /// The largest time there is stands for "never": an operation cannot end there.
    #[error(
        "operation {0} ends at the largest time there is: leave the end out if it never returned, and shift the clock if it did"
    )]
    EndOfTime(u64),
    /// An operation touches several parts of the state that were checked apart. See [`Progress::Spans`].
    #[error(
        "operation {0} spans parts of the state that were being checked apart: start over with other parts"
    )]
    Spans(u64),
    /// Threads call operations of parts of the state that were checked apart at the very times at which their operations of
    /// other parts ended, and the explanations of the parts do not fit together. Start over with these parts
    /// [joined](crate::Components::join).
    #[error(
        "threads link parts of the state that were being checked apart: start over with these parts joined"
    )]
    Entangled(Vec<Vec<u64>>),
    /// No explanation was found, but one may have been missed: a thread called at the very time at which its last operation ended,
    /// and that was not known when that operation was given. Start over with
    /// [`Checker::push_followed`](crate::Checker::push_followed).
    #[error(
        "an operation starts where another one of its thread ended: start over and tell which are followed"
    )]
    Tied,
    /// The model itself failed.
    #[error("the model failed: {0}")]
    Model(String),
    /// The model ran into a limit of its own, and without the states beyond it there is no explanation.
    #[error(
        "a limit of the model, not of the system: {0}; so it cannot be told whether the history has an explanation"
    )]
    Exceeded(String),
    /// The search found an explanation that does not stand up. This is a bug in OmniLink.
    #[error("internal error, please report it: the explanation found does not replay: {0}")]
    WitnessRejected(String),
}

/// What became of an operation that was given to a [`Checker`](crate::Checker).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So far so good.
    Going,
    /// The answer is known: no need to go on, [`Checker::finish`](crate::Checker::finish) has it.
    Decided,
    /// The operation spans parts that were being checked apart. Start over with
    /// [`Checker::with_partitioning`](crate::Checker::with_partitioning) and the parts of the whole history, from
    /// [`Components`](crate::Components).
    Spans,
}
