//! Jepsen's independent keys: histories of many objects at once, in which every value is `[key value]`.
//!
//! A pair is also what a compare-and-set takes, and what somebody may keep in a register. Nothing is guessed: the values of a
//! history are taken for keyed ones only if all operations carry a pair whose first part comes back unchanged, every operation
//! makes sense without its key, and some operation makes none with it. Where only the last is missing, the user is asked.

use std::sync::Arc;

use omnilink_trace::{Args, Operation};
use omnilink_value::{Kind, Value};

use crate::catalogue::{Entry, is_alike};

/// Where importers put the value of an invocation.
const VALUE: &str = "value";

/// How the values of a history are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keying {
    /// As they are: they cannot be pairs of a key and a value.
    Plain,
    /// As they are, although all of them are pairs.
    PlainPairs,
    /// As pairs of a key and a value.
    Keyed,
    /// Both would do.
    Unclear,
}

/// What the operations of a history say about its values.
#[derive(Clone, Debug)]
pub struct KeyEvidence {
    entry: &'static Entry,
    /// Whether there was any operation, and every value was a pair.
    are_pairs: bool,
    is_empty: bool,
    /// Some operation makes no sense without its key.
    is_plain: bool,
    /// Some operation makes no sense with it.
    is_keyed: bool,
}

impl KeyEvidence {
    /// Nothing yet, for the model with this entry.
    pub fn new(entry: &'static Entry) -> Self {
        Self {
            entry,
            are_pairs: true,
            is_empty: true,
            is_plain: false,
            is_keyed: false,
        }
    }

    /// Takes note of an operation. `decodes` tells whether the model understands one. Says whether more may change the
    /// conclusion.
    pub fn observe(&mut self, operation: &Operation, decodes: impl Fn(&Operation) -> bool) -> bool {
        self.is_empty = false;
        let Some((_, inner)) = split(operation, self.entry) else {
            self.are_pairs = false;
            return false;
        };
        let (whole, part) = (decodes(operation), decodes(&inner));
        self.is_plain |= whole && !part;
        self.is_keyed |= part && (!whole || self.asks_with_a_key(operation));
        true
    }

    /// Whether an operation that takes no argument is called with one: `read [7 nil]`.
    fn asks_with_a_key(&self, operation: &Operation) -> bool {
        let takes_none = self
            .entry
            .op(&operation.name)
            .is_some_and(|op| op.arguments.is_empty());
        let value = operation.args.field(VALUE).and_then(Value::as_tuple);
        takes_none && matches!(value, Some([_, second]) if second.is_null())
    }

    /// What all of it comes to.
    pub fn conclusion(&self) -> Keying {
        match (self.are_pairs && !self.is_empty, self.is_plain, self.is_keyed) {
            (false, _, _) => Keying::Plain,
            (true, true, false) => Keying::PlainPairs,
            (true, false, true) => Keying::Keyed,
            (true, _, _) => Keying::Unclear,
        }
    }
}

/// Whether the operations of a model name a key themselves, so that a pair is its key and its value.
fn names_keys(entry: &Entry) -> bool {
    entry
        .ops
        .iter()
        .all(|op| op.arguments.starts_with("key") || op.arguments.starts_with("lo"))
}

/// Whether keyed histories are checked key by key, rather than by a model that keeps its keys apart itself.
pub fn splits_by_key(entry: &Entry) -> bool {
    !names_keys(entry)
}

/// The key of an operation whose value is a pair, and the operation as it is on the object of that key; for a model that names
/// keys itself, the operation with its key. `None` if the value is no pair of a key and a value.
pub fn split(operation: &Operation, entry: &Entry) -> Option<(Value, Operation)> {
    let Args::Named(record) = &operation.args else {
        return None;
    };
    let [key, value] = record.field(VALUE)?.as_tuple()? else {
        return None;
    };
    if !matches!(key.kind(), Kind::Int | Kind::Str | Kind::Bool) {
        return None;
    }
    let ret = match &operation.ret {
        None => None,
        Some(ret) if ret.is_null() => None,
        Some(ret) => match ret.as_tuple() {
            Some([again, ret]) if again == key => Some(ret.clone()),
            _ => return None,
        },
    };
    let is_key = |name: &str| is_alike(name, "key");
    let fields = record.as_record()?;
    let others = fields
        .iter()
        .filter(|(name, _)| *name != VALUE && !is_key(name))
        .map(|(name, value)| (name, value.clone()));
    let named = (names_keys(entry)).then(|| ("key", key.clone()));
    let passed = [(VALUE, value.clone())];
    let mut inner = operation.clone();
    let call = Arc::make_mut(&mut inner.call);
    call.args = Args::named(others.chain(named).chain(passed));
    call.ret = ret;
    Some((key.clone(), inner))
}
