//! Transactions while their operations are read.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use omnilink_trace::{Location, Operation, Time};
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::accesses::accesses;
use crate::initial_values::InitialValues;
use crate::interner::Interner;
use crate::open_accesses::{NOT_READ, OpenAccesses, RegisterAccesses};
use crate::transaction::{Fate, Id, NIL, ReadPositions, Transaction};
use crate::transaction_error::TransactionError;

/// What a single operation does in its transaction.
pub(crate) enum TxnAction {
    Read(Value, Option<Value>),
    Write(Value, Value),
    Commit,
    Abort,
}

/// Transactions while their operations are read.
#[derive(Clone, Default)]
pub(crate) struct Grouping {
    pub(crate) all: Vec<Transaction>,
    /// Where each of them begins, for errors.
    places: Vec<Location>,
    pub(crate) keys: Interner,
    pub(crate) values: Interner,
    /// The accesses of transactions that are one operation each, until the kinds of the keys are known.
    pub(crate) accesses: OpenAccesses,
    /// Keys that hold nothing at first, although nobody writes them.
    pub(crate) starts_empty: FxHashSet<Id>,
    /// What the others hold at first.
    pub(crate) initial: InitialValues,
    sessions: FxHashMap<Value, u32>,
    /// The transaction of each name in each session.
    named: FxHashMap<(u32, Value), usize>,
    /// The index of a transaction's write of a key among its writes, where these are many.
    written_at: FxHashMap<(usize, Id), usize>,
}

/// Up to this many writes, one is looked for among them.
const FEW_WRITES: usize = 32;

impl Grouping {
    pub(crate) fn new(initial: InitialValues) -> Self {
        let mut grouping = Self {
            initial,
            ..Self::default()
        };
        grouping.values.id(&Value::null());
        grouping
    }

