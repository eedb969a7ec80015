//! A persistent sorted map: the state of every model with keys.
//!
//! The engine clones and hashes states, so both must be cheap: clones share the entries, and the hash is a sum over the
//! entries that a change updates in constant time. A change copies one chunk of at most [`CHUNK_MAX`] entries and the list
//! of chunks. Most maps are one chunk, because keys are normally checked separately. But a set that is read as a whole may
//! have ten thousand elements, and a step must not copy all of them.

use std::hash::{Hash, Hasher};
use std::iter::once;
use std::sync::Arc;

use omnilink_value::Value;

use crate::keys::{hash_of, mix};

/// The maximal number of entries of a chunk. Copying a full chunk costs about as much as copying the list of chunks of a map
/// with a few thousand entries.
const CHUNK_MAX: usize = 64;

/// A part of the entries, sorted by key.
type Chunk<V> = Arc<[(Value, V)]>;

/// An immutable map from values to `V`, sorted by key.
///
/// Invariant: `sum` is the wrapping sum of `entry_hash` over the entries.
#[derive(Clone, Debug)]
pub struct PersistentMap<V> {
    chunks: Chunks<V>,
    sum: u64,
}

/// Invariants: chunks are in order of their keys; of several, none is empty.
#[derive(Clone, Debug)]
enum Chunks<V> {
    One(Chunk<V>),
    Several(Arc<[Chunk<V>]>),
}

impl<V> Chunks<V> {
    fn as_slice(&self) -> &[Chunk<V>] {
        match self {
            Self::One(chunk) => std::slice::from_ref(chunk),
            Self::Several(chunks) => chunks,
        }
    }

    /// These chunks with those in `range` replaced by `new` ones.
    fn replaced(&self, range: std::ops::Range<usize>, new: impl Iterator<Item = Chunk<V>>) -> Self {
        let old = self.as_slice();
        let (before, after) = (&old[..range.start], &old[range.end..]);
        let mut chunks: Vec<Chunk<V>> = Vec::with_capacity(old.len() + 1);
        chunks.extend(before.iter().cloned().chain(new).chain(after.iter().cloned()));
        match chunks.len() {
            0 => Self::One(Arc::from([])),
            1 => Self::One(chunks.remove(0)),
            _ => Self::Several(chunks.into()),
        }
    }
}

