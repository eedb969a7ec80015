//! Finds whose place an earlier segment has taken.
//!
//! Of several segments that found one state, the first has it. Its bytes may be with one of the others: see
//! [`Sighting::Elsewhere`](crate::sieve::Sighting).

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::codec::Garbled;
use crate::expand::Harvest;
use crate::fingerprint::Fingerprint;

/// A find: the numbers of its segment in the block, and of the find in the segment.
pub(crate) type Find = (usize, usize);

/// The finds of a block that do not count, and the bytes of those of them that were made.
#[derive(Debug, Default)]
pub(crate) struct Displaced {
    finds: FxHashSet<Find>,
    bytes: Vec<u8>,
    made: FxHashMap<Fingerprint, Range<usize>>,
}

impl Displaced {
    pub(crate) fn contains(&self, find: Find) -> bool {
        !self.finds.is_empty() && self.finds.contains(&find)
    }

    /// Adds a find of a segment.
    pub(crate) fn add(&mut self, segment: usize, index: usize, harvest: &Harvest) {
        self.finds.insert((segment, index));
        self.keep_bytes(index, harvest);
    }

    /// Adds all finds of a segment that comes after the last one that counts.
    pub(crate) fn add_all(&mut self, harvest: &Harvest) {
        for index in 0..harvest.discovered.len() {
            self.keep_bytes(index, harvest);
        }
    }

    fn keep_bytes(&mut self, index: usize, harvest: &Harvest) {
        if let Some((find, bytes)) = harvest.state(index)
            && !find.is_elsewhere
        {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(bytes);
            self.made.insert(find.fingerprint, start..self.bytes.len());
        }
    }

    /// The bytes of a state that was found elsewhere. Whoever finds a state so has seen that a later segment of the block keeps it, and
    /// of the finds of one state all but the first are here.
    pub(crate) fn bytes_of(&self, state: Fingerprint) -> Result<&[u8], Garbled> {
        let range = self.made.get(&state).cloned();
        range.and_then(|range| self.bytes.get(range)).ok_or(Garbled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Decoder;

    fn state(number: i64) -> Fingerprint {
        Fingerprint::of_state(&[number.into()])
    }

    /// A segment that finds states, some of them elsewhere.
    fn segment(finds: &[(i64, bool)]) -> Harvest {
        let mut harvest = Harvest::new(0, false);
        for &(number, is_elsewhere) in finds {
            if is_elsewhere {
                harvest.push_elsewhere(state(number), 0, 0);
            } else {
                harvest.push(state(number), &[number.into()], 0, None);
            }
        }
        harvest
    }

    #[test]
    fn a_state_that_is_elsewhere_has_the_bytes_of_whoever_made_it() {
        let mut displaced = Displaced::default();
        displaced.add(3, 1, &segment(&[(10, false), (11, false), (12, false)]));
        displaced.add(4, 0, &segment(&[(11, true), (13, false)]));
        displaced.add_all(&segment(&[(14, true), (1_000, false)]));
        assert!(displaced.contains((3, 1)) && displaced.contains((4, 0)));
        assert!(!displaced.contains((3, 0)) && !displaced.contains((4, 1)));
        for made in [11, 1_000] {
            let bytes = displaced.bytes_of(state(made)).expect("bytes");
            assert_eq!(Decoder::new(bytes).value(), Ok(made.into()));
        }
        for unmade in [10, 13, 14] {
            assert_eq!(displaced.bytes_of(state(unmade)), Err(Garbled), "{unmade}");
        }
    }
}
