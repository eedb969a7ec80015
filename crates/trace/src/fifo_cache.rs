//! What was met lately.

use hashbrown::HashTable;

/// A table of things that come again and again, each with a hash.
///
/// It grows with what is met, up to a few thousand things. Then whatever comes takes the place of what has been there longest, so a
/// trace in which nothing repeats itself takes no more memory than others.
#[derive(Clone, Debug)]
pub struct Recent<T> {
    /// What was met, with its hash.
    met: Vec<(u64, T)>,
    /// Where in that list it is.
    places: HashTable<u32>,
    /// What gives way next once the list is full.
    oldest: usize,
}

const MET_MAX: usize = 1 << 13;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self {
            met: Vec::new(),
            places: HashTable::new(),
            oldest: 0,
        }
    }
}

impl<T> Recent<T> {
    /// The thing with this hash that is the right one, if it was met lately.
    #[inline]
    pub fn get(&self, hash: u64, mut is_it: impl FnMut(&T) -> bool) -> Option<&T> {
        let hash = spread(hash);
        let place = self.places.find(hash, |place| {
            let met = self.met.get(*place as usize);
            met.is_some_and(|(known, thing)| *known == hash && is_it(thing))
        })?;
        self.met.get(*place as usize).map(|(_, thing)| thing)
    }

    /// Meets a thing that is not here.
    pub fn put(&mut self, hash: u64, thing: T) {
        let hash = spread(hash);
        let mut place = self.met.len();
        if place < MET_MAX {
            self.met.push((hash, thing));
        } else {
            place = self.oldest;
            self.oldest = (place + 1) % MET_MAX;
            let (gone, _) = std::mem::replace(&mut self.met[place], (hash, thing));
            if let Ok(entry) = self.places.find_entry(gone, |known| *known as usize == place) {
                entry.remove();
            }
        }
        let met = &self.met;
        self.places
            .insert_unique(hash, place as u32, |place| met[*place as usize].0);
    }
}

/// The table looks at the first and the last bits of a hash; the hash of something that stands in memory has none there.
#[inline]
fn spread(hash: u64) -> u64 {
    let product = u128::from(hash) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_known(recent: &Recent<u64>, n: u64) -> bool {
        recent.get(n * 16, |met| *met == n).is_some()
    }

    #[test]
    fn few_things_are_all_there_and_of_many_the_last() {
        let mut recent = Recent::default();
        assert!(!is_known(&recent, 0));
        for n in 0..3 * MET_MAX as u64 {
            recent.put(n * 16, n);
            assert!(is_known(&recent, n) && recent.get(n * 16, |_| false).is_none());
            let first = (n + 1).saturating_sub(MET_MAX as u64);
            assert!(is_known(&recent, first) && (first == 0 || !is_known(&recent, first - 1)));
        }
        assert_eq!((recent.met.len(), recent.places.len()), (MET_MAX, MET_MAX));
    }

    #[test]
    fn things_with_one_hash_are_told_apart() {
        let mut recent = Recent::default();
        (0..3u64).for_each(|n| recent.put(7, n));
        for n in 0..3 {
            assert_eq!(recent.get(7, |met| *met == n), Some(&n));
        }
        assert!(recent.get(8, |_| true).is_none());
    }
}