    /// Takes the next operation.
    pub(crate) fn take(
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
                positions: None,
                writes: Vec::new(),
                overwritten: Vec::new(),
                timebox: Some(operation.timebox),
                broken: None,
            });
        }
        self.all[index].extend_time(operation);
        if let Some(accesses) = accesses {
            self.accesses
                .add(index, accesses, &mut self.keys, &mut self.values);
        }
        match action {
            TxnAction::Commit | TxnAction::Read(_, None) => {}
            TxnAction::Abort => self.all[index].fate = Fate::Aborted,
            TxnAction::Read(key, Some(value)) => self.read(index, &key, &value),
            TxnAction::Write(key, value) => self.write(index, &key, &value),
        }
        Ok(())
    }

    pub(crate) fn read(&mut self, index: usize, key: &Value, value: &Value) {
        let (key, value) = (self.keys.id(key), self.values.id(value));
        self.read_id(index, key, value);
    }

    /// A read, with the numbers of the key and the value.
    pub(crate) fn read_id(&mut self, index: usize, key: Id, value: Id) {
        let written = self.write_of(index, key);
        let transaction = &mut self.all[index];
        match written.map(|at| transaction.writes[at].1) {
            None => transaction.reads.push((key, value)),
            Some(own) if own != value => transaction.broken = transaction.broken.or(Some((key, value, own))),
            Some(_) => {}
        }
    }

    /// A read of a list by a transaction that had appended these elements to it.
    pub(crate) fn read_list(&mut self, index: usize, key: &Value, elements: &[Value], own: &[&Value]) {
        let before = elements.len().saturating_sub(own.len());
        let (others, ending) = elements.split_at(before);
        let key = self.keys.id(key);
        let mut version_of = |list: &[Value]| list.last().map_or(NIL, |last| self.values.id(&version(last)));
        let (read, external) = (version_of(elements), version_of(others));
        let transaction = &mut self.all[index];
        if ending.iter().eq(own.iter().copied()) {
            if !own.is_empty() {
                let position = transaction.reads.len();
                let positions = transaction.positions.get_or_insert_default();
                positions.after_own.push(position);
            }
            transaction.reads.push((key, external));
        } else {
            let written = transaction.writes.iter().find(|(written, _)| *written == key);
            let written = written.map_or(NIL, |(_, value)| *value);
            transaction.broken = transaction.broken.or(Some((key, read, written)));
        }
    }

    pub(crate) fn read_count(&self, index: usize) -> usize {
        self.all[index].reads.len()
    }

    /// What is known about single reads of a transaction.
    pub(crate) fn positions(&mut self, index: usize) -> &mut ReadPositions {
        self.all[index].positions.get_or_insert_default()
    }

    /// Says that some keys hold nothing at first, whatever is read of them.
    pub(crate) fn start_empty<'k>(&mut self, keys: impl IntoIterator<Item = &'k Value>) {
        let keys = keys.into_iter().map(|key| self.keys.id(key));
        self.starts_empty.extend(keys);
    }

    pub(crate) fn label(&self, index: usize) -> &str {
        &self.all[index].label
    }

    /// Where a transaction begins.
    pub(crate) fn place(&self, index: usize) -> Location {
        self.places[index].clone()
    }

    /// Pairs of transactions and keys, by the numbers of the keys.
    pub(crate) fn numbered(&mut self, marked: &BTreeSet<(usize, Value)>) -> FxHashSet<(usize, Id)> {
        { marked.iter() }
            .map(|(one, key)| (*one, self.keys.id(key)))
            .collect()
    }

    /// When a transaction began and ended, or else where it stands.
    pub(crate) fn span(&self, index: usize) -> (Time, Time) {
        match self.all[index].timebox {
            Some(timebox) => (timebox.start, timebox.end.unwrap_or(Time::MAX)),
            None => (index as Time, index as Time),
        }
    }

    pub(crate) fn fate(&self, index: usize) -> Fate {
        self.all[index].fate
    }

    /// Marks a transaction as committed: one of its writes was read.
    pub(crate) fn mark_observed(&mut self, index: usize) {
        if self.all[index].fate == Fate::Unknown {
            self.all[index].fate = Fate::Committed;
        }
    }

    pub(crate) fn mixed(&self, index: usize, key: &Value, problem: &'static str) -> TransactionError {
        TransactionError::Mixed {
            place: self.place(index),
            label: self.label(index).to_owned(),
            key: key.clone(),
            problem,
        }
    }

    pub(crate) fn write(&mut self, index: usize, key: &Value, value: &Value) {
        let (key, value) = (self.keys.id(key), self.values.id(value));
        self.write_id(index, key, value);
    }

    /// A write, with the numbers of the key and the value.
    pub(crate) fn write_id(&mut self, index: usize, key: Id, value: Id) {
        let written = self.write_of(index, key);
        let transaction = &mut self.all[index];
        match written.and_then(|at| transaction.writes.get_mut(at)) {
            Some((_, last)) => {
                let replaced = std::mem::replace(last, value);
                if replaced != value {
                    transaction.overwritten.push((key, replaced));
                }
            }
            None => {
                let next = transaction.writes.len();
                transaction.writes.push((key, value));
                match next.cmp(&FEW_WRITES) {
                    Ordering::Less => {}
                    Ordering::Equal => {
                        let all = transaction.writes.iter().enumerate();
                        let all = all.map(|(at, (key, _))| ((index, *key), at));
                        self.written_at.extend(all);
                    }
                    Ordering::Greater => {
                        self.written_at.insert((index, key), next);
                    }
                }
            }
        }
    }

    /// Assigns the accesses of registers to their transactions.
    pub(crate) fn settle(&mut self, registers: &RegisterAccesses) {
        for (one, own) in registers.each() {
            for access in own {
                match (access.is_write, access.value) {
                    (true, value) => self.write_id(one, access.key, value),
                    (false, NOT_READ) => {}
                    (false, value) => self.read_id(one, access.key, value),
                }
            }
        }
    }

    /// The index of a transaction's write of a key among its writes.
    fn write_of(&self, index: usize, key: Id) -> Option<usize> {
        let writes = &self.all[index].writes;
        if writes.len() <= FEW_WRITES {
            writes.iter().position(|(written, _)| *written == key)
        } else {
            self.written_at.get(&(index, key)).copied()
        }
    }
}

/// The value that represents a list that ends with `last`.
pub(crate) fn version(last: &Value) -> Value {
    Value::model(&format!("[… {last}]"))
}

/// The name of a transaction in messages: a number gets a `T`.
fn name_of(id: &Value) -> String {
    let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        format!("T{text}")
    } else {
        text
    }
}

/// What an operation of a trace does in its transaction.
pub(crate) fn action_of(operation: &Operation, label: &str) -> Result<TxnAction, TransactionError> {
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