impl<V: Clone + Hash> PersistentMap<V> {
    /// The map without entries.
    pub fn new() -> Self {
        Self {
            chunks: Chunks::One(Arc::from([])),
            sum: 0,
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.chunks.as_slice().iter().map(|chunk| chunk.len()).sum()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of `key`.
    pub fn get(&self, key: &Value) -> Option<&V> {
        let chunk = &self.chunks.as_slice()[self.chunk_of(key)];
        find(chunk, key).ok().map(|at| &chunk[at].1)
    }

    /// Whether `key` has a value.
    pub fn contains(&self, key: &Value) -> bool {
        self.get(key).is_some()
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Value, &V)> {
        self.chunks
            .as_slice()
            .iter()
            .flat_map(|chunk| chunk.iter())
            .map(|(key, value)| (key, value))
    }

    /// The number of keys in `low..=high`.
    pub fn count_between(&self, low: &Value, high: &Value) -> usize {
        self.count_while(|key| key <= high)
            .saturating_sub(self.count_while(|key| key < low))
    }

    /// The number of keys that satisfy a condition which holds for a prefix of the keys.
    fn count_while(&self, holds: impl Fn(&Value) -> bool) -> usize {
        let mut count = 0;
        for chunk in self.chunks.as_slice() {
            match chunk.last() {
                Some((last, _)) if holds(last) => count += chunk.len(),
                _ => return count + chunk.partition_point(|(key, _)| holds(key)),
            }
        }
        count
    }

    /// The map with `key` mapped to `value`.
    pub fn with(&self, key: &Value, value: V) -> Self {
        let at = self.chunk_of(key);
        let chunk = &self.chunks.as_slice()[at];
        let mut sum = self.sum.wrapping_add(entry_hash(key, &value));
        let (place, replaced) = match find(chunk, key) {
            Ok(place) => {
                sum = sum.wrapping_sub(entry_hash(key, &chunk[place].1));
                (place, 1)
            }
            Err(place) => (place, 0),
        };
        let changed = spliced(chunk, place, replaced, Some((key.clone(), value)));
        if let (Chunks::One(_), ..=CHUNK_MAX) = (&self.chunks, changed.len()) {
            return Self {
                chunks: Chunks::One(changed),
                sum,
            };
        }
        let halves = if changed.len() > CHUNK_MAX {
            changed.len().div_ceil(2)
        } else {
            changed.len()
        };
        let chunks = self
            .chunks
            .replaced(at..at + 1, changed.chunks(halves.max(1)).map(Arc::from));
        Self { chunks, sum }
    }

    /// The map without `key`.
    pub fn without(&self, key: &Value) -> Self {
        let all = self.chunks.as_slice();
        let at = self.chunk_of(key);
        let chunk = &all[at];
        let Ok(place) = find(chunk, key) else {
            return self.clone();
        };
        let sum = self.sum.wrapping_sub(entry_hash(key, &chunk[place].1));
        let rest = spliced(chunk, place, 1, None);
        if let Chunks::One(_) = &self.chunks {
            return Self {
                chunks: Chunks::One(rest),
                sum,
            };
        }
        // Merge a small chunk with the next one. Otherwise removals would leave many small chunks.
        let next = all
            .get(at + 1)
            .filter(|next| chunk.len() + next.len() <= CHUNK_MAX / 2);
        let joined: Chunk<V> = match next {
            Some(next) => rest.iter().chain(next.iter()).cloned().collect(),
            None => rest,
        };
        let range = at..at + 1 + usize::from(next.is_some());
        let chunks = self
            .chunks
            .replaced(range, once(joined).filter(|joined| !joined.is_empty()));
        Self { chunks, sum }
    }

    /// The approximate heap size of this map alone, in bytes: one chunk and the list. Other maps share the other chunks.
    pub fn heap_bytes(&self) -> usize {
        let entries = match &self.chunks {
            Chunks::One(chunk) => chunk.len(),
            Chunks::Several(_) => CHUNK_MAX,
        };
        entries * size_of::<(Value, V)>() + size_of_val(self.chunks.as_slice()) + 4 * size_of::<usize>()
    }

    /// The chunk in which `key` belongs.
    fn chunk_of(&self, key: &Value) -> usize {
        let all = self.chunks.as_slice();
        let before = all.partition_point(|chunk| chunk.last().is_some_and(|(last, _)| last < key));
        before.min(all.len() - 1)
    }
}

fn find<V>(chunk: &[(Value, V)], key: &Value) -> Result<usize, usize> {
    chunk.binary_search_by(|(known, _)| known.cmp(key))
}

/// The chunk with `removed` entries from `place` on replaced by `inserted`, if any. Every change calls this, and copying slices
/// into a vector is faster than chaining iterators.
fn spliced<V: Clone>(
    chunk: &[(Value, V)],
    place: usize,
    removed: usize,
    inserted: Option<(Value, V)>,
) -> Chunk<V> {
    let mut entries = Vec::with_capacity(chunk.len() + 1 - removed);
    entries.extend_from_slice(&chunk[..place]);
    entries.extend(inserted);
    entries.extend_from_slice(&chunk[place + removed..]);
    entries.into()
}

impl<V: Clone + Hash> Default for PersistentMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The hash of an entry. It must be well mixed: with a linear hash, swapping the values of two keys would not change the
/// sum.
fn entry_hash<V: Hash>(key: &Value, value: &V) -> u64 {
    mix(key.hash64().rotate_left(32) ^ mix(hash_of(value)))
}

impl<V: Clone + Hash + Eq> PartialEq for PersistentMap<V> {
    fn eq(&self, other: &Self) -> bool {
        if self.sum != other.sum {
            return false;
        }
        // Maps with a common origin usually have the same chunk boundaries and share most chunks.
        let (mine, theirs) = (self.chunks.as_slice(), other.chunks.as_slice());
        let pairs = || mine.iter().zip(theirs);
        if mine.len() == theirs.len() && pairs().all(|(mine, theirs)| mine.len() == theirs.len()) {
            pairs().all(|(mine, theirs)| Arc::ptr_eq(mine, theirs) || mine == theirs)
        } else {
            self.iter().eq(other.iter())
        }
    }
}

impl<V: Clone + Hash + Eq> Eq for PersistentMap<V> {}

impl<V> Hash for PersistentMap<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.sum);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Random changes to `keys` keys, of which about a third are removals in the first half and two thirds afterwards.
    fn compare_with_a_reference(keys: u64, turns: u64) {
        let mut assoc = PersistentMap::new();
        let mut reference = BTreeMap::new();
        for turn in 0..turns {
            let random = mix(turn ^ keys << 32);
            let key = Value::int((random % keys) as i64);
            if random >> 32 & 3 < 1 + 2 * (turn / (turns / 2)) {
                assoc = assoc.without(&key);
                reference.remove(&key);
            } else {
                assoc = assoc.with(&key, random % 5);
                reference.insert(key.clone(), random % 5);
            }
            assert_eq!(assoc.get(&key), reference.get(&key));
            assert_eq!(assoc.len(), reference.len());
            if turn % (keys / 4 + 1) == 0 {
                assert!(assoc.iter().eq(reference.iter()));
                assert!(assoc.iter().rev().eq(reference.iter().rev()));
                let rebuilt = reference
                    .iter()
                    .rev()
                    .fold(PersistentMap::new(), |built, (key, value)| {
                        built.with(key, *value)
                    });
                assert_eq!(rebuilt, assoc);
                assert_eq!(rebuilt.sum, assoc.sum);
                let low = Value::int((random >> 8 & 255) as i64 * keys as i64 / 256);
                for high in [-1, 0, keys as i64 / 3, keys as i64] {
                    let high = Value::int(high);
                    let expected = reference
                        .keys()
                        .filter(|key| (&low..=&high).contains(key))
                        .count();
                    assert_eq!(assoc.count_between(&low, &high), expected);
                }
            }
        }
    }

