//! Jepsen's workloads whose operations are whole transactions without saying so: `{:f :transfer, :value {:from 1, :to 2, :amount 5}}`, `{:f :add, :value 3}`, and
//! reads of everything.

use omnilink_trace::{Args, Operation};
use omnilink_value::Value;

use crate::access::{Access, Transfer};

/// The one set or counter of a workload that has no keys.
fn store() -> Value {
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
    let value = operation.args.get("value", 0).filter(|_| is_named)?;
    Some(Access::Transfer(Box::new(Transfer {
        from: value.field("from")?.clone(),
        to: value.field("to")?.clone(),
        amount: value.field("amount")?.as_int()?,
    })))
}

/// A read of all accounts, of a set or of a counter. What did not return has read nothing that is known.
fn read(operation: &Operation) -> Option<Vec<Access>> {
    let is_open = |value: &Value| value.is_null() || value.as_tuple().is_some_and(<[Value]>::is_empty);
    let asks_for_all = operation.args.get("value", 0).is_none_or(is_open);
    let has_returned = !operation.timebox.is_pending() && !operation.aborted;
    if !asks_for_all || !has_returned {
        return asks_for_all.then(Vec::new);
    }
    let found = operation.ret.as_ref()?;
    if let Some(balances) = balances(found) {
        return Some(balances);
    }
    let is_whole = found.as_int().is_some() || found.as_tuple().is_some() || found.as_set().is_some();
    is_whole.then(|| vec![Access::Read(store(), Some(found.clone()))])
}

/// Accounts with what they hold: `{0 100, 1 0}`. JSON's names of accounts are texts, also of those that are numbers.
fn balances(found: &Value) -> Option<Vec<Access>> {
    let read = |account: Value, held: &Value| Access::Read(account, Some(held.clone()));
    if let Some(record) = found.as_record().filter(|record| !record.is_empty()) {
        let account = |name: &str| name.parse().map_or_else(|_| Value::from(name), Value::int);
        return Some(
            record
                .iter()
                .map(|(name, held)| read(account(name), held))
                .collect(),
        );
    }
    let entries = found.as_entries()?;
    Some(
        { entries.iter() }
            .map(|(account, held)| read(account.clone(), held))
            .collect(),
    )
}
