//! Which operations are checked together.
//!
//! Operations whose keys never meet, directly or through others, cannot tell in which order they happened: a history is
//! explained if and only if each such part is (P-compositionality; what the order of threads at equal clock readings adds to
//! this, [`ties`](crate::ties) tells). One key a part is assumed at first; an operation
//! that spans parts shows that this was wrong, and the check starts over with the parts that the whole history has.

use rustc_hash::FxHashMap;

use crate::footprint::{Footprint, Keys};
use crate::mutant::{Mutant, planted};

/// How operations are assigned to parts.
#[derive(Clone, Debug, Default)]
pub enum Partitioning {
    /// All in one part.
    Whole,
    /// Each key is a part, until an operation says otherwise.
    #[default]
    PerKey,
    /// Parts found by [`Components`].
    Components(Components),
}

impl Partitioning {
    /// The part that an operation with this footprint belongs to, or `None` if it spans several.
    pub(crate) fn home(&self, footprint: &Footprint) -> Option<u64> {
        let mut home = None;
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
                if *home.get_or_insert(part) != part && !planted(Mutant::FirstKeyOnly) {
                    return None;
                }
            }
        }
        // An operation without keys depends on nothing and changes nothing: any part will do.
        Some(home.unwrap_or(match self {
            Self::Components(components) => components.find(0),
            _ => 0,
        }))
    }
}

/// Finds the parts of a whole history: keys that one operation touches belong together.
#[derive(Clone, Debug, Default)]
pub struct Components {
    parent: FxHashMap<u64, u64>,
    /// How many parts there are so far.
    parts: usize,
    observed: usize,
    /// Some operation touches everything.
    all: bool,
}

impl Components {
    /// Takes one operation into account.
    pub fn observe(&mut self, footprint: &Footprint) {
        self.observed += 1;
        let mut first = None;
        for keys in [&footprint.reads, &footprint.writes] {
            match keys {
                Keys::All => self.all = true,
                Keys::Only(keys) => {
                    for key in keys {
                        let root = self.find_and_shorten(*key);
                        if first.is_some() && planted(Mutant::FirstKeyOnly) {
                            continue;
                        }
                        let first = *first.get_or_insert(root);
                        if root != first {
                            self.parts -= 1;
                            self.parent.insert(root, first);
                        }
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
                let root = self.find_and_shorten(*part);
                let first = *first.get_or_insert(root);
                if root != first {
                    self.parts -= 1;
                    self.parent.insert(root, first);
                }
            }
        }
    }

    /// Whether it is pointless to look any further: the whole history hangs together, or all of its first thousand
    /// operations do. Checking together what could be checked apart is always sound.
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

    fn find(&self, mut key: u64) -> u64 {
        while let Some(parent) = self.parent.get(&key).copied()
            && parent != key
        {
            key = parent;
        }
        key
    }

    fn find_and_shorten(&mut self, key: u64) -> u64 {
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
        assert_eq!(parts.home(&on(&[1])), parts.home(&on(&[5])));
        assert_ne!(parts.home(&on(&[1])), parts.home(&on(&[3])));
        assert_eq!(parts.home(&Footprint::everything()), None);
        assert_eq!(Partitioning::PerKey.home(&on(&[1, 2])), None);
    }

    #[test]
    fn keys_that_hang_together_are_one_part() {
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