    #[test]
    fn behaves_like_a_sorted_map_and_equal_contents_are_equal_however_they_came_about() {
        compare_with_a_reference(7, 2_000);
        compare_with_a_reference(150, 5_000);
        compare_with_a_reference(2_000, 20_000);
    }

    #[test]
    fn chunks_stay_small_and_do_not_multiply() {
        let numbers = || (0..5_000).map(Value::int);
        let mut assoc = numbers().fold(PersistentMap::new(), |assoc, key| assoc.with(&key, ()));
        assert!(
            assoc
                .chunks
                .as_slice()
                .iter()
                .all(|chunk| chunk.len() <= CHUNK_MAX)
        );
        for key in numbers().filter(|key| key.as_int() != Some(77)) {
            assoc = assoc.without(&key);
        }
        assert_eq!(assoc.chunks.as_slice().len(), 1);
        assert_eq!(assoc, PersistentMap::new().with(&Value::int(77), ()));
    }

    #[test]
    fn swapping_two_values_changes_the_hash() {
        let [one, two] = [Value::int(1), Value::int(2)];
        let straight = PersistentMap::new().with(&one, 3).with(&two, 4);
        let crossed = PersistentMap::new().with(&one, 4).with(&two, 3);
        assert_ne!(straight, crossed);
        assert_ne!(straight.sum, crossed.sum);
    }
}
