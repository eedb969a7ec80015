//! Transactions: what each read from others and what it left behind.

use std::collections::BTreeMap;

use omnilink_trace::{Operation, Place, Timebox};
use omnilink_value::Value;
use thiserror::Error;

use super::verdict::Anomaly;
use crate::op_set::OpSet;
use crate::recorded::{KnownOrder, Recorded};

/// Transactions that cannot be understood or searched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransactionError {
    /// Not a read or a write.
    #[error(
        "{place}: operation {label}: \"{name}\" is no operation of a transaction; there are read (get), write (put, set), delete (remove), commit and abort"
    )]
    UnknownOp {
        /// Where.
        place: Place,
        /// The operation.
        label: String,
        /// Its name.
        name: String,
    },
    /// An argument is missing.
    #[error("{place}: operation {label}: {name} has no {missing}")]
    Missing {
        /// Where.
        place: Place,
        /// The operation.
        label: String,
        /// Its name.
        name: String,
        /// What is missing.
        missing: &'static str,
    },
    /// Too many to be searched.
    #[error(
        "there are {count} transactions whose order the history does not determine; at most {} can be searched: split the history by key or by time",
        OpSet::CAPACITY
    )]
    TooMany {
        /// How many there are.
        count: usize,
    },
}

/// Whether a transaction took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Committed,
    Aborted,
    /// It was cut off: it may have committed.
    Unknown,
}

/// A key or a value, interned. Value 0 is nil: what a key holds that was never written.
pub(crate) type Id = u32;

/// The value of keys that were never written.
pub(crate) const NIL: Id = 0;

/// One transaction.
#[derive(Clone, Debug)]
pub(crate) struct Transaction {
    pub label: String,
    pub session: u32,
    pub fate: Fate,
    /// Reads of keys that it had not written itself, in order.
    pub reads: Vec<(Id, Id)>,
    /// What it left in each key that it wrote.
    pub writes: Vec<(Id, Id)>,
    /// What it wrote and then wrote over.
    pub overwritten: Vec<(Id, Id)>,
    /// When it ran, if that is known.
    pub timebox: Option<Timebox>,
    /// A read that contradicts its own writes: the key, what was read, what had been written.
    pub broken: Option<(Id, Id, Id)>,
}

impl Transaction {
    pub fn written(&self, key: Id) -> Option<Id> {
        self.writes
            .iter()
            .find(|(written, _)| *written == key)
            .map(|(_, value)| *value)
    }
}

/// The transactions of a history, in the order in which they are given.
#[derive(Clone, Debug)]
pub struct Transactions {
    pub(crate) all: Vec<Transaction>,
    keys: Vec<Value>,
    values: Vec<Value>,
}

#[derive(Default)]
struct Interner {
    known: BTreeMap<Value, Id>,
    values: Vec<Value>,
}

impl Interner {
    fn id(&mut self, value: &Value) -> Id {
        let next = self.values.len() as Id;
        *self.known.entry(value.clone()).or_insert_with(|| {
            self.values.push(value.clone());
            next
        })
    }
}

enum Step {
    Read(Value, Option<Value>),
    Write(Value, Value),
    Commit,
    Abort,
}

