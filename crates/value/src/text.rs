//! Text that mostly fits into a value: field names, operation names, model values and keys are short.

use triomphe::ThinArc;

use crate::hash::{hash_bytes, mix};

/// The longest text, in bytes of UTF-8, that needs no allocation.
pub(crate) const SHORT_MAX: usize = 14;

/// Text of up to [`SHORT_MAX`] bytes.
///
/// Invariant: `bytes[..len]` is UTF-8 and the rest is zero.
#[derive(Clone, Copy)]
pub(crate) struct ShortText {
    bytes: [u8; SHORT_MAX],
    len: u8,
}

impl ShortText {
    /// The text, if it is short.
    #[inline]
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; SHORT_MAX];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self {
            bytes,
            len: text.len() as u8,
        })
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        let text = &self.bytes[..usize::from(self.len)];
        // SAFETY: `new` is the only constructor and copies the bytes of a whole `str`.
        unsafe { std::str::from_utf8_unchecked(text) }
    }

    /// A number that identifies the text and is ordered as the texts are: first the bytes, then, where padding makes
    /// those equal, the length, since the shorter text is then a prefix of the longer.
    #[inline]
    pub(crate) fn rank(&self) -> u128 {
        let mut bytes = [0; 16];
        bytes[..SHORT_MAX].copy_from_slice(&self.bytes);
        bytes[15] = self.len;
        u128::from_be_bytes(bytes)
    }

    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        let rank = self.rank();
        mix(rank as u64, (rank >> 64) as u64)
    }
}

impl PartialEq for ShortText {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

/// Text of more than [`SHORT_MAX`] bytes, with its hash.
pub(crate) type LongText = ThinArc<u64, u8>;

pub(crate) fn long_text(text: &str) -> LongText {
    ThinArc::from_header_and_slice(hash_bytes(text.as_bytes()), text.as_bytes())
}

#[inline]
pub(crate) fn long_text_str(text: &LongText) -> &str {
    // SAFETY: `long_text` is the only place that makes one and copies the bytes of a whole `str`.
    unsafe { std::str::from_utf8_unchecked(&text.slice) }
}
