//! The reasons why a check may end without a verdict.

use omnilink_trace::Time;
use thiserror::Error;

use crate::observation::CollectionKind;
use crate::unmonitored::Unmonitored;

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
        /// The start of the previous operation.
        previous: Time,
    },
    /// An operation ends at the largest time, which stands for "never".
    #[error(
        "operation {0} ends at the largest time there is: leave the end out if it never returned, and shift the clock if it did"
    )]
    EndOfTime(u64),
    /// An operation touches several parts of the state that are checked separately. See [`Progress::Spans`].
    #[error(
        "operation {0} spans parts of the state that are checked separately: start over with other parts"
    )]
    Spans(u64),
    /// Threads link parts of the state that were checked separately: they call operations of one part at the time at
    /// which their operations of another part ended, and the explanations of the parts contradict each other. Start over
    /// with these parts [joined](crate::Components::join).
    #[error(
        "threads link parts of the state that are checked separately: start over with these parts joined"
    )]
    Entangled(Vec<Vec<u64>>),
    /// The search found no explanation, but it may have missed one: a thread called at the time at which its last
    /// operation ended, and the checker did not know that when it was given that operation. Start over with
    /// [`Checker::push_followed`](crate::Checker::push_followed).
    #[error("an operation starts where another one of its thread ended: start over with push_followed")]
    Tied,
    /// A violation may be due to explanations that were dropped: see [`Options::commit_after`](crate::Options::commit_after). Start over
    /// without dropping any.
    #[error(
        "some explanations were dropped, and no other one explains the history: start over without commit_after"
    )]
    Committed,
    /// The model itself failed.
    #[error("the model failed: {0}")]
    Model(String),
    /// The model reached a limit of its own, and there is no explanation without the states beyond it.
    #[error(
        "a limit of the model, not of the system: {0}; so it is unknown whether the history has an explanation"
    )]
    Exceeded(String),
    /// The model is not the collection that it is declared to be.
    #[error(
        "{}it is declared to act as a {kind}, but it accepts what no {kind} does: {sequence}; remove or correct the declaration",
        place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default()
    )]
    NoSuchCollection {
        /// Where that is declared.
        place: Option<String>,
        /// The declared kind.
        kind: CollectionKind,
        /// The operations that it accepts.
        sequence: String,
    },
    /// A monitor was asked to decide, and none can.
    #[error("no monitor decides this history: {0}; without the strategy `monitor` the search does")]
    Unmonitored(#[from] Unmonitored),
    /// The search found no explanation, but its own evidence has one. This is a bug in OmniLink.
    #[error(
        "internal error, please report it: no explanation was found of {op}, but after {after} it is accepted"
    )]
    Contradiction {
        /// The operation that has no explanation.
        op: String,
        /// The operation after which it has one.
        after: String,
        /// When the operation returned.
        end: Time,
    },
    /// The search found an explanation that does not replay. This is a bug in OmniLink.
    #[error("internal error, please report it: the explanation found does not replay: {0}")]
    WitnessRejected(String),
}

/// The state of a check after an operation was given to a [`Checker`](crate::Checker).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The check needs more operations.
    Going,
    /// The verdict is known: [`Checker::finish`](crate::Checker::finish) returns it.
    Decided,
    /// The operation spans parts that are checked separately. Start over with
    /// [`Checker::with_partitioning`](crate::Checker::with_partitioning) and the parts of the whole history, from
    /// [`Components`](crate::Components).
    Spans,
}
