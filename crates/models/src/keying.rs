//! Jepsen's independent keys: histories of many objects in which every value is a pair `[key value]`.
//!
//! A pair can also be the argument of a compare-and-set, or an ordinary value. So the values of a history count as keyed
//! only if all operations have a pair whose first part is returned unchanged, every operation decodes without its key, and
//! some operation does not decode with it. If only the last condition fails, the user has to decide.

use std::sync::Arc;

use omnilink_trace::{Args, Operation};
use omnilink_value::{Value, ValueKind};

use crate::entry::{ModelEntry, is_similar};

/// The argument with the value of an invocation.
const VALUE: &str = "value";

/// How the values of a history are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keying {
    /// As plain values: they cannot be pairs of a key and a value.
    Plain,
    /// As plain values, although all of them are pairs.
    PlainPairs,
    /// As pairs of a key and a value.
    Keyed,
    /// Both readings are possible.
    Unclear,
}

/// Detects from the operations of a history whether its values are keyed.
#[derive(Clone, Debug)]
pub struct KeyDetector {
    entry: &'static ModelEntry,
    /// Whether every value so far is a pair.
    are_pairs: bool,
    is_empty: bool,
    /// Whether some operation does not decode without its key.
    is_plain: bool,
    /// Whether some operation does not decode with its key.
    is_keyed: bool,
}

impl KeyDetector {
    /// A detector for the model with this entry.
    pub fn new(entry: &'static ModelEntry) -> Self {
        Self {
            entry,
            are_pairs: true,
            is_empty: true,
            is_plain: false,
            is_keyed: false,
        }
    }

    /// Takes one operation into account. `decodes` is whether the model decodes it. Returns whether later operations may
    /// change the result.
    pub fn observe(&mut self, operation: &Operation, decodes: impl Fn(&Operation) -> bool) -> bool {
        self.is_empty = false;
        let Some((_, inner)) = split(operation, self.entry) else {
            self.are_pairs = false;
            return false;
        };
        let (whole, part) = (decodes(operation), decodes(&inner));
        self.is_plain |= whole && !part;
        self.is_keyed |= part && (!whole || self.is_called_with_key(operation));
        true
    }

    /// Whether an operation without arguments is called with a key: `read [7 nil]`.
    fn is_called_with_key(&self, operation: &Operation) -> bool {
        let takes_none = self
            .entry
            .op(&operation.name)
            .is_some_and(|op| op.arguments.is_empty());
        let value = operation.args.field(VALUE).and_then(Value::as_tuple);
        takes_none && matches!(value, Some([_, second]) if second.is_null())
    }

    /// The result.
    pub fn keying(&self) -> Keying {
        match (self.are_pairs && !self.is_empty, self.is_plain, self.is_keyed) {
            (false, _, _) => Keying::Plain,
            (true, true, false) => Keying::PlainPairs,
            (true, false, true) => Keying::Keyed,
            (true, _, _) => Keying::Unclear,
        }
    }
}

/// Whether the operations of a model have a key argument, so that a pair is that key and a value.
fn has_key_argument(entry: &ModelEntry) -> bool {
    entry
        .ops
        .iter()
        .all(|op| op.arguments.starts_with("key") || op.arguments.starts_with("lo"))
}

/// Whether keyed histories are split by key. Models with a key argument take all keys at once.
pub fn splits_by_key(entry: &ModelEntry) -> bool {
    !has_key_argument(entry)
}

/// The key that an argument of an operation names, and the operation without that argument; `None` if it has none.
pub fn split_by_field(operation: &Operation, name: &str) -> Option<(Value, Operation)> {
    let Args::Named(record) = &operation.args else {
        return None;
    };
    let is_it = |field: &str| is_similar(field, name);
    let fields = record.as_record()?;
    let key = { fields.iter() }
        .find(|(field, value)| is_it(field) && !value.is_null())?
        .1
        .clone();
    let others = { fields.iter() }.filter(|(field, _)| !is_it(field));
    let others: Vec<(&str, Value)> = others.map(|(field, value)| (field, value.clone())).collect();
    let mut inner = operation.clone();
    Arc::make_mut(&mut inner.call).args = Args::named(others);
    Some((key, inner))
}

/// The key of an operation whose value is a pair, and the operation without the key; for a model with a key argument, the
/// operation with that argument. `None` if the value is no pair of a key and a value.
pub fn split(operation: &Operation, entry: &ModelEntry) -> Option<(Value, Operation)> {
    let Args::Named(record) = &operation.args else {
        return None;
    };
    let [key, value] = record.field(VALUE)?.as_tuple()? else {
        return None;
    };
    if !matches!(key.kind(), ValueKind::Int | ValueKind::Str | ValueKind::Bool) {
        return None;
    }
    let ret = match &operation.ret {
        None => None,
        // Nothing was returned, not even the key.
        Some(ret) if ret.is_null() => Some(ret.clone()),
        Some(ret) => match ret.as_tuple() {
            Some([again, ret]) if again == key => Some(ret.clone()),
            _ => return None,
        },
    };
    let is_key = |name: &str| is_similar(name, "key");
    let fields = record.as_record()?;
    let others = fields
        .iter()
        .filter(|(name, _)| *name != VALUE && !is_key(name))
        .map(|(name, value)| (name, value.clone()));
    let named = (has_key_argument(entry)).then(|| ("key", key.clone()));
    let passed = [(VALUE, value.clone())];
    let mut inner = operation.clone();
    let call = Arc::make_mut(&mut inner.call);
    call.args = Args::named(others.chain(named).chain(passed));
    call.ret = ret;
    Some((key.clone(), inner))
}