impl Transactions {
    /// Groups operations by transaction. An operation that belongs to none is one of its own.
    ///
    /// # Errors
    /// If an operation is no read or write of a key.
    pub fn from_recorded(recorded: &Recorded) -> Result<Self, TransactionError> {
        let (mut keys, mut values) = (Interner::default(), Interner::default());
        values.id(&Value::null());
        let mut groups: BTreeMap<(Value, Value), usize> = BTreeMap::new();
        let mut sessions: BTreeMap<Value, u32> = BTreeMap::new();
        let mut all: Vec<Transaction> = Vec::new();
        for (position, operation) in recorded.ops.iter().enumerate() {
            let label = recorded.labels.get(position).cloned().unwrap_or_default();
            let step = step(operation, &label)?;
            let next_session = sessions.len() as u32;
            let session = *sessions.entry(operation.thread.clone()).or_insert(next_session);
            let next = all.len();
            let group = recorded.transactions.get(position).cloned().flatten();
            let index = match &group {
                Some(name) => *groups
                    .entry((operation.thread.clone(), name.clone()))
                    .or_insert(next),
                None => next,
            };
            if index == next {
                let name = group.as_ref().map_or_else(|| format!("#{label}"), name_of);
                all.push(Transaction {
                    label: name,
                    session,
                    fate: Fate::Committed,
                    reads: Vec::new(),
                    writes: Vec::new(),
                    overwritten: Vec::new(),
                    timebox: Some(operation.timebox),
                    broken: None,
                });
            }
            let Some(transaction) = all.get_mut(index) else {
                continue;
            };
            transaction.take(operation, step, &mut keys, &mut values);
        }
        let is_timed = matches!(recorded.order, KnownOrder::Timeboxes | KnownOrder::AsyncTimeboxes);
        if !is_timed {
            all.iter_mut().for_each(|transaction| transaction.timebox = None);
        }
        Ok(Self {
            all,
            keys: keys.values,
            values: values.values,
        })
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

    /// What must be committed before each transaction: its session's earlier ones, and what was over in real time.
    pub(super) fn session_order(&self, is_strict: bool) -> Vec<Vec<usize>> {
        let is_before = |a: usize, b: usize| {
            let (first, second) = (&self.all[a], &self.all[b]);
            let in_session = first.session == second.session && a < b && first.fate == Fate::Committed;
            let in_time = match (first.timebox, second.timebox) {
                (Some(first), Some(second)) => first.precedes(&second),
                _ => false,
            };
            in_session || is_strict && in_time
        };
        (0..self.all.len())
            .map(|b| (0..self.all.len()).filter(|a| is_before(*a, b)).collect())
            .collect()
    }
}

impl Transaction {
    fn take(&mut self, operation: &Operation, step: Step, keys: &mut Interner, values: &mut Interner) {
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
        match step {
            Step::Commit => {}
            Step::Abort => self.fate = Fate::Aborted,
            Step::Read(_, None) => {}
            Step::Read(key, Some(value)) => {
                let (key, value) = (keys.id(&key), values.id(&value));
                match self.written(key) {
                    None => self.reads.push((key, value)),
                    Some(own) if own != value => self.broken = self.broken.or(Some((key, value, own))),
                    Some(_) => {}
                }
            }
            Step::Write(key, value) => {
                let (key, value) = (keys.id(&key), values.id(&value));
                match self.writes.iter_mut().find(|(written, _)| *written == key) {
                    Some((_, last)) => {
                        if *last != value {
                            self.overwritten.push((key, *last));
                        }
                        *last = value;
                    }
                    None => self.writes.push((key, value)),
                }
            }
        }
    }
}

/// What a transaction is called: a number says little by itself.
fn name_of(id: &Value) -> String {
    let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    match text.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("T{text}"),
        false => text,
    }
}

/// What an operation of a trace does in its transaction.
fn step(operation: &Operation, label: &str) -> Result<Step, TransactionError> {
    let name = operation.name.as_str();
    let missing = |missing| TransactionError::Missing {
        place: operation.place.clone(),
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
            let named = || {
                operation
                    .args
                    .field("value")
                    .or_else(|| operation.args.field("result"))
            };
            let result = if operation.timebox.is_pending() || operation.aborted {
                None
            } else {
                Some(
                    operation
                        .ret
                        .as_ref()
                        .or_else(named)
                        .cloned()
                        .ok_or_else(|| missing("result"))?,
                )
            };
            Ok(Step::Read(key()?, result))
        }
        "write" | "put" | "set" | "insert" | "w" => {
            let value = operation
                .args
                .get("value", 1)
                .cloned()
                .ok_or_else(|| missing("value"))?;
            Ok(Step::Write(key()?, value))
        }
        "delete" | "remove" | "erase" => Ok(Step::Write(key()?, Value::null())),
        "commit" | "begin" => Ok(Step::Commit),
        "abort" | "rollback" => Ok(Step::Abort),
        _ => Err(TransactionError::UnknownOp {
            place: operation.place.clone(),
            label: label.to_owned(),
            name: name.to_owned(),
        }),
    }
}
