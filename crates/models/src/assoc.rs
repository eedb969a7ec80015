//! A small sorted map: the state of every model that keeps something per key.
//!
//! States are cloned for every operation that leaves them alone and hashed when they are interned, so both cost a word:
//! the entries are shared, and the hash is a sum over the entries that a change updates by one subtraction and one
//! addition. Changing an entry copies the slice. That is linear, and right for the sizes that matter: a model that
//! partitions by key holds one entry per partition, and a copy of a dozen entries is one short allocation.

use std::hash::{Hash, Hasher};
use std::iter::once;
use std::sync::Arc;

use omnilink_value::Value;

use crate::keys::{spread, word_of};

/// An immutable map from values to `V`, sorted by key.
///
/// Invariant: `sum` is the wrapping sum of [`entry_hash`] over the entries.
#[derive(Clone, Debug)]
pub struct Assoc<V> {
    entries: Arc<[(Value, V)]>,
    sum: u64,
}

impl<V: Clone + Hash> Assoc<V> {
    /// The map without entries.
    pub fn new() -> Self {
        Self {
            entries: Arc::from([]),
            sum: 0,
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What `key` maps to.
    pub fn get(&self, key: &Value) -> Option<&V> {
        self.find(key).ok().map(|at| &self.entries[at].1)
    }

    /// Whether `key` maps to something.
    pub fn contains(&self, key: &Value) -> bool {
        self.find(key).is_ok()
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Value, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// How many keys lie in `low..=high`.
    pub fn count_between(&self, low: &Value, high: &Value) -> usize {
        let below = self.entries.partition_point(|(key, _)| key < low);
        let through = self.entries.partition_point(|(key, _)| key <= high);
        through.saturating_sub(below)
    }

    /// The map with `key` mapped to `value`.
    pub fn with(&self, key: &Value, value: V) -> Self {
        let added = entry_hash(key, &value);
        let entry = once((key.clone(), value));
        match self.find(key) {
            Ok(at) => {
                let (before, rest) = self.entries.split_at(at);
                let removed = entry_hash(key, &rest[0].1);
                let entries = before
                    .iter()
                    .cloned()
                    .chain(entry)
                    .chain(rest[1..].iter().cloned())
                    .collect();
                Self {
                    entries,
                    sum: self.sum.wrapping_sub(removed).wrapping_add(added),
                }
            }
            Err(at) => {
                let (before, after) = self.entries.split_at(at);
                let entries = before
                    .iter()
                    .cloned()
                    .chain(entry)
                    .chain(after.iter().cloned())
                    .collect();
                Self {
                    entries,
                    sum: self.sum.wrapping_add(added),
                }
            }
        }
    }

    /// The map without `key`.
    pub fn without(&self, key: &Value) -> Self {
        match self.find(key) {
            Err(_) => self.clone(),
            Ok(at) => {
                let (before, rest) = self.entries.split_at(at);
                let removed = entry_hash(key, &rest[0].1);
                let entries = before.iter().cloned().chain(rest[1..].iter().cloned()).collect();
                Self {
                    entries,
                    sum: self.sum.wrapping_sub(removed),
                }
            }
        }
    }

    /// Roughly how many bytes the entries take on the heap.
    pub fn heap_bytes(&self) -> usize {
        2 * size_of::<usize>() + size_of_val(&*self.entries)
    }

    fn find(&self, key: &Value) -> Result<usize, usize> {
        self.entries.binary_search_by(|(known, _)| known.cmp(key))
    }
}

impl<V: Clone + Hash> Default for Assoc<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// A sum of hashes tells maps apart only if every entry's hash is well mixed: with a linear hash, swapping the values
/// of two keys would not change the sum.
fn entry_hash<V: Hash>(key: &Value, value: &V) -> u64 {
    spread(key.hash64().rotate_left(32) ^ spread(word_of(value)))
}

impl<V: Eq> PartialEq for Assoc<V> {
    fn eq(&self, other: &Self) -> bool {
        self.sum == other.sum && (Arc::ptr_eq(&self.entries, &other.entries) || self.entries == other.entries)
    }
}

impl<V: Eq> Eq for Assoc<V> {}

impl<V> Hash for Assoc<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.sum);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn behaves_like_a_sorted_map_and_equal_contents_are_equal_however_they_came_about() {
        let mut assoc = Assoc::new();
        let mut reference = BTreeMap::new();
        for turn in 0..2_000_u64 {
            let random = spread(turn);
            let key = Value::int((random % 7) as i64);
            if random.is_multiple_of(3) {
                assoc = assoc.without(&key);
                reference.remove(&key);
            } else {
                assoc = assoc.with(&key, random % 5);
                reference.insert(key, random % 5);
            }
            assert!(assoc.iter().eq(reference.iter()));
            let rebuilt = reference
                .iter()
                .rev()
                .fold(Assoc::new(), |built, (key, value)| built.with(key, *value));
            assert_eq!(rebuilt, assoc);
            assert_eq!(rebuilt.sum, assoc.sum);
            for low in 0..7 {
                for high in 0..7 {
                    let expected = (low..=high)
                        .filter(|key| reference.contains_key(&Value::int(*key)))
                        .count();
                    assert_eq!(assoc.count_between(&low.into(), &high.into()), expected);
                }
            }
        }
    }

    #[test]
    fn swapping_two_values_changes_the_hash() {
        let [one, two] = [Value::int(1), Value::int(2)];
        let straight = Assoc::new().with(&one, 3).with(&two, 4);
        let crossed = Assoc::new().with(&one, 4).with(&two, 3);
        assert_ne!(straight, crossed);
        assert_ne!(straight.sum, crossed.sum);
    }
}
