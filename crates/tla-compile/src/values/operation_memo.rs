//! Remembered results of operations.

use super::word::Word;

/// Results of operations on two words, for all of a store: most operations of a state are those of its neighbours. An operation and its
/// operands are the whole key; results are words of the same store.
#[derive(Debug)]
pub(crate) struct OperationMemo {
    entries: Box<[(u64, u64, u64, Word)]>,
}

/// A power of two; 512 KB.
const OPERATIONS: usize = 1 << 14;

impl Default for OperationMemo {
    fn default() -> Self {
        Self {
            entries: vec![(0, 0, 0, Word::NONE); OPERATIONS].into(),
        }
    }
}

impl OperationMemo {
    #[inline]
    fn slot(operation: u64, left: Word, right: Word) -> usize {
        let mixed = (left.0.rotate_left(29) ^ right.0 ^ operation << 57).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as usize % OPERATIONS
    }

    #[inline]
    pub(crate) fn get(&self, operation: u64, left: Word, right: Word) -> Option<Word> {
        let (known, l, r, result) = self.entries[Self::slot(operation, left, right)];
        (known == operation && l == left.0 && r == right.0 && result != Word::NONE).then_some(result)
    }

    #[inline]
    pub(crate) fn insert(&mut self, operation: u64, left: Word, right: Word, result: Word) {
        self.entries[Self::slot(operation, left, right)] = (operation, left.0, right.0, result);
    }
}
