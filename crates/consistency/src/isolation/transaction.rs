//! Transactions: what each read from others and what it left behind.

use std::collections::BTreeSet;

use omnilink_engine::{Limit, Limits};
use omnilink_evidence::Anomaly;
use omnilink_trace::{Location, Operation, Timebox};
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::accesses::accesses;
use super::lists::Accesses;
use super::read_anomaly::ReadAnomaly;
use super::transaction_error::TransactionError;
use crate::budget::Budget;
pub(crate) use crate::order_graph::Id;
use crate::recorded_history::{OrderSource, RecordedHistory};

/// Whether a transaction committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Committed,
    Aborted,
    /// Its outcome is unknown: it may have committed.
    Unknown,
}

/// The value of keys that were never written: nil.
pub(crate) const NIL: Id = 0;

/// One transaction.
#[derive(Clone, Debug)]
pub(crate) struct Transaction {
    pub label: String,
    pub session: u32,
    pub fate: Fate,
    /// Reads of keys that it had not written itself, in order.
    pub reads: Vec<(Id, Id)>,
    /// Which of these are of lists to which it had appended itself. They show what others appended before, but are no reads for
    /// dependencies: the version order says it already.
    pub after_own: Vec<usize>,
    /// The last value that it wrote to each key, by key.
    pub writes: Vec<(Id, Id)>,
    /// Values that it wrote and then overwrote itself.
    pub overwritten: Vec<(Id, Id)>,
    /// When it ran, if that is known.
    pub timebox: Option<Timebox>,
    /// A read that contradicts its own writes: the key, what was read, what had been written.
    pub broken: Option<(Id, Id, Id)>,
}

impl Transaction {
    pub fn written(&self, key: Id) -> Option<Id> {
        let found = self.writes.binary_search_by_key(&key, |(written, _)| *written);
        found.ok().map(|at| self.writes[at].1)
    }
}

/// What a recording is of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// Some of its transactions: what was read may have been written by others.
    Window {
        /// Whether others deleted something, so that nothing may have been read from them.
        has_lost_deletes: bool,
    },
}

/// The transactions of a history, in the order in which they are given.
#[derive(Clone, Debug)]
pub struct Transactions {
    pub(crate) all: Vec<Transaction>,
    /// Adjacent versions, besides those that reads before writes determine.
    pub(crate) successions: Vec<Succession>,
    /// Reads that no level explains, or none but read uncommitted.
    pub(crate) read_anomalies: Vec<ReadAnomaly>,
    pub(super) keys: Vec<Value>,
    pub(super) values: Vec<Value>,
}

/// Two adjacent versions of a key. Reads of whole lists determine such pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Succession {
    pub key: Id,
    /// The earlier value; [`NIL`] is the initial one.
    pub previous: Id,
    pub value: Id,
}

#[derive(Default)]
pub(super) struct Interner {
    known: FxHashMap<Value, Id>,
    values: Vec<Value>,
}

impl Interner {
    pub(super) fn id(&mut self, value: &Value) -> Id {
        let next = self.values.len() as Id;
        *self.known.entry(value.clone()).or_insert_with(|| {
            self.values.push(value.clone());
            next
        })
    }
}

