//! A partial explanation: which open operations are placed, and the state that results.

use hashbrown::HashTable;

use crate::mask::{Mask, mix};
use crate::path::PathId;
use crate::space::StateId;

/// One way to explain the trace so far.
#[derive(Clone, Debug)]
pub(crate) struct Config<K> {
    pub state: StateId,
    /// Which of the open operations have taken effect already.
    pub placed: K,
    /// How it came about.
    pub path: PathId,
}

/// Which operations dominance looks past.
#[derive(Clone, Debug)]
pub(crate) struct Lens<K> {
    pure: K,
    optional: K,
    both: K,
}

impl<K: Mask> Lens<K> {
    /// With empty sets, only equal configurations dominate each other.
    pub fn new(pure: K, optional: K) -> Self {
        let both = pure.or(&optional);
        Self { pure, optional, both }
    }

    #[inline]
    fn key_hash(&self, state: StateId, placed: &K) -> u64 {
        mix(u64::from(state) ^ placed.minus(&self.both).hash64())
    }

    /// Whether a configuration with `a` placed makes one with `b` placed superfluous, in the same state.
    ///
    /// **Read dominance.** Where both placed the same other operations and `a` placed more reads: delete those reads
    /// from any completion of `b`, and it completes `a`. **Optional dominance.** Where `a` used fewer optional
    /// operations: a completion of `b` never places what `b` has placed already, and `a` need not place what it did not
    /// use, so the same completion serves. **Ties.** The order of threads allows `a` what it allows `b`: what must come
    /// first is placed in both, or is a read and placed in `a`. But a read that is placed forbids what its thread called before
    /// it; so where that may still happen, the read is not in `pure`. ∎
    #[inline]
    fn dominates(&self, a: &K, b: &K) -> bool {
        a.minus(&self.both) == b.minus(&self.both)
            && b.and(&self.pure).is_subset(a)
            && a.and(&self.optional).is_subset(b)
    }

    /// Sorts first whatever could dominate the other.
    pub fn rank(&self, placed: &K) -> (usize, usize) {
        (
            usize::MAX - placed.and(&self.pure).count(),
            placed.and(&self.optional).count(),
        )
    }
}

/// Configurations met so far, searched by state and by what dominance does not look past.
#[derive(Debug)]
pub(crate) struct Seen<K> {
    entries: Vec<(StateId, K)>,
    hashes: Vec<u64>,
    table: HashTable<u32>,
}

impl<K: Mask> Seen<K> {
    /// Up to here comparing hashes one by one is faster than a table.
    const SMALL: usize = 12;

    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            hashes: Vec::new(),
            table: HashTable::new(),
        }
    }

    pub fn clear(&mut self) {
        // A huge table left behind by one hard return would make every later clearing slow.
        if self.table.capacity() > 1024 && self.entries.len() < self.table.capacity() / 16 {
            self.table = HashTable::new();
        } else if self.entries.len() > Self::SMALL {
            self.table.clear();
        }
        self.entries.clear();
        self.hashes.clear();
    }

    /// Calls `found` with each entry that has the same state and key, until it returns `true`.
    #[inline]
    fn any(&self, hash: u64, mut found: impl FnMut(usize) -> bool) -> bool {
        if self.entries.len() <= Self::SMALL {
            (0..self.hashes.len()).any(|entry| self.hashes[entry] == hash && found(entry))
        } else {
            self.table
                .iter_hash(hash)
                .any(|&entry| self.hashes[entry as usize] == hash && found(entry as usize))
        }
    }

    /// Adds a configuration unless one that dominates it is there already.
    #[inline]
    pub fn admit(&mut self, state: StateId, placed: &K, lens: &Lens<K>) -> bool {
        let hash = lens.key_hash(state, placed);
        let known = self.any(hash, |entry| {
            let (other, other_placed) = &self.entries[entry];
            *other == state && lens.dominates(other_placed, placed)
        });
        if !known {
            self.push(hash, state, placed);
        }
        !known
    }

    fn push(&mut self, hash: u64, state: StateId, placed: &K) {
        let entry = self.entries.len();
        self.entries.push((state, placed.clone()));
        self.hashes.push(hash);
        let hashes = &self.hashes;
        if entry == Self::SMALL {
            for (entry, hash) in hashes.iter().enumerate() {
                self.table
                    .insert_unique(*hash, entry as u32, |&entry| hashes[entry as usize]);
            }
        } else if entry > Self::SMALL {
            self.table
                .insert_unique(hash, entry as u32, |&entry| hashes[entry as usize]);
        }
    }

    /// The entries that `(state, placed)` dominates.
    #[inline]
    pub fn dominated(&self, state: StateId, placed: &K, lens: &Lens<K>, mut each: impl FnMut(usize)) {
        self.any(lens.key_hash(state, placed), |entry| {
            let (other, other_placed) = &self.entries[entry];
            if *other == state && lens.dominates(placed, other_placed) {
                each(entry);
            }
            false
        });
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(StateId, K)>()
            + self.hashes.capacity() * 8
            + self.table.capacity() * 5
    }
}
