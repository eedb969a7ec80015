//! The reasons why no monitor decides a history.

use thiserror::Error;

/// Why no monitor decides a history.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unmonitored {
    /// The model is no collection.
    #[error(
        "there are monitors for registers, queues, stacks, priority queues, sets and bags, and the model is none of these"
    )]
    NoCollection,
    /// A level other than linearizability was asked for.
    #[error("monitors decide linearizability only")]
    Level,
    /// The monitors do not understand an operation.
    #[error("the monitors do not know {0}")]
    Operation(String),
    /// An operation may not have happened although it returned.
    #[error("{0} may not have happened although it returned")]
    Optional(String),
    /// The monitor does not apply.
    #[error("{0}")]
    Undecided(String),
    /// Equal clock readings of several threads.
    #[error(
        "several threads returned and called again at one clock reading, and the answer depends on their order"
    )]
    Ties,
    /// The model refuses the order.
    #[error("the order that the monitor found is no order for the model, which knows more than the monitor")]
    Refused,
    /// The search did not confirm a violation.
    #[error("the search did not confirm the violation within the limits")]
    Unconfirmed,
}
