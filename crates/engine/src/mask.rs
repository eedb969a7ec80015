//! Bit masks over slots: the open operations that a configuration has placed.
//!
//! Nearly every trace has at most 64 operations open at once and is checked with one machine word. A trace with more
//! open operations moves to two words, then to a growing mask, without starting over.

use std::hash::Hash;

use smallvec::SmallVec;

/// A set of small integers.
pub(crate) trait Mask: Clone + Eq + Hash + Default + std::fmt::Debug {
    /// The number of slots that fit.
    const CAPACITY: usize;

    fn insert(&mut self, slot: usize);
    fn remove(&mut self, slot: usize);
    fn contains(&self, slot: usize) -> bool;
    /// Inserts or removes `slot`.
    fn set(&mut self, slot: usize, present: bool);
    fn is_empty(&self) -> bool;
    fn count(&self) -> usize;
    /// The smallest slot in the set that is not below `from`.
    fn first_from(&self, from: usize) -> Option<usize>;
    /// The smallest slot that is not in the set.
    fn first_absent(&self) -> usize;
    fn and(&self, other: &Self) -> Self;
    fn or(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn is_subset(&self, other: &Self) -> bool;
    fn hash64(&self) -> u64;

    /// The smallest slot in the set.
    #[inline]
    fn first(&self) -> Option<usize> {
        self.first_from(0)
    }

    fn single(slot: usize) -> Self {
        let mut mask = Self::default();
        mask.insert(slot);
        mask
    }

    /// The slots in ascending order.
    fn slots(&self) -> Slots<Self> {
        Slots {
            mask: self.clone(),
            next: 0,
        }
    }

    /// The same set in another representation, which must have room for it.
    fn convert<K: Mask>(&self) -> K {
        let mut other = K::default();
        for slot in self.slots() {
            other.insert(slot);
        }
        other
    }
}

/// Iterates over a mask.
pub(crate) struct Slots<K> {
    mask: K,
    next: usize,
}

impl<K: Mask> Iterator for Slots<K> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let slot = self.mask.first_from(self.next)?;
        self.next = slot + 1;
        Some(slot)
    }
}

/// Mixes the bits of a word. The multiplier is the odd number nearest to 2^64 / φ; the fold uses the high half, too.
pub(crate) fn mix(word: u64) -> u64 {
    let wide = u128::from(word ^ 0x51_7c_c1_b7_27_22_0a_95) * 0x9e37_79b9_7f4a_7c15_u128;
    (wide as u64) ^ ((wide >> 64) as u64)
}

macro_rules! word_mask {
    ($word:ty) => {
        impl Mask for $word {
            const CAPACITY: usize = <$word>::BITS as usize;

            #[inline]
            fn insert(&mut self, slot: usize) {
                *self |= 1 << slot;
            }
            #[inline]
            fn remove(&mut self, slot: usize) {
                *self &= !(1 << slot);
            }
            #[inline]
            fn contains(&self, slot: usize) -> bool {
                self >> slot & 1 == 1
            }
            #[inline]
            fn set(&mut self, slot: usize, present: bool) {
                *self = *self & !(1 << slot) | Self::from(present) << slot;
            }
            #[inline]
            fn is_empty(&self) -> bool {
                *self == 0
            }
            #[inline]
            fn count(&self) -> usize {
                self.count_ones() as usize
            }
            #[inline]
            fn first_from(&self, from: usize) -> Option<usize> {
                let rest = if from < Self::CAPACITY {
                    *self & !0 << from
                } else {
                    0
                };
                (rest != 0).then(|| rest.trailing_zeros() as usize)
            }
            #[inline]
            fn first_absent(&self) -> usize {
                self.trailing_ones() as usize
            }
            #[inline]
            fn and(&self, other: &Self) -> Self {
                self & other
            }
            #[inline]
            fn or(&self, other: &Self) -> Self {
                self | other
            }
            #[inline]
            fn minus(&self, other: &Self) -> Self {
                self & !other
            }
            #[inline]
            fn is_subset(&self, other: &Self) -> bool {
                self & !other == 0
            }
            #[inline]
            fn hash64(&self) -> u64 {
                #[allow(clippy::unnecessary_cast)]
                let wide = *self as u128;
                mix(wide as u64 ^ mix((wide >> 64) as u64))
            }
        }
    };
}

