//! Remembered values of expressions, by what they depend on.
//!
//! Each expression has a small table of its own. A key holds the words of all names and cells that the expression reads: the compiler finds
//! them in the code of the expression, and remembers none whose code reads anything else. Words are canonical, so equal keys mean equal
//! values; the words of a store are forgotten together with the memo.

use crate::code::MemoKey;
use crate::values::ValueWord;

/// The entries of each table, where there are few tables and where there are many: together they stay within some megabytes.
const ENTRIES: usize = 1 << 11;
const ENTRIES_OF_MANY: usize = 1 << 8;
const MANY: usize = 64;

type Key = [u64; MemoKey::WORDS_MAX];

/// The values of one expression: direct-mapped, so a new one replaces an old one.
#[derive(Debug)]
pub(crate) struct Memo {
    entries: Vec<(Key, ValueWord)>,
    size: usize,
}

impl Memo {
    /// One of this many.
    pub(crate) fn one_of(count: usize) -> Self {
        Self {
            entries: Vec::new(),
            size: if count > MANY { ENTRIES_OF_MANY } else { ENTRIES },
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.entries.len() * size_of::<(Key, ValueWord)>()
    }

    #[inline]
    pub(crate) fn get(&self, key: &Key) -> Option<ValueWord> {
        let (known, value) = self.entries.get(slot(key) & (self.size - 1))?;
        (known == key && *value != ValueWord::NONE).then_some(*value)
    }

    pub(crate) fn insert(&mut self, key: &Key, value: ValueWord) {
        if self.entries.is_empty() {
            self.entries = vec![([0; MemoKey::WORDS_MAX], ValueWord::NONE); self.size];
        }
        let at = slot(key) & (self.size - 1);
        self.entries[at] = (*key, value);
    }
}

#[inline]
fn slot(key: &Key) -> usize {
    let mut hash = 0_u64;
    for word in key {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash >> 32) as usize
}
