//! Keys or values by number.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use omnilink_history::order_graph::Id;
use omnilink_value::Value;
use rustc_hash::FxBuildHasher;

/// Keys or values by number.
#[derive(Clone, Default)]
pub(crate) struct Interner {
    /// The numbers, by the hashes of what they stand for.
    known: HashTable<Id>,
    pub(crate) values: Vec<Value>,
}

impl Interner {
    pub(crate) fn id(&mut self, value: &Value) -> Id {
        let hash = |value: &Value| FxBuildHasher.hash_one(value);
        let values = &mut self.values;
        let entry = self.known.entry(
            hash(value),
            |known| values[*known as usize] == *value,
            |known| hash(&values[*known as usize]),
        );
        match entry {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let next = values.len() as Id;
                place.insert(next);
                values.push(value.clone());
                next
            }
        }
    }
}
