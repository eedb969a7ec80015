//! Partitions: parts of a history that can be checked separately.
//!
//! Operations whose keys never meet, directly or through others, commute. So a history has an explanation if and only if
//! each of its parts has one (P-compositionality; [`ties`](crate::ties) handles the order of threads at equal clock
//! readings). At first, each key is a part. If an operation spans several parts, the check starts over with the
//! connected components of the whole history.

use rustc_hash::FxHashMap;

use crate::footprint::{Footprint, Keys};
use crate::mutant::{Mutant, mutated};

/// The assignment of operations to parts.
#[derive(Clone, Debug, Default)]
pub enum Partitioning {
    /// One part for all operations.
    Whole,
    /// One part per key.
    #[default]
    PerKey,
    /// Parts found by [`Components`].
    Components(Components),
}

impl Partitioning {
    /// The part that an operation with this footprint belongs to, or `None` if it spans several.
    pub fn part_of(&self, footprint: &Footprint) -> Option<u64> {
        let mut part_id = None;
        for keys in [&footprint.reads, &footprint.writes] {
            let keys = match (self, keys) {
                (Self::Whole, _) => return Some(0),
                (_, Keys::All) => return None,
                (_, Keys::Only(keys)) => keys,
            };
            for key in keys {
                let part = match self {
                    Self::Components(components) => components.find(*key),
                    _ => *key,
                };
                if *part_id.get_or_insert(part) != part && !mutated(Mutant::FirstKeyOnly) {
                    return None;
                }
            }
        }
        // An operation without keys depends on nothing and changes nothing, so it fits any part.
        Some(part_id.unwrap_or(match self {
            Self::Components(components) => components.find(0),
            _ => 0,
        }))
    }
}

/// The connected components of keys: keys that one operation touches belong together.
#[derive(Clone, Debug, Default)]
pub struct Components {
    parent: FxHashMap<u64, u64>,
    /// The number of parts so far.
    parts: usize,
    observed: usize,
    /// Whether some operation touches every key.
    all: bool,
}

impl Components {
    /// The components of a history with these footprints.
    pub fn of(footprints: impl IntoIterator<Item = Footprint>) -> Self {
        let mut components = Self::default();
        for footprint in footprints {
            components.observe(&footprint);
            if components.is_settled() {
                break;
            }
        }
        components
    }

    /// Takes one operation into account.
    pub fn observe(&mut self, footprint: &Footprint) {
        self.observed += 1;
        let mut first = None;
        for keys in [&footprint.reads, &footprint.writes] {
            match keys {
                Keys::All => self.all = true,
                Keys::Only(keys) => {
                    for key in keys {
                        let root = self.find_and_compress(*key);
                        if first.is_some() && mutated(Mutant::FirstKeyOnly) {
                            continue;
                        }
                        self.union(*first.get_or_insert(root), root);
                    }
                }
            }
        }
    }

    /// Joins groups of parts; see [`CheckError::Entangled`](crate::CheckError::Entangled).
    pub fn join(&mut self, groups: &[Vec<u64>]) {
        for group in groups {
            let mut first = None;
            for part in group {
                let root = self.find_and_compress(*part);
                self.union(*first.get_or_insert(root), root);
            }
        }
    }

    /// Whether more operations would not change the result: everything is connected, or the first thousand operations
    /// are. Checking several parts as one is always sound.
    pub fn is_settled(&self) -> bool {
        const ENOUGH: usize = 1_024;
        self.all || self.parts <= 1 && self.observed >= ENOUGH
    }

    /// The parts, once the whole history was observed.
    pub fn into_partitioning(self) -> Partitioning {
        if self.all || self.parts <= 1 {
            Partitioning::Whole
        } else {
            Partitioning::Components(self)
        }
    }

    /// Merges the parts with these two roots.
    fn union(&mut self, first: u64, second: u64) {
        if first != second {
            self.parts -= 1;
            self.parent.insert(second, first);
        }
    }

    fn find(&self, mut key: u64) -> u64 {
        while let Some(parent) = self.parent.get(&key).copied()
            && parent != key
        {
            key = parent;
        }
        key
    }

    fn find_and_compress(&mut self, key: u64) -> u64 {
        let root = self.find(key);
        let parent = self.parent.entry(key).or_insert_with(|| {
            self.parts += 1;
            root
        });
        *parent = root;
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_meet_share_a_part() {
        let on = |keys: &[u64]| Footprint::updates(Keys::Only(keys.into()));
        let mut components = Components::default();
        for keys in [&[1, 2][..], &[3], &[4, 5], &[2, 4]] {
            components.observe(&on(keys));
        }
        let parts = components.into_partitioning();
        assert_eq!(parts.part_of(&on(&[1])), parts.part_of(&on(&[5])));
        assert_ne!(parts.part_of(&on(&[1])), parts.part_of(&on(&[3])));
        assert_eq!(parts.part_of(&Footprint::everything()), None);
        assert_eq!(Partitioning::PerKey.part_of(&on(&[1, 2])), None);
    }

    #[test]
    fn connected_keys_are_one_part() {
        let mut components = Components::default();
        for key in 0..5_000 {
            assert!(!components.is_settled());
            components.observe(&Footprint::updates(Keys::Only([key, key + 1].as_slice().into())));
            if key == 1_023 {
                break;
            }
        }
        assert!(components.is_settled());
        assert!(matches!(components.into_partitioning(), Partitioning::Whole));
    }

    #[test]
    fn one_operation_on_everything_leaves_one_part() {
        let mut components = Components::default();
        components.observe(&Footprint::everything());
        assert!(matches!(components.into_partitioning(), Partitioning::Whole));
    }
}