pub(super) enum TxnAction {
    Read(Value, Option<Value>),
    Write(Value, Value),
    Commit,
    Abort,
}

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
    pub(super) fn within(
        recorded: &RecordedHistory,
        extent: Extent,
        budget: &mut Budget,
    ) -> Result<Result<Self, Limit>, TransactionError> {
        let mut grouping = Grouping::default();
        grouping.values.id(&Value::null());
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
        let lists = std::mem::take(&mut grouping.accesses).settle(&mut grouping, extent)?;
        let mut all = grouping.all;
        if let Extent::Window { has_lost_deletes } = extent {
            drop_foreign_reads(&mut all, has_lost_deletes);
        }
        for transaction in &mut all {
            transaction.writes.sort_unstable();
            if !matches!(
                recorded.order,
                OrderSource::Timeboxes | OrderSource::AsyncTimeboxes
            ) {
                transaction.timebox = None;
            }
        }
        Ok(Ok(Self {
            all,
            successions: lists.successions,
            read_anomalies: lists.anomalies,
            keys: grouping.keys.values,
            values: grouping.values.values,
        }))
    }

    /// The read of a transaction that contradicts its own writes.
    pub(super) fn broken_read(&self, at: usize) -> Anomaly {
        let transaction = &self.all[at];
        let (key, read, written) = transaction.broken.unwrap_or_default();
        Anomaly::Read(format!(
            "{} wrote {} to {} and then read {} from it",
            transaction.label,
            self.value(written),
            self.key(key),
            self.value(read)
        ))
    }

    pub(super) fn key(&self, key: Id) -> String {
        self.keys
            .get(key as usize)
            .map(Value::to_string)
            .unwrap_or_default()
    }

    pub(super) fn value(&self, value: Id) -> String {
        match self.values.get(value as usize) {
            Some(value) if !value.is_null() => value.to_string(),
            _ => "nil".to_owned(),
        }
    }

    /// A part of the history: some transactions, in their order, each with or without its reads. What is known about adjacent versions is
    /// left out.
    pub(super) fn part(&self, kept: &BTreeSet<(usize, bool)>) -> Self {
        let transaction = |(one, keeps_reads): &(usize, bool)| {
            let mut transaction = self.all[*one].clone();
            if !keeps_reads {
                transaction.reads.clear();
                transaction.after_own.clear();
                transaction.broken = None;
            }
            transaction
        };
        Self {
            all: kept.iter().map(transaction).collect(),
            successions: Vec::new(),
            read_anomalies: Vec::new(),
            keys: self.keys.clone(),
            values: Vec::new(),
        }
    }

    /// Whether no value is written twice to a key, so that a read tells its writer.
    pub(super) fn has_unique_values(&self) -> bool {
        let mut known: FxHashSet<(Id, Id)> = FxHashSet::default();
        let kept = self.all.iter().filter(|one| one.fate != Fate::Aborted);
        kept.flat_map(|one| &one.writes)
            .all(|(key, value)| *value != NIL && known.insert((*key, *value)))
    }

    pub(super) fn is_committed(&self, one: usize) -> bool {
        self.all[one].fate == Fate::Committed
    }

    pub(super) fn key_count(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn labels(&self, order: &[usize]) -> Vec<String> {
        order
            .iter()
            .filter_map(|at| self.all.get(*at))
            .map(|transaction| transaction.label.clone())
            .collect()
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

/// Transactions while their operations are read.
#[derive(Default)]
pub(super) struct Grouping {
    all: Vec<Transaction>,
    /// Where each of them begins, for errors.
    places: Vec<Location>,
    pub(super) keys: Interner,
    pub(super) values: Interner,
    /// The accesses of transactions that are one operation each.
    accesses: Accesses,
    sessions: FxHashMap<Value, u32>,
    /// The transaction of each name in each session.
    named: FxHashMap<(u32, Value), usize>,
    /// The index of a transaction's write of a key among its writes.
    written_at: FxHashMap<(usize, Id), usize>,
}

impl Grouping {
    fn take(
        &mut self,
        operation: &Operation,
        label: &str,
        group: Option<&Value>,
    ) -> Result<(), TransactionError> {
        let accesses = accesses(operation, label)?;
        let action = match &accesses {
            Some(_) => TxnAction::Commit,
            None => action_of(operation, label)?,
        };
        let next_session = self.sessions.len() as u32;
        let session = match self.sessions.get(&operation.thread) {
            Some(session) => *session,
            None => *self
                .sessions
                .entry(operation.thread.clone())
                .or_insert(next_session),
        };
        let next = self.all.len();
        let index = match group {
            Some(name) => *self.named.entry((session, name.clone())).or_insert(next),
            None => next,
        };
        if index == next {
            self.places.push(operation.location.clone());
            self.all.push(Transaction {
                label: group.map_or_else(|| format!("#{label}"), name_of),
                session,
                fate: Fate::Committed,
                reads: Vec::new(),
                after_own: Vec::new(),
                writes: Vec::new(),
                overwritten: Vec::new(),
                timebox: Some(operation.timebox),
                broken: None,
            });
        }
        self.all[index].extend_time(operation);
        if let Some(accesses) = accesses {
            self.accesses.0.push((index, accesses));
        }
        match action {
            TxnAction::Commit | TxnAction::Read(_, None) => {}
            TxnAction::Abort => self.all[index].fate = Fate::Aborted,
            TxnAction::Read(key, Some(value)) => self.read(index, &key, &value),
            TxnAction::Write(key, value) => self.write(index, &key, &value),
        }
        Ok(())
    }

    pub(super) fn read(&mut self, index: usize, key: &Value, value: &Value) {
        let (key, value) = (self.keys.id(key), self.values.id(value));
        let transaction = &mut self.all[index];
        match self
            .written_at
            .get(&(index, key))
            .map(|at| transaction.writes[*at].1)
        {
            None => transaction.reads.push((key, value)),
            Some(own) if own != value => transaction.broken = transaction.broken.or(Some((key, value, own))),
            Some(_) => {}
        }
    }

    /// A read of a list by a transaction that had appended these elements to it.
    pub(super) fn read_list(&mut self, index: usize, key: &Value, elements: &[Value], own: &[&Value]) {
        let before = elements.len().saturating_sub(own.len());
        let (others, ending) = elements.split_at(before);
        let key = self.keys.id(key);
        let mut version = |list: &[Value]| {
            list.last()
                .map_or(NIL, |last| self.values.id(&super::lists::version(last)))
        };
        let (read, external) = (version(elements), version(others));
        let transaction = &mut self.all[index];
        if ending.iter().eq(own.iter().copied()) {
            if !own.is_empty() {
                transaction.after_own.push(transaction.reads.len());
            }
            transaction.reads.push((key, external));
        } else {
            let written = transaction.writes.iter().find(|(written, _)| *written == key);
            let written = written.map_or(NIL, |(_, value)| *value);
            transaction.broken = transaction.broken.or(Some((key, read, written)));
        }
    }

    pub(super) fn label(&self, index: usize) -> &str {
        &self.all[index].label
    }

    /// Where a transaction begins.
    pub(super) fn place(&self, index: usize) -> Location {
        self.places[index].clone()
    }

    pub(super) fn fate(&self, index: usize) -> Fate {
        self.all[index].fate
    }

    /// Marks a transaction as committed: one of its writes was read.
    pub(super) fn mark_observed(&mut self, index: usize) {
        if self.all[index].fate == Fate::Unknown {
            self.all[index].fate = Fate::Committed;
        }
    }

    pub(super) fn mixed(&self, index: usize, key: &Value, problem: &'static str) -> TransactionError {
        TransactionError::Mixed {
            place: self.place(index),
            label: self.label(index).to_owned(),
            key: key.clone(),
            problem,
        }
    }

    pub(super) fn write(&mut self, index: usize, key: &Value, value: &Value) {
        let (key, value) = (self.keys.id(key), self.values.id(value));
        let transaction = &mut self.all[index];
        let at = *self
            .written_at
            .entry((index, key))
            .or_insert(transaction.writes.len());
        match transaction.writes.get_mut(at) {
            Some((_, last)) => {
                let replaced = std::mem::replace(last, value);
                if replaced != value {
                    transaction.overwritten.push((key, replaced));
                }
            }
            None => transaction.writes.push((key, value)),
        }
    }
}

impl Transaction {
    /// Keeps some of the reads.
    pub(super) fn keep_reads(&mut self, is_kept: impl Fn(&(Id, Id)) -> bool) {
        let mut kept = Vec::with_capacity(self.reads.len());
        let mut after_own = Vec::new();
        for (position, read) in self.reads.iter().enumerate() {
            if is_kept(read) {
                if self.after_own.contains(&position) {
                    after_own.push(kept.len());
                }
                kept.push(*read);
            }
        }
        (self.reads, self.after_own) = (kept, after_own);
    }

    /// Extends the timebox by one more operation, which may abort the transaction or leave its outcome unknown.
    fn extend_time(&mut self, operation: &Operation) {
        if let Some(timebox) = &mut self.timebox {
            timebox.start = timebox.start.min(operation.timebox.start);
            timebox.end = match (timebox.end, operation.timebox.end) {
                (Some(a), Some(b)) => Some(a.max(b)),
                _ => None,
            };
        }
        match self.fate {
            Fate::Aborted => {}
            _ if operation.aborted => self.fate = Fate::Aborted,
            _ if operation.timebox.is_pending() => self.fate = Fate::Unknown,
            _ => {}
        }
    }
}

/// The name of a transaction in messages: a number gets a `T`.
fn name_of(id: &Value) -> String {
    let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    match text.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("T{text}"),
        false => text,
    }
}

/// What an operation of a trace does in its transaction.
pub(super) fn action_of(operation: &Operation, label: &str) -> Result<TxnAction, TransactionError> {
    let name = operation.name.as_str();
    let missing = |missing| TransactionError::Missing {
        place: operation.location.clone(),
        label: label.to_owned(),
        name: name.to_owned(),
        missing,
    };
    let key = || {
        operation
            .args
            .get("key", 0)
            .cloned()
            .ok_or_else(|| missing("key"))
    };
    match name.to_ascii_lowercase().as_str() {
        "read" | "get" | "r" => {
            // As for all models: a missing result is unknown, and a null under the name that a call has for it is not one yet.
            let placed = || operation.args.field("value").filter(|value| !value.is_null());
            let named = || operation.args.field("result").or_else(placed);
            let has_returned = !operation.timebox.is_pending() && !operation.aborted;
            let result = operation.ret.as_ref().or_else(named).filter(|_| has_returned);
            Ok(TxnAction::Read(key()?, result.cloned()))
        }
        "write" | "put" | "set" | "insert" | "w" => {
            let value = operation
                .args
                .get("value", 1)
                .cloned()
                .ok_or_else(|| missing("value"))?;
            Ok(TxnAction::Write(key()?, value))
        }
        "delete" | "remove" | "erase" => Ok(TxnAction::Write(key()?, Value::null())),
        "commit" | "begin" => Ok(TxnAction::Commit),
        "abort" | "rollback" => Ok(TxnAction::Abort),
        _ => Err(TransactionError::UnknownOp {
            place: operation.location.clone(),
            label: label.to_owned(),
            name: name.to_owned(),
        }),
    }
}
