//! What the transactions did that an anomaly names, for evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use omnilink_evidence::{ReportedOperation, ReportedTransaction, ThreadName};
use omnilink_trace::Operation;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::access::Access;
use crate::accesses::accesses;
use crate::grouping::{TxnAction, action_of};
use crate::told_history::ToldHistory;
use crate::transaction::{Fate, Transactions};

/// How many transactions are told about, and how many operations of each.
const TRANSACTIONS_MAX: usize = 64;
const OPERATIONS_MAX: usize = 64;

impl Transactions {
    /// What some transactions did, in the order in which they are given.
    pub(crate) fn accounts(
        &self,
        told: &ToldHistory<'_>,
        named: &BTreeSet<usize>,
    ) -> Vec<ReportedTransaction> {
        let named: BTreeSet<usize> = named.iter().copied().take(TRANSACTIONS_MAX).collect();
        let Some(last) = named.last() else {
            return Vec::new();
        };
        let mut accounts: BTreeMap<usize, ReportedTransaction> = BTreeMap::new();
        // The numbers of transactions, counted as they are when operations are grouped.
        let mut numbers: FxHashMap<(Value, Value), usize> = FxHashMap::default();
        let mut next = 0;
        let mut position = 0;
        (told.each)(&mut |operation, group| {
            let number = match group {
                Some(name) => {
                    let name = (operation.thread.clone(), name.clone());
                    *numbers.entry(name).or_insert(next)
                }
                None => next,
            };
            next = next.max(number + 1);
            let at = position;
            position += 1;
            let (true, Some(transaction)) = (named.contains(&number), self.all.get(number)) else {
                // Operations of several transactions may be mixed.
                return if numbers.is_empty() && number > *last {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                };
            };
            let account = accounts.entry(number).or_insert_with(|| ReportedTransaction {
                name: transaction.label.clone(),
                aborted: transaction.fate == Fate::Aborted,
                left_out: 0,
                ops: Vec::new(),
            });
            if account.ops.len() < OPERATIONS_MAX {
                account.ops.push(shown(told.is_timed, at, operation))
            } else {
                account.left_out += 1
            }
            ControlFlow::Continue(())
        });
        accounts.into_values().collect()
    }
}

fn shown(is_timed: bool, position: usize, operation: &Operation) -> ReportedOperation {
    let thread = operation
        .thread
        .as_str()
        .map_or_else(|| operation.thread.to_string(), str::to_owned);
    ReportedOperation {
        id: position as u64,
        label: None,
        thread: ThreadName::Name(thread),
        text: text(operation),
        start: is_timed.then_some(operation.timebox.start),
        end: operation.timebox.end.filter(|_| is_timed),
        pending: operation.timebox.is_pending(),
        place: Some(operation.location.to_string()),
    }
}

/// An operation as its accesses: `read(5) = nil, append(7, 1)` where it is a whole transaction.
fn text(operation: &Operation) -> String {
    let accesses = match accesses(operation, "") {
        Ok(Some(accesses)) => accesses,
        _ => match action_of(operation, "") {
            Ok(TxnAction::Read(key, value)) => vec![Access::Read(key, value)],
            Ok(TxnAction::Write(key, value)) => vec![Access::Write(key, value)],
            _ => return operation.to_string(),
        },
    };
    let value = |value: &Value| {
        if value.is_null() {
            "nil".to_owned()
        } else {
            value.to_string()
        }
    };
    let texts = accesses.iter().map(|access| match access {
        Access::CursorRead(key, Some(found)) => format!("read({key}) = {} by a cursor", value(found)),
        Access::CursorRead(key, None) => format!("read({key}) by a cursor"),
        Access::Read(key, Some(found)) => format!("read({key}) = {}", value(found)),
        Access::Read(key, None) => format!("read({key})"),
        Access::Write(key, written) => format!("write({key}, {})", value(written)),
        Access::Append(key, element) => format!("append({key}, {element})"),
        Access::Add(key, element) => format!("add({key}, {element})"),
        Access::Increment(key, amount) => format!("increment({key}, {amount})"),
        Access::Transfer(moved) => format!("transfer({}, {}, {})", moved.from, moved.to, moved.amount),
        Access::Whole(Some(found)) => format!("read() = {}", value(found)),
        Access::Whole(None) => "read()".to_owned(),
        Access::Together(items) => {
            let shown = { items.iter() }
                .filter_map(|item| Some(format!("{}: {}", item.key, value(item.value.as_ref()?))));
            format!("read() = {{{}}}", shown.collect::<Vec<_>>().join(", "))
        }
        Access::Range(range) => {
            let asked = range.to_string();
            let Some(found) = &range.found else { return asked };
            let found = found.iter().map(|(key, held)| format!("{key}: {}", value(held)));
            format!("{asked} = {{{}}}", found.collect::<Vec<_>>().join(", "))
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}
