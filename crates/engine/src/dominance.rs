//! Dominance: which of two configurations in the same state makes the other superfluous.

use hashbrown::HashTable;

use crate::mask::{Mask, mix};
use crate::state_ids::StateId;

/// The operations in which a dominating configuration may differ from the one it dominates.
#[derive(Clone, Debug)]
pub(crate) struct Dominance<K> {
    pure: K,
    optional: K,
    both: K,
}

impl<K: Mask> Dominance<K> {
    pub fn new(pure: K, optional: K) -> Self {
        let both = pure.or(&optional);
        Self { pure, optional, both }
    }

    /// Only equal configurations dominate each other.
    pub fn equality() -> Self {
        Self::new(K::default(), K::default())
    }

    #[inline]
    fn key_hash(&self, state: StateId, placed: &K) -> u64 {
        mix(u64::from(state) ^ placed.minus(&self.both).hash64())
    }

    /// Whether a configuration that placed `a` makes one that placed `b` superfluous, in the same state.
    ///
    /// **Read dominance.** Both placed the same other operations, and `a` contains more reads. Delete those reads from
    /// any completion of `b`: the result completes `a`. **Optional dominance.** `a` contains fewer optional operations.
    /// A completion of `b` places none of the operations in `b`, and nothing forces `a` to place an optional operation.
    /// So the completion of `b` also completes `a`. **Ties.** The order of threads allows `a` everything that it allows
    /// `b`: a predecessor that must happen is placed in both, or is a read and placed in `a`. But a placed read forbids
    /// the operations that its thread called before it. So where such an operation may still happen, the read is not
    /// in `pure`. ∎
    #[inline]
    fn dominates(&self, a: &K, b: &K) -> bool {
        a.minus(&self.both) == b.minus(&self.both)
            && b.and(&self.pure).is_subset(a)
            && a.and(&self.optional).is_subset(b)
    }

    /// A sort key: a configuration that dominates another one has a smaller key, or an equal one if both are equal.
    pub fn rank(&self, placed: &K) -> (u32, u32) {
        (
            u32::MAX - placed.and(&self.pure).count() as u32,
            placed.and(&self.optional).count() as u32,
        )
    }
}

/// The configurations visited so far, indexed by state and by the placed operations that dominance compares exactly.
#[derive(Debug)]
pub(crate) struct VisitedSet<K> {
    entries: Vec<(StateId, K)>,
    hashes: Vec<u64>,
    table: HashTable<u32>,
}

impl<K: Mask> VisitedSet<K> {
    /// Up to this size, a linear scan of the hashes is faster than a hash table.
    const SMALL: usize = 12;

    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            hashes: Vec::new(),
            table: HashTable::new(),
        }
    }

    pub fn clear(&mut self) {
        // After one hard return, a huge table would make every later clearing slow.
        if self.table.capacity() > 1024 && self.entries.len() < self.table.capacity() / 16 {
            self.table = HashTable::new();
        } else if self.entries.len() > Self::SMALL {
            self.table.clear();
        }
        self.entries.clear();
        self.hashes.clear();
    }

    /// Calls `found` with each entry that has this hash, until it returns `true`.
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

    /// Inserts a configuration unless the set contains one that dominates it. Returns whether it was inserted.
    #[inline]
    pub fn insert(&mut self, state: StateId, placed: &K, dominance: &Dominance<K>) -> bool {
        let hash = dominance.key_hash(state, placed);
        let is_dominated = self.any(hash, |entry| {
            let (other, other_placed) = &self.entries[entry];
            *other == state && dominance.dominates(other_placed, placed)
        });
        if !is_dominated {
            self.push(hash, state, placed);
        }
        !is_dominated
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

    /// Calls `each` with the index of every entry that `(state, placed)` dominates.
    #[inline]
    pub fn for_each_dominated(
        &self,
        state: StateId,
        placed: &K,
        dominance: &Dominance<K>,
        mut each: impl FnMut(usize),
    ) {
        self.any(dominance.key_hash(state, placed), |entry| {
            let (other, other_placed) = &self.entries[entry];
            if *other == state && dominance.dominates(placed, other_placed) {
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
