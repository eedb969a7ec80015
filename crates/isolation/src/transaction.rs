//! Transactions: what each read from others and what it left behind.

use std::collections::BTreeSet;

use omnilink_evidence::Anomaly;
pub(crate) use omnilink_history::order_graph::Id;
use omnilink_trace::{Operation, Timebox};
use omnilink_value::Value;
use rustc_hash::FxHashSet;

use crate::read_anomaly::ReadAnomaly;
use crate::read_marks::ReadMarks;

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
    /// Elements in lists of transactions that aborted, each with the version that follows.
    pub(crate) overtaken: Vec<Succession>,
    /// Reads that no level explains, or none but read uncommitted.
    pub(crate) read_anomalies: Vec<ReadAnomaly>,
    /// What is said about single reads.
    pub(crate) marks: ReadMarks,
    /// What the history may mean, if that is not certain: this is one of them.
    pub(crate) readings: Option<Box<Readings>>,
    pub(crate) keys: Vec<Value>,
    pub(crate) values: Vec<Value>,
}

/// What a history may mean.
#[derive(Clone, Debug)]
pub(crate) struct Readings {
    pub all: Vec<Transactions>,
    /// Whether these are all.
    pub is_complete: bool,
    /// Whether something was left out of them.
    pub is_lossy: bool,
    /// The counters.
    pub keys: Vec<Value>,
}

/// Two adjacent versions of a key. Reads of whole lists determine such pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Succession {
    pub key: Id,
    /// The earlier value; [`NIL`] is the initial one.
    pub previous: Id,
    pub value: Id,
}

impl Transactions {
    /// The read of a transaction that contradicts its own writes.
    pub(crate) fn broken_read(&self, at: usize) -> Anomaly {
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

    pub(crate) fn key(&self, key: Id) -> String {
        self.keys
            .get(key as usize)
            .map(Value::to_string)
            .unwrap_or_default()
    }

    pub(crate) fn value(&self, value: Id) -> String {
        match self.values.get(value as usize) {
            Some(value) if !value.is_null() => value.to_string(),
            _ => "nil".to_owned(),
        }
    }

    /// A part of the history: some transactions, in their order, each with or without its reads. What is known about adjacent versions is
    /// left out.
    pub(crate) fn part(&self, kept: &BTreeSet<(usize, bool)>) -> Self {
        let transaction = |(one, keeps_reads): &(usize, bool)| {
            let mut transaction = self.all[*one].clone();
            if !keeps_reads {
                transaction.reads.clear();
                transaction.after_own.clear();
                transaction.broken = None;
            }
            transaction
        };
        let origin: Vec<usize> = kept.iter().map(|(one, _)| *one).collect();
        Self {
            all: kept.iter().map(transaction).collect(),
            successions: Vec::new(),
            overtaken: Vec::new(),
            read_anomalies: Vec::new(),
            marks: self.marks.part(&origin, Some),
            readings: None,
            keys: self.keys.clone(),
            values: Vec::new(),
        }
    }

    /// Whether no value is written twice to a key, so that a read tells its writer.
    pub(crate) fn has_unique_values(&self) -> bool {
        let mut known: FxHashSet<(Id, Id)> = FxHashSet::default();
        let kept = self.all.iter().filter(|one| one.fate != Fate::Aborted);
        kept.flat_map(|one| &one.writes)
            .all(|(key, value)| *value != NIL && known.insert((*key, *value)))
    }

    pub(crate) fn is_committed(&self, one: usize) -> bool {
        self.all[one].fate == Fate::Committed
    }

    pub(crate) fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// Whether an update of a key must be of the version that was read: it was read through a cursor. Where no read is said to be, all are.
    pub(crate) fn is_cursor_read(&self, reader: usize, key: Id) -> bool {
        let cursors = &self.marks.cursors;
        cursors.is_empty() || cursors.contains(&(reader, key))
    }

    /// The same without the keys that ranges did not show: what is left are reads of items.
    pub(crate) fn of_items(&self) -> Self {
        let mut items = self.clone();
        items.marks.absences.clear();
        for (one, transaction) in items.all.iter_mut().enumerate() {
            if transaction.fate != Fate::Aborted {
                transaction.keep_reads(|(key, _)| !self.marks.absences.contains(&(one, *key)));
            }
        }
        items
    }

    pub(crate) fn labels(&self, order: &[usize]) -> Vec<String> {
        order
            .iter()
            .filter_map(|at| self.all.get(*at))
            .map(|transaction| transaction.label.clone())
            .collect()
    }
}

impl Transaction {
    /// Keeps some of the reads.
    pub(crate) fn keep_reads(&mut self, is_kept: impl Fn(&(Id, Id)) -> bool) {
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
    pub(crate) fn extend_time(&mut self, operation: &Operation) {
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