word_mask!(u64);
word_mask!(u128);

/// A mask without an upper bound. It has no trailing zero words, so that equal sets are equal slices.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct WideMask(SmallVec<[u64; 4]>);

impl WideMask {
    fn trimmed(mut words: SmallVec<[u64; 4]>) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        Self(words)
    }
}

impl Mask for WideMask {
    const CAPACITY: usize = usize::MAX;

    fn insert(&mut self, slot: usize) {
        let word = slot / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: usize) {
        if let Some(word) = self.0.get_mut(slot / 64) {
            *word &= !(1 << (slot % 64));
            while self.0.last() == Some(&0) {
                self.0.pop();
            }
        }
    }

    fn set(&mut self, slot: usize, present: bool) {
        if present {
            self.insert(slot);
        } else {
            self.remove(slot);
        }
    }

    fn contains(&self, slot: usize) -> bool {
        self.0
            .get(slot / 64)
            .is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn first_from(&self, from: usize) -> Option<usize> {
        let begin = from / 64;
        let partial = self.0.get(begin)? & !0 << (from % 64);
        if partial != 0 {
            return Some(begin * 64 + partial.trailing_zeros() as usize);
        }
        let word = begin + 1 + self.0[begin + 1..].iter().position(|word| *word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    fn first_absent(&self) -> usize {
        match self.0.iter().position(|word| *word != !0) {
            Some(word) => word * 64 + self.0[word].trailing_ones() as usize,
            None => self.0.len() * 64,
        }
    }

    fn and(&self, other: &Self) -> Self {
        Self::trimmed(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn or(&self, other: &Self) -> Self {
        let (long, short) = if self.0.len() >= other.0.len() {
            (self, other)
        } else {
            (other, self)
        };
        let mut words = long.0.clone();
        for (word, more) in words.iter_mut().zip(&short.0) {
            *word |= more;
        }
        Self(words)
    }

    fn minus(&self, other: &Self) -> Self {
        let mut words = self.0.clone();
        for (word, less) in words.iter_mut().zip(&other.0) {
            *word &= !less;
        }
        Self::trimmed(words)
    }

    fn is_subset(&self, other: &Self) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    fn hash64(&self) -> u64 {
        self.0.iter().fold(0, |hash, word| mix(hash ^ word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every representation must agree with a set of integers.
    fn agrees_with_a_set<K: Mask>(limit: usize) {
        let numbers =
            |seed: usize| (0..limit).filter(move |n| (n * 2_654_435_761 + seed * 40_503) >> 3 & 3 == 0);
        let fill = |seed| {
            let mut mask = K::default();
            numbers(seed).for_each(|n| mask.insert(n));
            mask
        };
        let (a, b) = (fill(1), fill(5));
        let set = |mask: &K| mask.slots().collect::<Vec<_>>();
        let (list_a, list_b) = (numbers(1).collect::<Vec<_>>(), numbers(5).collect::<Vec<_>>());
        assert_eq!(set(&a), list_a);
        assert_eq!(a.count(), list_a.len());
        let both: Vec<_> = list_a.iter().copied().filter(|n| list_b.contains(n)).collect();
        let rest: Vec<_> = list_a.iter().copied().filter(|n| !list_b.contains(n)).collect();
        assert_eq!(set(&a.and(&b)), both);
        assert_eq!(set(&a.minus(&b)), rest);
        assert_eq!(a.minus(&b).or(&a.and(&b)), a);
        assert!(a.and(&b).is_subset(&a) && !a.is_subset(&a.and(&b)));
        assert_eq!(a.first_absent(), (0..).find(|n| !list_a.contains(n)).unwrap_or(0));
        let mut copied = b.clone();
        (0..limit).for_each(|n| copied.set(n, a.contains(n)));
        assert_eq!(copied, a);
        let mut emptied = a.clone();
        list_a.iter().for_each(|n| emptied.remove(*n));
        assert!(emptied.is_empty() && emptied == K::default());
        assert_eq!(a.convert::<WideMask>().convert::<K>(), a);
    }

    #[test]
    fn masks_are_sets() {
        agrees_with_a_set::<u64>(64);
        agrees_with_a_set::<u128>(128);
        agrees_with_a_set::<WideMask>(1000);
    }
}
