//! A set of operations of one history.

use std::fmt;

/// Operations of one history, by position.
///
/// One pair of machine words, because the search creates and compares millions of them: this limits a history that is
/// searched to [`OpSet::CAPACITY`] operations.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpSet(u128);

impl OpSet {
    /// How many operations a history may have.
    pub const CAPACITY: usize = 128;

    /// No operation.
    pub const EMPTY: Self = Self(0);

    /// The operations at positions `0..count`.
    pub fn first(count: usize) -> Self {
        if count >= Self::CAPACITY {
            Self(!0)
        } else {
            Self((1 << count) - 1)
        }
    }

    /// One operation.
    pub fn one(op: usize) -> Self {
        Self(1 << op)
    }

    /// Whether `op` is in the set.
    pub fn has(self, op: usize) -> bool {
        self.0 >> op & 1 == 1
    }

    /// The set with `op`.
    #[must_use]
    pub fn with(self, op: usize) -> Self {
        Self(self.0 | 1 << op)
    }

    /// The set without `op`.
    #[must_use]
    pub fn without(self, op: usize) -> Self {
        Self(self.0 & !(1 << op))
    }

    /// What is in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is here and not there.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether everything here is there too.
    pub fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether there is nothing in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many operations are in the set.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The operations, in order of position.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let op = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                op
            })
        })
    }

    /// The set as a number, for keys of tables.
    pub fn bits(self) -> u128 {
        self.0
    }
}

impl FromIterator<usize> for OpSet {
    fn from_iter<I: IntoIterator<Item = usize>>(ops: I) -> Self {
        ops.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for OpSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_set_has_every_operation_and_lists_them_in_order() {
        let full = OpSet::first(OpSet::CAPACITY);
        assert_eq!(full.len(), OpSet::CAPACITY);
        assert!(full.iter().eq(0..OpSet::CAPACITY));
        assert_eq!(OpSet::first(3), [2, 0, 1].into_iter().collect());
        assert_eq!(full.minus(OpSet::first(127)), OpSet::one(127));
    }
}
