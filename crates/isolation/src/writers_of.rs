//! The transactions that wrote each value.

use rustc_hash::FxHashMap;

use crate::transaction::{Fate, Id, Transactions};

/// The transactions that may have written a value, or that write a key.
pub(crate) struct WritersOf {
    values: FxHashMap<(Id, Id), Vec<usize>>,
    keys: FxHashMap<Id, Vec<usize>>,
}

impl WritersOf {
    pub(crate) fn new(transactions: &Transactions) -> Self {
        let mut found = Self {
            values: FxHashMap::default(),
            keys: FxHashMap::default(),
        };
        for (one, transaction) in transactions.all.iter().enumerate() {
            if transaction.fate == Fate::Aborted {
                continue;
            }
            for (key, value) in &transaction.writes {
                found.values.entry((*key, *value)).or_default().push(one);
                found.keys.entry(*key).or_default().push(one);
            }
        }
        found
    }

    pub(crate) fn of(&self, key: Id, value: Id) -> &[usize] {
        self.values.get(&(key, value)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_key(&self, key: Id) -> &[usize] {
        self.keys.get(&key).map_or(&[], Vec::as_slice)
    }
}
