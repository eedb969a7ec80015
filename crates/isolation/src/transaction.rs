//! Transactions: what each read from others and what it left behind.

use std::collections::BTreeSet;
use std::ops::Range;

use omnilink_evidence::Anomaly;
pub(crate) use omnilink_history::order_graph::Id;
use omnilink_trace::{Operation, Timebox};
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::read_anomaly::ReadAnomaly;

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
    /// What more is known about some of these. Most transactions have nothing of it, and there may be millions.
    pub positions: Option<Box<ReadPositions>>,
    /// The last value that it wrote to each key, by key.
    pub writes: Vec<(Id, Id)>,
    /// Values that it wrote and then overwrote itself.
    pub overwritten: Vec<(Id, Id)>,
    /// When it ran, if that is known.
    pub timebox: Option<Timebox>,
    /// A read that contradicts its own writes: the key, what was read, what had been written.
    pub broken: Option<(Id, Id, Id)>,
}

/// What is known about single reads of a transaction beyond keys and values, by their positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadPositions {
    /// Reads of lists to which the transaction had appended itself. They show what others appended before, but are no reads for
    /// dependencies: the version order says it already.
    pub after_own: Vec<usize>,
    /// Keys that a range did not show.
    pub absent: Vec<usize>,
    /// Reads of one moment: of the elements of a set, of the keys of a range, of the accounts of a bank.
    pub together: Vec<Range<usize>>,
}

impl Transaction {
    pub fn is_after_own(&self, position: usize) -> bool {
        let positions = self.positions.as_ref();
        positions.is_some_and(|positions| positions.after_own.contains(&position))
    }

    /// Whether a read is of a key that a range did not show. It depends on who deleted the key, but is no read of an item: what is written
    /// later is a phantom.
    pub fn is_absent(&self, position: usize) -> bool {
        let positions = self.positions.as_ref();
        positions.is_some_and(|positions| positions.absent.binary_search(&position).is_ok())
    }

    /// The last position of the moment of a read: what is read up to there is not later.
    pub fn moment(&self, position: usize) -> usize {
        let Some(positions) = &self.positions else {
            return position;
        };
        let at = { &positions.together }.partition_point(|together| together.end <= position);
        match positions.together.get(at) {
            Some(together) if together.start <= position => together.end - 1,
            _ => position,
        }
    }

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
        /// The reads of this many transactions count even if somebody else could write the same value, or nothing, some day.
        settled: usize,
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
    /// Keys that were read through a cursor, with the reader; `None` if the history does not say which.
    pub(crate) cursors: Option<FxHashSet<(usize, Id)>>,
    /// Keys that hold something at first. Their [`NIL`] is that value, and what stands for it is nothing.
    pub(crate) initial: FxHashMap<Id, Id>,
    /// What was assumed about the history.
    pub(crate) notes: Vec<String>,
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
            self.value(key, written),
            self.key(key),
            self.value(key, read)
        ))
    }

    pub(crate) fn key(&self, key: Id) -> String {
        self.keys
            .get(key as usize)
            .map(Value::to_string)
            .unwrap_or_default()
    }

    /// A value that a key holds.
    pub(crate) fn value(&self, key: Id, value: Id) -> String {
        let held = match self.initial.get(&key) {
            Some(initial) if value == NIL => *initial,
            Some(initial) if value == *initial => NIL,
            _ => value,
        };
        match self.values.get(held as usize) {
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
                transaction.positions = None;
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
            cursors: self.cursors_of(&origin, Some),
            initial: FxHashMap::default(),
            notes: Vec::new(),
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
        { self.cursors.as_ref() }.is_none_or(|cursors| cursors.contains(&(reader, key)))
    }

    /// The reads through cursors of a part, whose transactions are these, with other numbers of keys.
    pub(crate) fn cursors_of(
        &self,
        origin: &[usize],
        key: impl Fn(Id) -> Option<Id>,
    ) -> Option<FxHashSet<(usize, Id)>> {
        let cursors = self.cursors.as_ref()?.iter();
        let kept = cursors.filter_map(|(one, read)| Some((origin.binary_search(one).ok()?, key(*read)?)));
        Some(kept.collect())
    }

    /// Whether ranges were read that did not show a key.
    pub(crate) fn has_absences(&self) -> bool {
        let positions = self.all.iter().filter_map(|one| one.positions.as_ref());
        { positions }.any(|positions| !positions.absent.is_empty())
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
    /// Keeps some of the reads, given their positions.
    pub(crate) fn keep_reads(&mut self, is_kept: impl Fn(usize, &(Id, Id)) -> bool) {
        let mut kept = Vec::with_capacity(self.reads.len());
        // For each position, how many reads before it are kept.
        let mut moved = Vec::with_capacity(self.reads.len() + 1);
        for (position, read) in self.reads.iter().enumerate() {
            moved.push(kept.len());
            if is_kept(position, read) {
                kept.push(*read);
            }
        }
        moved.push(kept.len());
        self.reads = kept;
        if let Some(positions) = &mut self.positions {
            let is_left = |position: &usize| moved[*position] < moved[*position + 1];
            for marked in [&mut positions.after_own, &mut positions.absent] {
                marked.retain(is_left);
                marked
                    .iter_mut()
                    .for_each(|position| *position = moved[*position]);
            }
            for together in &mut positions.together {
                *together = moved[together.start]..moved[together.end];
            }
            positions.together.retain(|together| together.len() > 1);
        }
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
