//! Text that mostly fits into a value: field names, operation names, model values and keys are short.

use triomphe::ThinArc;

use crate::hash::hash_bytes;

/// The longest text, in bytes of UTF-8, that needs no allocation.
pub(crate) const SHORT_MAX: usize = 14;

/// Text of up to [`SHORT_MAX`] bytes.
///
/// Invariants: `bytes[..len]` is UTF-8 and the rest is zero. The derived order compares the bytes and then the length,
/// which is the order of the texts: where padding makes the bytes equal, the shorter text is the prefix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        hash_bytes(self.as_str().as_bytes())
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
