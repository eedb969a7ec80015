//! Remembered values of expressions, by what they depend on.
//!
//! Each expression has a small table of its own. A key holds the words of all names and cells that the expression reads: the compiler finds
//! them in the code of the expression, and remembers none whose code reads anything else. Words are canonical, so equal keys mean equal
//! values; the words of a store are forgotten together with the memo.

use crate::code::MemoKey;
use crate::values::Word;

const ENTRIES: usize = 1 << 11;

type Key = [u64; MemoKey::WORDS_MAX];

/// The values of one expression: direct-mapped, so a new one replaces an old one.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    entries: Vec<(Key, Word)>,
}

impl Memo {
    #[inline]
    pub(crate) fn get(&self, key: &Key) -> Option<Word> {
        let (known, value) = self.entries.get(slot(key))?;
        (known == key && *value != Word::NONE).then_some(*value)
    }

    pub(crate) fn insert(&mut self, key: &Key, value: Word) {
        if self.entries.is_empty() {
            self.entries = vec![([0; MemoKey::WORDS_MAX], Word::NONE); ENTRIES];
        }
        self.entries[slot(key)] = (*key, value);
    }
}

#[inline]
fn slot(key: &Key) -> usize {
    let mut hash = 0_u64;
    for word in key {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash >> 32) as usize % ENTRIES
}
