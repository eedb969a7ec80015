//! Interning of what the tries of one evaluator share.
//!
//! A trie has thousands of nodes, but these contain a handful of reads, some hundred values, and as few lists of successors. Interned,
//! nodes are smaller, and what they share stays in the processor's cache.

use std::borrow::Borrow;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use omnilink_value::{Value, ValueKind};
use rustc_hash::FxHashSet;

use super::MemoSuccessor;
use super::read::Read;

/// Tables of interned reads, values and successors.
#[derive(Debug, Default)]
pub(super) struct Interner {
    pub(super) reads: InternTable<Rc<Read>>,
    values: InternTable<Value>,
    pub(super) successors: InternTable<Arc<[MemoSuccessor]>>,
}

impl Interner {
    /// The interned value that equals this one.
    pub(super) fn value(&mut self, value: &Value) -> Value {
        match is_inline(value) {
            true => value.clone(),
            false => self.values.intern(value, || value.clone()),
        }
    }

    /// Empties the tables. Tries keep what they have, but later entries share nothing with it.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Whether a value has no heap memory to share.
fn is_inline(value: &Value) -> bool {
    match value.kind() {
        ValueKind::Bool | ValueKind::Int => true,
        ValueKind::Str | ValueKind::Model => value.heap_bytes() == 0,
        ValueKind::Set | ValueKind::Tuple | ValueKind::Record | ValueKind::Function => false,
    }
}

/// A set of distinct interned objects.
#[derive(Debug)]
pub(super) struct InternTable<T> {
    interned: FxHashSet<T>,
}

impl<T> Default for InternTable<T> {
    fn default() -> Self {
        Self {
            interned: FxHashSet::default(),
        }
    }
}

impl<T: Hash + Eq + Clone> InternTable<T> {
    /// The interned object that equals `key`; if there is none, `new` becomes it.
    pub(super) fn intern<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, new: impl FnOnce() -> T) -> T
    where
        T: Borrow<Q>,
    {
        if let Some(interned) = self.interned.get(key) {
            return interned.clone();
        }
        let new = new();
        self.interned.insert(new.clone());
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memo::read::Root;

    fn read(variable: u32, key: &str) -> Rc<Read> {
        Rc::new(Read::new(Root::Variable(variable), vec![Value::str(key)]))
    }

    /// The address of a tuple's parts.
    fn address(tuple: &Value) -> usize {
        tuple.as_tuple().map_or(0, |parts| parts.as_ptr() as usize)
    }

    #[test]
    fn equal_reads_are_interned_once() {
        let mut interner = Interner::default();
        let mut intern = |read: Rc<Read>| interner.reads.intern(&*read.clone(), || read);
        let first = intern(read(0, "a"));
        assert!(Rc::ptr_eq(&first, &intern(read(0, "a"))));
        let contains = |element: i64| Rc::new(Read::clone(&first).contains(element.into()));
        for other in [read(0, "b"), read(1, "a"), contains(1), contains(2)] {
            let interned = intern(other.clone());
            assert!(Rc::ptr_eq(&interned, &other), "{other:?}");
        }
    }

    #[test]
    fn equal_values_are_interned_once_until_the_tables_are_cleared() {
        let mut interner = Interner::default();
        let pair = |last: i64| Value::tuple([1.into(), last.into()]);
        let first = interner.value(&pair(2));
        assert_eq!(address(&first), address(&interner.value(&pair(2))));
        assert_eq!(interner.value(&pair(3)), pair(3));
        interner.clear();
        assert_ne!(address(&first), address(&interner.value(&pair(2))));
    }

    #[test]
    fn inline_values_are_not_interned() {
        let mut interner = Interner::default();
        for value in [
            Value::int(7),
            Value::bool(true),
            Value::str("short"),
            Value::model("m"),
        ] {
            assert_eq!(interner.value(&value), value);
        }
        assert!(interner.values.interned.is_empty());
        interner.value(&Value::str("a text that does not fit into the value itself"));
        assert_eq!(interner.values.interned.len(), 1);
    }
}
