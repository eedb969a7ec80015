//! Transactions from the operations of a history.

use omnilink_engine::{Limit, Limits};
use omnilink_history::{Budget, RecordedHistory};
use rustc_hash::FxHashSet;

use crate::access::Accesses;
use crate::grouping::Grouping;
use crate::lists::ListOrder;
use crate::open_accesses::OpenAccesses;
use crate::transaction::{Extent, Id, NIL, Readings, Transaction, Transactions};
use crate::transaction_error::TransactionError;

impl Transactions {
    /// Groups operations by transaction. An operation without a transaction is a transaction of its own.
    ///
    /// # Errors
    /// If an operation is no read or write of a key.
    pub fn from_recorded(recorded: &RecordedHistory) -> Result<Self, TransactionError> {
        let grouped = Self::within(recorded, Extent::Whole, &mut Budget::new(Limits::default()))?;
        grouped.map_err(|limit| {
            TransactionError::Rejected(format!("no limit was given, and {limit:?} was reached"))
        })
    }

    /// The same, unless a limit is reached first.
    pub(crate) fn within(
        recorded: &RecordedHistory,
        extent: Extent,
        budget: &mut Budget,
    ) -> Result<Result<Self, Limit>, TransactionError> {
        let mut grouping = Grouping::new();
        for (position, operation) in recorded.ops.iter().enumerate() {
            if budget.work() {
                break;
            }
            let label = recorded.labels.get(position).map_or("", String::as_str);
            let group = recorded.transactions.get(position).and_then(Option::as_ref);
            grouping.take(operation, label, group)?;
        }
        if let Some(limit) = budget.exhausted() {
            return Ok(Err(limit));
        }
        let is_timed = recorded.order.is_timed();
        Ok(Ok(Self::of_grouping(grouping, extent, is_timed)?))
    }

    /// The transactions of operations that are grouped.
    pub(crate) fn of_grouping(
        mut grouping: Grouping,
        extent: Extent,
        is_timed: bool,
    ) -> Result<Self, TransactionError> {
        let mut accesses = match std::mem::take(&mut grouping.accesses) {
            OpenAccesses::Registers(registers) => {
                grouping.settle(&registers);
                return Ok(Self::with_lists(grouping, ListOrder::default(), extent, is_timed));
            }
            OpenAccesses::Any(accesses) => accesses,
        };
        let counters = accesses.counter_readings(&grouping)?;
        let settled = |mut grouping: Grouping, accesses: Accesses| {
            let lists = accesses.settle(&mut grouping, extent)?;
            Ok(Self::with_lists(grouping, lists, extent, is_timed))
        };
        match counters {
            None => settled(grouping, accesses),
            Some(counters) => {
                Readings::settled(counters, extent, &|accesses| settled(grouping.clone(), accesses))
            }
        }
    }

    /// The transactions, whose accesses are assigned to them, with what lists show.
    fn with_lists(grouping: Grouping, lists: ListOrder, extent: Extent, is_timed: bool) -> Self {
        let mut all = grouping.all;
        if let Extent::Window { has_lost_deletes } = extent {
            drop_foreign_reads(&mut all, has_lost_deletes);
        }
        for transaction in &mut all {
            transaction.writes.sort_unstable();
            if !is_timed {
                transaction.timebox = None;
            }
        }
        let (mut keys, mut values) = (grouping.keys.values, grouping.values.values);
        keys.shrink_to_fit();
        values.shrink_to_fit();
        Self {
            all,
            successions: lists.successions,
            overtaken: lists.overtaken,
            read_anomalies: lists.anomalies,
            marks: lists.marks,
            readings: None,
            keys,
            values,
        }
    }
}

/// Leaves out the reads of what none of these transactions wrote.
fn drop_foreign_reads(all: &mut [Transaction], has_lost_deletes: bool) {
    let written: FxHashSet<(Id, Id)> = { all.iter() }
        .flat_map(|one| one.writes.iter().chain(&one.overwritten))
        .copied()
        .collect();
    let is_kept = |read: &(Id, Id)| match read.1 {
        NIL => !has_lost_deletes,
        _ => written.contains(read),
    };
    for transaction in all {
        if !transaction.reads.iter().all(is_kept) {
            transaction.keep_reads(is_kept);
        }
    }
}
