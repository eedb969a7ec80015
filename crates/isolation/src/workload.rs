//! Jepsen's workloads whose operations are whole transactions without saying so: `{:f :transfer, :value {:from 1, :to 2, :amount 5}}`, `{:f :add, :value 3}`, and
//! reads of everything.

use omnilink_trace::{Args, Operation};
use omnilink_value::Value;

use crate::access::{Access, Transfer};

/// The one set or counter of a workload that has no keys.
pub(crate) fn store() -> Value {
    Value::from("store")
}

/// Whether an operation moves money between accounts.
pub(crate) fn is_transfer(operation: &Operation) -> bool {
    transfer(operation).is_some()
}

/// The accesses of an operation of a bank, a set or a counter; `None` if it is something else.
pub(crate) fn accesses(operation: &Operation) -> Option<Vec<Access>> {
    let has_group = { operation.meta.as_ref() }.is_some_and(|meta| meta.field("txn").is_some());
    let has_key = match &operation.args {
        Args::Named(record) => record.field("key").is_some(),
        Args::Positional(_) => operation.args.len() > 1,
    };
    if has_group || has_key {
        return None;
    }
    match operation.name.as_str() {
        "transfer" => transfer(operation).map(|transfer| vec![transfer]),
        "add" => Some(vec![Access::Add(
            store(),
            operation.args.get("value", 0)?.clone(),
        )]),
        "increment" | "inc" => {
            let amount = operation.args.get("value", 0).filter(|value| !value.is_null());
            let amount = amount.map_or(Some(1), Value::as_int)?;
            Some(vec![Access::Increment(store(), amount)])
        }
        "read" => read(operation),
        _ => None,
    }
}

fn transfer(operation: &Operation) -> Option<Access> {
    let is_named = operation.name.as_str() == "transfer";
    let listed = operation
        .args
        .get("value", 0)
        .filter(|value| value.field("from").is_some());
    let field = |name: &str| match listed {
        Some(value) => value.field(name),
        None => operation.args.field(name),
    };
    if !is_named {
        return None;
    }
    Some(Access::Transfer(Box::new(Transfer {
        from: account(field("from")?),
        to: account(field("to")?),
        amount: field("amount")?.as_int()?,
    })))
}

/// An account. JSON's names of accounts are texts, also of those that are numbers.
pub(crate) fn account(name: &Value) -> Value {
    let number = name.as_str().and_then(|name| name.parse().ok());
    number.map_or_else(|| name.clone(), Value::int)
}

/// A read of all accounts, of a set or of a counter. What did not return has read nothing that is known.
fn read(operation: &Operation) -> Option<Vec<Access>> {
    let is_open = |value: &Value| value.is_null() || value.as_tuple().is_some_and(<[Value]>::is_empty);
    let asks_for_all = operation.args.get("value", 0).is_none_or(is_open);
    let has_returned = !operation.timebox.is_pending() && !operation.aborted;
    if !asks_for_all || !has_returned {
        return asks_for_all.then(Vec::new);
    }
    Some(vec![Access::Whole(Some(operation.ret.clone()?))])
}
