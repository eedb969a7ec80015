//! What the trees of one evaluator have in common: each thing once.
//!
//! A tree has thousands of nodes. They look at a handful of places, mostly see some hundred values there, and lead to as few lists
//! of next states: `Merge(a, b)` knows what comes of every pair of vectors, and all that can come of it is one vector more. Nodes that
//! share these are smaller, and what they share is in the cache when they are not: a look that costs a tenth of a microsecond is one
//! at memory that has not been used for long.

use std::borrow::Borrow;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use omnilink_value::{Kind, Value};
use rustc_hash::FxHashSet;

use super::Successor;
use super::place::Place;

/// What trees have in common.
#[derive(Debug, Default)]
pub(super) struct Common {
    pub(super) places: Once<Rc<Place>>,
    values: Once<Value>,
    pub(super) steps: Once<Arc<[Successor]>>,
}

impl Common {
    /// The value that is equal to this one, and this one itself if there is none.
    pub(super) fn value(&mut self, value: &Value, own: impl FnOnce() -> Value) -> Value {
        match is_inline(value) {
            true => value.clone(),
            false => self.values.shared(value, own),
        }
    }

    /// Forgets everything. The trees keep what they have; what is added to them shares nothing with that.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Whether a value has no memory that could be shared.
fn is_inline(value: &Value) -> bool {
    match value.kind() {
        Kind::Bool | Kind::Int => true,
        Kind::Str | Kind::Model => value.heap_bytes() == 0,
        Kind::Set | Kind::Tuple | Kind::Record | Kind::Function => false,
    }
}

/// Things of a kind, no two of them equal.
#[derive(Debug)]
pub(super) struct Once<T> {
    known: FxHashSet<T>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self {
            known: FxHashSet::default(),
        }
    }
}

impl<T: Hash + Eq + Clone> Once<T> {
    /// The one that is equal to this one; where there is none, one's own from now on.
    pub(super) fn shared<Q: Hash + Eq + ?Sized>(&mut self, like: &Q, own: impl FnOnce() -> T) -> T
    where
        T: Borrow<Q>,
    {
        if let Some(known) = self.known.get(like) {
            return known.clone();
        }
        let own = own();
        self.known.insert(own.clone());
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::place::Root;

    fn at(variable: u32, key: &str) -> Rc<Place> {
        Rc::new(Place::new(Root::Variable(variable), vec![Value::str(key)]))
    }

    /// Where the parts of a tuple are.
    fn address(tuple: &Value) -> usize {
        tuple.as_tuple().map_or(0, |parts| parts.as_ptr() as usize)
    }

    #[test]
    fn equal_places_are_one_and_others_are_not() {
        let mut common = Common::default();
        let mut shared = |place: Rc<Place>| common.places.shared(&*place.clone(), || place);
        let first = shared(at(0, "a"));
        assert!(Rc::ptr_eq(&first, &shared(at(0, "a"))));
        let listed = |element: i64| Rc::new(Place::clone(&first).lists(element.into()));
        for other in [at(0, "b"), at(1, "a"), listed(1), listed(2)] {
            let kept = shared(other.clone());
            assert!(Rc::ptr_eq(&kept, &other), "{other:?}");
        }
    }

    #[test]
    fn equal_values_are_one_until_all_are_forgotten() {
        let mut common = Common::default();
        let pair = |last: i64| Value::tuple([1.into(), last.into()]);
        let first = common.value(&pair(2), || pair(2));
        assert_eq!(address(&first), address(&common.value(&pair(2), || pair(2))));
        let other = common.value(&pair(3), || pair(3));
        assert_eq!(other, pair(3));
        common.forget();
        assert_ne!(address(&first), address(&common.value(&pair(2), || pair(2))));
    }

    #[test]
    fn a_value_without_memory_of_its_own_is_not_looked_for() {
        let mut common = Common::default();
        for value in [
            Value::int(7),
            Value::bool(true),
            Value::str("short"),
            Value::model("m"),
        ] {
            assert_eq!(common.value(&value, || Value::str("asked")), value);
        }
        let long = Value::str("a text that does not fit into the value itself");
        assert_eq!(common.value(&long, || Value::str("asked")), Value::str("asked"));
    }
}
