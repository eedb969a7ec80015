//! What can be wrong with transactions.

use omnilink_trace::Location;
use omnilink_value::Value;
use thiserror::Error;

/// Transactions that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransactionError {
    /// Not a read or a write.
    #[error(
        "{place}: operation {label}: \"{name}\" is no operation of a transaction; there are read (get), write (put, set), delete (remove), commit and abort, and txn for a whole one"
    )]
    UnknownOp {
        /// Where.
        place: Location,
        /// The operation.
        label: String,
        /// Its name.
        name: String,
    },
    /// An argument is missing.
    #[error("{place}: operation {label}: {name} has no {missing}")]
    Missing {
        /// Where.
        place: Location,
        /// The operation.
        label: String,
        /// Its name.
        name: String,
        /// What is missing.
        missing: &'static str,
    },
    /// A transaction that is no list of accesses.
    #[error(
        "{place}: operation {label}: the {part} is {found}; expected a list of [\"r\", key, value], [\"w\", key, value], [\"append\", key, value], \
         [\"add\", key, value], [\"inc\", key, amount], [\"delete\", key] and [\"range\", from, to, [[key, value]]]"
    )]
    NoAccesses {
        /// Where.
        place: Location,
        /// The operation.
        label: String,
        /// The transaction as it was called, or its result.
        part: &'static str,
        /// What stands there.
        found: Value,
    },
    /// A transaction that returned other accesses than it was called with.
    #[error(
        "{place}: operation {label}: the transaction was called with {asked} and returned {returned}; it returns the accesses \
         that it was called with, in their order, with what it read filled in"
    )]
    OtherAccesses {
        /// Where.
        place: Location,
        /// The operation.
        label: String,
        /// What it was called with.
        asked: String,
        /// What it returned in its place.
        returned: String,
    },
    /// A key that is used in two ways.
    #[error(
        "{place}: transaction {label}: {key} is {problem}; a key holds a list, a counter or a value: give one of them another key"
    )]
    Mixed {
        /// Where.
        place: Location,
        /// The transaction.
        label: String,
        /// The key.
        key: Value,
        /// How it is used.
        problem: &'static str,
    },
    /// A list in which an element does not determine its writer.
    #[error(
        "{place}: transaction {second} appends {element} to {key}, which {} appends as well, so a list does not tell which of them \
         it has seen; append each element once",
        if first == second { "it".to_owned() } else { format!("{first} ({earlier})") }
    )]
    AppendedTwice {
        /// Where the second transaction is.
        place: Location,
        /// Where the first is.
        earlier: Location,
        /// The first transaction.
        first: String,
        /// The second.
        second: String,
        /// The key.
        key: Value,
        /// The element.
        element: Value,
    },
    /// A violation was found, and there is an order. This is a bug in OmniLink.
    #[error("internal error, please report it: {0}")]
    Contradicted(String),
    /// The order that was found does not replay. This is a bug in OmniLink.
    #[error("internal error, please report it: the order of commits that was found does not hold: {0}")]
    Rejected(String),
}
