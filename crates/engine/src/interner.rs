//! Interning: equal values get equal ids.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A table that gives equal values equal ids.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    pub items: Vec<T>,
    hashes: Vec<u64>,
    index: HashTable<u32>,
}

impl<T: Eq + Hash> Interner<T> {
    pub fn new() -> Self {
        Self {
            items: Vec::new(),
            hashes: Vec::new(),
            index: HashTable::new(),
        }
    }

    /// Removes and returns all items. The tables keep their capacity, which will be needed again.
    pub fn take(&mut self) -> Vec<T> {
        let capacity = self.items.len();
        self.hashes.clear();
        self.index.clear();
        std::mem::replace(&mut self.items, Vec::with_capacity(capacity))
    }

    /// The id of `item`, and whether it is new.
    #[inline]
    pub fn intern(&mut self, item: T) -> (u32, bool) {
        let hash = FxBuildHasher.hash_one(&item);
        let (items, hashes) = (&mut self.items, &mut self.hashes);
        if let Some(found) = self.index.find(hash, |&id| items[id as usize] == item) {
            return (*found, false);
        }
        let id = items.len() as u32;
        items.push(item);
        hashes.push(hash);
        self.index.insert_unique(hash, id, |&id| hashes[id as usize]);
        (id, true)
    }

    pub fn heap_bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.hashes.capacity() * 8 + self.index.capacity() * 8
    }
}

/// A map from old ids to new ones, filled as the ids in use are replaced.
pub(crate) struct IdMap<T> {
    items: Vec<Option<T>>,
    map: Vec<u32>,
}

impl<T> IdMap<T> {
    pub fn new(items: Vec<T>) -> Self {
        Self {
            map: vec![u32::MAX; items.len()],
            items: items.into_iter().map(Some).collect(),
        }
    }

    /// Replaces an old id by its new one. The first time, `intern` gives the new id of the item.
    pub fn replace(&mut self, id: &mut u32, intern: impl FnOnce(T) -> u32) {
        let old = *id as usize;
        if let Some(item) = self.items[old].take() {
            self.map[old] = intern(item);
        }
        *id = self.map[old];
    }
}
