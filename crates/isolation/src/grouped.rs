//! Transactions from the operations of a history.

use omnilink_engine::{Limit, Limits};
use omnilink_history::{Budget, RecordedHistory};
use rustc_hash::FxHashSet;

use crate::access::Accesses;
use crate::grouping::Grouping;
use crate::initial_values::{self, FirstValues, InitialValues};
use crate::lists::ListOrder;
use crate::open_accesses::OpenAccesses;
use crate::read_anomaly::ReadAnomaly;
use crate::transaction::{Extent, Id, NIL, Readings, Transaction, Transactions};
use crate::transaction_error::TransactionError;

impl Transactions {
    /// Groups operations by transaction. An operation without a transaction is a transaction of its own.
    ///
    /// # Errors
    /// If an operation is no read or write of a key.
    pub fn from_recorded(recorded: &RecordedHistory) -> Result<Self, TransactionError> {
        let grouped = Self::within(
            recorded,
            Extent::Whole,
            &InitialValues::default(),
            &mut Budget::new(Limits::default()),
        )?;
        grouped.map_err(|limit| {
            TransactionError::Rejected(format!("no limit was given, and {limit:?} was reached"))
        })
    }

    /// The same, unless a limit is reached first.
    pub(crate) fn within(
        recorded: &RecordedHistory,
        extent: Extent,
        initial: &InitialValues,
        budget: &mut Budget,
    ) -> Result<Result<Self, Limit>, TransactionError> {
        let mut grouping = Grouping::new(initial.clone());
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
        let whole = accesses.name_whole_reads(&grouping);
        accesses.name_counters();
        let counters = accesses.counter_readings(&grouping)?;
        if let Some(counters) = &counters {
            grouping.start_empty(&counters.keys);
        }
        let settled = |mut grouping: Grouping, accesses: Accesses| {
            let mut lists = accesses.settle(&mut grouping, extent)?;
            lists.anomalies.extend(whole.iter().cloned());
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
    fn with_lists(mut grouping: Grouping, mut lists: ListOrder, extent: Extent, is_timed: bool) -> Self {
        let mut found = FirstValues::default();
        let is_whole = extent == Extent::Whole;
        // What is read first is known once everything was read.
        if is_whole || grouping.initial.is_given() {
            let listed = lists.list_keys.iter().copied().collect();
            found = initial_values::find(&mut grouping, &listed);
        }
        match extent {
            Extent::Whole => {}
            Extent::Window {
                settled,
                has_lost_deletes,
            } => {
                drop_open_reads(&mut grouping.all, &lists, settled, has_lost_deletes);
                // Which accounts and sets there are is not known yet.
                let is_firm = |anomaly: &ReadAnomaly| {
                    anomaly.kind.is_firm() || anomaly.named.iter().all(|one| *one < settled)
                };
                lists.anomalies.retain(is_firm);
            }
        }
        let mut all = grouping.all;
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
            cursors: lists.cursors,
            initial: found.initial,
            notes: found.notes,
            readings: None,
            keys,
            values,
        }
    }
}

/// Leaves out reads that others may explain: those of what none of these transactions wrote, and, unless they are settled, those of
/// values that may be written once more, or deleted. An element of a list is appended once, and is deleted by nobody.
fn drop_open_reads(all: &mut [Transaction], lists: &ListOrder, settled: usize, has_lost_deletes: bool) {
    let listed: FxHashSet<Id> = lists.list_keys.iter().copied().collect();
    let written: FxHashSet<(Id, Id)> = { all.iter() }
        .flat_map(|one| one.writes.iter().chain(&one.overwritten))
        .copied()
        .collect();
    for (one, transaction) in all.iter_mut().enumerate() {
        let is_kept = |_: usize, read: &(Id, Id)| {
            let is_firm = one < settled || listed.contains(&read.0);
            is_firm
                && match read.1 {
                    NIL => !has_lost_deletes || listed.contains(&read.0),
                    _ => written.contains(read),
                }
        };
        if !transaction.reads.iter().all(|read| is_kept(0, read)) {
            transaction.keep_reads(is_kept);
        }
    }
}
