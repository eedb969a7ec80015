//! Footprints: the keys of the state that an operation reads and writes.

use smallvec::SmallVec;

/// A set of keys. A key is a 64-bit name that the model gives to a part of its state: a small integer names itself, other
/// values are hashed. A hash collision costs speed and never a wrong verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// These keys.
    Only(SmallVec<[u64; 2]>),
    /// Every key.
    All,
}

impl Keys {
    /// No key at all.
    pub fn none() -> Self {
        Self::Only(SmallVec::new())
    }

    /// One key.
    pub fn one(key: u64) -> Self {
        Self::Only(SmallVec::from_slice(&[key]))
    }

    /// The keys of both sets.
    fn union(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(mut keys), Self::Only(others)) => {
                for key in others {
                    if !keys.contains(key) {
                        keys.push(*key);
                    }
                }
                Self::Only(keys)
            }
            _ => Self::All,
        }
    }

    /// The set as bits, key modulo 64. Sets that share a key share a bit.
    pub(crate) fn mask(&self) -> u64 {
        match self {
            Self::Only(keys) => keys.iter().fold(0, |mask, key| mask | 1 << (key % 64)),
            Self::All => !0,
        }
    }
}

/// Which keys an operation may read and write. See [`Model::footprint`](crate::Model::footprint) for the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// The keys that the outcome depends on, what it leaves in the written keys included.
    pub reads: Keys,
    /// The keys that may change.
    pub writes: Keys,
}

impl Footprint {
    /// An operation that reads `reads`, updates `updates` and overwrites `overwrites`.
    ///
    /// It *overwrites* a key if what it leaves there, wherever it happens, depends on nothing but the operation and `reads`. Anything
    /// else is an *update*: it leaves a part of what was there, or all of it in some states. So an update reads its key. One that overwrites
    /// [`Keys::All`] overwrites some keys, and leaves the others as they are.
    pub fn new(reads: Keys, updates: &Keys, overwrites: Keys) -> Self {
        Self {
            reads: reads.union(updates),
            writes: overwrites.union(updates),
        }
    }

    /// The key, if the operation touches exactly one.
    pub(crate) fn only_key(&self) -> Option<u64> {
        let (Keys::Only(reads), Keys::Only(writes)) = (&self.reads, &self.writes) else {
            return None;
        };
        let mut keys = reads.iter().chain(writes);
        let first = *keys.next()?;
        keys.all(|key| *key == first).then_some(first)
    }

    /// Whether the operation reads no key.
    pub(crate) fn is_blind(&self) -> bool {
        matches!(&self.reads, Keys::Only(reads) if reads.is_empty())
    }

    /// An operation that may read and write all of the state.
    pub fn everything() -> Self {
        Self {
            reads: Keys::All,
            writes: Keys::All,
        }
    }

    /// Whether the operation may read or write all of the state.
    pub(crate) fn is_everything(&self) -> bool {
        matches!(self.reads, Keys::All) || matches!(self.writes, Keys::All)
    }

    /// An operation that reads `keys` and changes nothing.
    pub fn reads(keys: Keys) -> Self {
        Self {
            reads: keys,
            writes: Keys::none(),
        }
    }

    /// An operation that reads and may change `keys`.
    pub fn updates(keys: Keys) -> Self {
        Self {
            reads: keys.clone(),
            writes: keys,
        }
    }

    /// An operation that leaves the same content in `keys` wherever it happens.
    pub fn overwrites(keys: Keys) -> Self {
        Self {
            reads: Keys::none(),
            writes: keys,
        }
    }
}
