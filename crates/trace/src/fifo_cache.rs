//! A cache of bounded size.

use hashbrown::HashTable;

/// A hash table of up to 8192 entries. When it is full, a new entry replaces the oldest, so that a trace without
/// repetition takes no more memory than any other.
#[derive(Clone, Debug)]
pub struct FifoCache<T> {
    /// The entries with their hashes.
    entries: Vec<(u64, T)>,
    /// Indices of the entries, by hash.
    indices: HashTable<u32>,
    /// The entry that is replaced next once the cache is full.
    oldest: usize,
}

const CAPACITY: usize = 1 << 13;

impl<T> Default for FifoCache<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            indices: HashTable::new(),
            oldest: 0,
        }
    }
}

impl<T> FifoCache<T> {
    /// The entry with this hash for which `is_match` holds.
    #[inline]
    pub fn get(&self, hash: u64, mut is_match: impl FnMut(&T) -> bool) -> Option<&T> {
        let hash = spread(hash);
        let index = self.indices.find(hash, |index| {
            let entry = self.entries.get(*index as usize);
            entry.is_some_and(|(known, entry)| *known == hash && is_match(entry))
        })?;
        self.entries.get(*index as usize).map(|(_, entry)| entry)
    }

    /// Adds an entry that is not in the cache.
    pub fn insert(&mut self, hash: u64, entry: T) {
        let hash = spread(hash);
        let mut index = self.entries.len();
        if index < CAPACITY {
            self.entries.push((hash, entry));
        } else {
            index = self.oldest;
            self.oldest = (index + 1) % CAPACITY;
            let (replaced, _) = std::mem::replace(&mut self.entries[index], (hash, entry));
            if let Ok(entry) = self
                .indices
                .find_entry(replaced, |known| *known as usize == index)
            {
                entry.remove();
            }
        }
        let entries = &self.entries;
        self.indices
            .insert_unique(hash, index as u32, |index| entries[*index as usize].0);
    }
}

/// Mixes the bits of a hash: the table uses its first and last bits, which are constant in addresses.
#[inline]
fn spread(hash: u64) -> u64 {
    let product = u128::from(hash) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(cache: &FifoCache<u64>, n: u64) -> bool {
        cache.get(n * 16, |entry| *entry == n).is_some()
    }

    #[test]
    fn a_full_cache_keeps_the_newest_entries() {
        let mut cache = FifoCache::default();
        assert!(!contains(&cache, 0));
        for n in 0..3 * CAPACITY as u64 {
            cache.insert(n * 16, n);
            assert!(contains(&cache, n) && cache.get(n * 16, |_| false).is_none());
            let first = (n + 1).saturating_sub(CAPACITY as u64);
            assert!(contains(&cache, first) && (first == 0 || !contains(&cache, first - 1)));
        }
        assert_eq!((cache.entries.len(), cache.indices.len()), (CAPACITY, CAPACITY));
    }

    #[test]
    fn entries_with_one_hash_are_distinct() {
        let mut cache = FifoCache::default();
        (0..3u64).for_each(|n| cache.insert(7, n));
        for n in 0..3 {
            assert_eq!(cache.get(7, |entry| *entry == n), Some(&n));
        }
        assert!(cache.get(8, |_| true).is_none());
    }
}
