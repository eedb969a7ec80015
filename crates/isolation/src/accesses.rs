//! Transactions written as one operation: Jepsen's `[[:r 5 nil] [:w 6 2] [:append 7 1]]`.

use omnilink_trace::{Args, Operation};
use omnilink_value::Value;

use crate::access::{Access, RangeRead};
use crate::transaction_error::TransactionError;
use crate::workload;

/// The accesses of an operation that is a whole transaction; `None` if it is something else.
///
/// What a transaction read is in its result. If that is missing, a value may also stand among the arguments; null is there
/// where a read is to be filled in, and what such a read returned is unknown.
///
/// # Errors
/// When the operation is named a transaction, but one of its accesses is malformed, or it returned other accesses than
/// it was called with.
pub(crate) fn accesses(operation: &Operation, label: &str) -> Result<Option<Vec<Access>>, TransactionError> {
    Ok(listed_accesses(operation, label)?.or_else(|| workload::accesses(operation)))
}

fn listed_accesses(operation: &Operation, label: &str) -> Result<Option<Vec<Access>>, TransactionError> {
    let is_named = ["txn", "transaction"]
        .iter()
        .any(|name| operation.name.eq_ignore_ascii_case(name));
    let called = match &operation.args {
        Args::Named(record) if record.field("key").is_some() => None,
        Args::Named(record) => ["value", "txn", "ops"].iter().find_map(|name| record.field(name)),
        Args::Positional(tuple) => tuple.as_tuple().and_then(<[Value]>::first),
    };
    let has_returned = !operation.timebox.is_pending() && !operation.aborted;
    let returned = operation.ret.as_ref().filter(|_| has_returned);
    let called = called.filter(|called| !called.is_null());
    let Some(listed) = returned.or(called) else {
        return Ok(None);
    };
    // The empty set that was read is no transaction without accesses.
    if !is_named && listed.is_empty() {
        return Ok(None);
    }
    let is_result = returned.is_some();
    let Some(mut accesses) = parsed(listed) else {
        // A null among separate reads and writes is the result of one of them.
        return if is_named {
            Err(TransactionError::NoAccesses {
                place: operation.location.clone(),
                label: label.to_owned(),
                part: if is_result { "result" } else { "transaction" },
                found: listed.clone(),
            })
        } else {
            Ok(None)
        };
    };
    // A list is one that it may return itself, and most files have the same list in both places.
    let other = called.filter(|called| *called != listed);
    if let (true, Some(asked)) = (is_result, other.and_then(parsed)) {
        let differs = |(asked, returned): (&Access, &Access)| !asked.may_return(returned);
        let differing = asked.iter().zip(&accesses).position(differs);
        let differing =
            differing.or((asked.len() != accesses.len()).then(|| asked.len().min(accesses.len())));
        if let Some(at) = differing {
            return Err(TransactionError::OtherAccesses {
                place: operation.location.clone(),
                label: label.to_owned(),
                asked: shown(called, at),
                returned: shown(returned, at),
            });
        }
    }
    for access in &mut accesses {
        match access {
            Access::Read(_, value) | Access::CursorRead(_, value)
                if !has_returned || !is_result && value.as_ref().is_some_and(Value::is_null) =>
            {
                *value = None;
            }
            Access::Range(range) if !has_returned => range.found = None,
            _ => {}
        }
    }
    Ok(Some(accesses))
}

/// Whether an operation is a whole transaction, or part of one.
pub fn is_transaction(operation: &Operation) -> bool {
    let has_group = operation
        .meta
        .as_ref()
        .is_some_and(|meta| meta.field("txn").is_some());
    // What is called a transaction and cannot be read is meant to be one.
    let is_listed =
        || listed_accesses(operation, "").map_or(true, |found| found.is_some_and(|found| !found.is_empty()));
    has_group || is_listed() || workload::is_transfer(operation)
}

/// Whether an operation is one of a workload whose operations are whole transactions without saying so, or of a bank, a set or a counter that
/// could be meant so.
pub fn is_of_workload(operation: &Operation) -> bool {
    is_transaction(operation) || workload::accesses(operation).is_some()
}

/// The access at a position of a list, for messages.
fn shown(listed: Option<&Value>, at: usize) -> String {
    let accesses = listed.and_then(Value::as_tuple).unwrap_or_default();
    accesses
        .get(at)
        .map_or_else(|| "nothing".to_owned(), Value::to_string)
}

fn parsed(listed: &Value) -> Option<Vec<Access>> {
    listed.as_tuple()?.iter().map(access).collect()
}

fn access(one: &Value) -> Option<Access> {
    let parts = one.as_tuple()?;
    let name = parts.first()?.as_str()?;
    match (name, parts) {
        ("r" | "read", [_, key]) => Some(Access::Read(key.clone(), None)),
        ("r" | "read", [_, key, value]) => Some(Access::Read(key.clone(), Some(value.clone()))),
        ("cursor", [_, key]) => Some(Access::CursorRead(key.clone(), None)),
        ("cursor", [_, key, value]) => Some(Access::CursorRead(key.clone(), Some(value.clone()))),
        ("w" | "write", [_, key, value]) => Some(Access::Write(key.clone(), value.clone())),
        ("append", [_, key, value]) => Some(Access::Append(key.clone(), value.clone())),
        ("add", [_, key, value]) => Some(Access::Add(key.clone(), value.clone())),
        ("inc" | "increment", [_, key]) => Some(Access::Increment(key.clone(), 1)),
        ("inc" | "increment", [_, key, amount]) => Some(Access::Increment(key.clone(), amount.as_int()?)),
        ("dec" | "decrement", [_, key]) => Some(Access::Increment(key.clone(), -1)),
        ("dec" | "decrement", [_, key, amount]) => {
            Some(Access::Increment(key.clone(), amount.as_int()?.checked_neg()?))
        }
        ("d" | "delete", [_, key]) => Some(Access::Write(key.clone(), Value::null())),
        ("range" | "scan", [_, from, to]) => Some(range(from, to, None)),
        ("range" | "scan", [_, from, to, found]) => {
            let found = if found.is_null() {
                None
            } else {
                Some(pairs(found)?)
            };
            Some(range(from, to, found))
        }
        _ => None,
    }
}

fn range(from: &Value, to: &Value, found: Option<Vec<(Value, Value)>>) -> Access {
    Access::Range(Box::new(RangeRead {
        from: from.clone(),
        to: to.clone(),
        found,
    }))
}

/// What a range holds: `[[1, 5], [2, 7]]`.
fn pairs(found: &Value) -> Option<Vec<(Value, Value)>> {
    let pair = |pair: &Value| match pair.as_tuple()? {
        [key, value] => Some((key.clone(), value.clone())),
        _ => None,
    };
    found.as_tuple()?.iter().map(pair).collect()
}
