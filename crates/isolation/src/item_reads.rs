//! Sets and ranges as single keys: what a read of many things says about each of them.
//!
//! An element of a set is a key of its own, which holds the element once it is added. So a read of a set is a read of all elements that anybody ever
//! adds: of those that it shows, and of those that it does not, which it read before they were added. In the same way a read of a range reads
//! all keys in it that anybody writes; those that it does not show held nothing. So a phantom is an anti-dependency like any other.

use std::collections::BTreeSet;

use omnilink_value::{Value, ValueKind};
use rustc_hash::FxHashMap;

use crate::access::{Access, Accesses, RangeRead};

impl Accesses {
    /// Replaces sets and ranges by their elements and keys, and reads through cursors by reads.
    pub(crate) fn by_item(&mut self) -> MarkedReads {
        let mut marked = MarkedReads::default();
        for (one, accesses) in &mut self.0 {
            for access in accesses {
                if let Access::CursorRead(key, value) = access {
                    marked.cursors.insert((*one, key.clone()));
                    *access = Access::Read(key.clone(), value.take());
                }
            }
        }
        let each = || self.0.iter().flat_map(|(_, accesses)| accesses);
        let mut elements: FxHashMap<Value, BTreeSet<Value>> = FxHashMap::default();
        let mut has_ranges = false;
        for access in each() {
            match access {
                Access::Add(key, element) => {
                    elements.entry(key.clone()).or_default().insert(element.clone());
                }
                Access::Range(..) => has_ranges = true,
                _ => {}
            }
        }
        if elements.is_empty() && !has_ranges {
            return marked;
        }
        let keys: BTreeSet<Value> = if has_ranges {
            each()
                .filter(|access| matches!(access, Access::Write(..) | Access::Append(..)))
                .map(|access| access.key().clone())
                .collect()
        } else {
            BTreeSet::new()
        };
        for (one, accesses) in &mut self.0 {
            let mut items = Vec::with_capacity(accesses.len());
            for access in std::mem::take(accesses) {
                match access {
                    Access::Add(key, element) => items.push(Access::Write(item(&key, &element), element)),
                    Access::Read(key, Some(shown)) if elements.contains_key(&key) && !shown.is_null() => {
                        items.extend(element_reads(&key, &shown, &elements[&key]));
                    }
                    Access::Read(key, _) if elements.contains_key(&key) => {}
                    Access::Range(range) => {
                        let RangeRead { from, to, found } = *range;
                        let Some(found) = found else { continue };
                        let absent = absent_keys(&from, &to, &found, &keys);
                        marked
                            .absences
                            .extend(absent.iter().map(|key| (*one, key.clone())));
                        items.extend(
                            found
                                .into_iter()
                                .map(|(key, value)| Access::Read(key, Some(value))),
                        );
                        items.extend(
                            absent
                                .into_iter()
                                .map(|key| Access::Read(key, Some(Value::null()))),
                        );
                    }
                    access => items.push(access),
                }
            }
            *accesses = items;
        }
        marked
    }
}

/// Reads of which a file says more than their value, by transaction and key.
#[derive(Default)]
pub(crate) struct MarkedReads {
    pub cursors: BTreeSet<(usize, Value)>,
    pub absences: BTreeSet<(usize, Value)>,
}

/// The key of an element of a set.
fn item(key: &Value, element: &Value) -> Value {
    Value::tuple([key.clone(), element.clone()])
}

/// A read of a set: an array, or what JSON and EDN make of a set.
fn element_reads(key: &Value, shown: &Value, known: &BTreeSet<Value>) -> Vec<Access> {
    let shown: BTreeSet<Value> = match (shown.as_tuple(), shown.as_set()) {
        (Some(elements), _) => elements.iter().cloned().collect(),
        (None, Some(elements)) => elements.iter().cloned().collect(),
        // Something that is no set: the value that nobody wrote is what is wrong.
        (None, None) => BTreeSet::from([shown.clone()]),
    };
    let read = |element: &Value| {
        let held = if shown.contains(element) {
            element.clone()
        } else {
            Value::null()
        };
        Access::Read(item(key, element), Some(held))
    };
    known.union(&shown).map(read).collect()
}

/// The keys of a range that it did not show. Bounds are of the kind of the keys that they are about; null is no bound.
fn absent_keys(from: &Value, to: &Value, found: &[(Value, Value)], keys: &BTreeSet<Value>) -> Vec<Value> {
    let kind: Option<ValueKind> = [from, to]
        .into_iter()
        .find(|bound| !bound.is_null())
        .map(Value::kind);
    let is_inside = |key: &Value| {
        kind.is_none_or(|kind| key.kind() == kind)
            && (from.is_null() || from <= key)
            && (to.is_null() || key <= to)
    };
    let is_shown = |key: &Value| found.iter().any(|(shown, _)| shown == key);
    let absent = keys.iter().filter(|key| is_inside(key) && !is_shown(key));
    absent.cloned().collect()
}
