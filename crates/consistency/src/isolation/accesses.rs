//! Transactions written as one operation: Jepsen's `[[:r 5 nil] [:w 6 2] [:append 7 1]]`.

use omnilink_trace::{Args, Operation};
use omnilink_value::Value;

use super::transaction::TransactionError;

/// One access of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// The value that was read, unless the transaction did not return.
    Read(Value, Option<Value>),
    Write(Value, Value),
    /// An element at the end of the list that a key holds.
    Append(Value, Value),
}

impl Access {
    pub(super) fn key(&self) -> &Value {
        match self {
            Self::Read(key, _) | Self::Write(key, _) | Self::Append(key, _) => key,
        }
    }
}

/// The accesses of an operation that is a whole transaction; `None` if it is something else.
///
/// # Errors
/// When the operation is named a transaction, but one of its accesses is malformed.
pub(super) fn accesses(operation: &Operation, label: &str) -> Result<Option<Vec<Access>>, TransactionError> {
    let is_named = ["txn", "transaction"]
        .iter()
        .any(|name| operation.name.eq_ignore_ascii_case(name));
    let called = match &operation.args {
        Args::Named(record) if record.field("key").is_some() => None,
        Args::Named(record) => ["value", "txn", "ops"].iter().find_map(|name| record.field(name)),
        Args::Positional(tuple) => tuple.as_tuple().and_then(<[Value]>::first),
    };
    let has_returned = !operation.timebox.is_pending() && !operation.aborted;
    let returned = operation
        .ret
        .as_ref()
        .filter(|ret| has_returned && !ret.is_null());
    let Some(listed) = returned.or(called) else {
        return Ok(None);
    };
    let parsed = listed
        .as_tuple()
        .and_then(|accesses| accesses.iter().map(|one| access(one, has_returned)).collect());
    match parsed {
        Some(accesses) => Ok(Some(accesses)),
        None if is_named => Err(TransactionError::NoAccesses {
            place: operation.location.clone(),
            label: label.to_owned(),
            found: listed.clone(),
        }),
        None => Ok(None),
    }
}

fn access(one: &Value, has_returned: bool) -> Option<Access> {
    let parts = one.as_tuple()?;
    let name = parts.first()?.as_str()?;
    match (name, parts) {
        ("r" | "read", [_, key]) => Some(Access::Read(key.clone(), None)),
        ("r" | "read", [_, key, value]) => {
            Some(Access::Read(key.clone(), has_returned.then(|| value.clone())))
        }
        ("w" | "write", [_, key, value]) => Some(Access::Write(key.clone(), value.clone())),
        ("append", [_, key, value]) => Some(Access::Append(key.clone(), value.clone())),
        _ => None,
    }
}
