//! Text that is stored inside a value if it is short, as field names, operation names, model values and keys mostly are.

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
        let packed = pack(text.as_bytes())?.to_be_bytes();
        let mut bytes = [0; SHORT_MAX];
        bytes.copy_from_slice(&packed[..SHORT_MAX]);
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

    /// A number that identifies the text and has the order of the texts: first the bytes; then, if padding makes those
    /// equal, the length, since the shorter text is then a prefix of the longer.
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

/// Up to [`SHORT_MAX`] bytes at the upper end of a word, with zeros below. Copying a variable number of bytes calls `memcpy`;
/// two overlapping loads do not, and this runs for every field of every record.
#[inline]
fn pack(bytes: &[u8]) -> Option<u128> {
    let bits = 8 * bytes.len() as u32;
    Some(match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        _ if bytes.len() > SHORT_MAX => return None,
        (Some(head), Some(tail)) => {
            u128::from(u64::from_be_bytes(*head)) << 64
                | u128::from(u64::from_be_bytes(*tail)) << (128 - bits)
        }
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>(), bytes) {
            (Some(head), Some(tail), _) => {
                u128::from(u32::from_be_bytes(*head)) << 96
                    | u128::from(u32::from_be_bytes(*tail)) << (128 - bits)
            }
            (_, _, [a, b, c]) => u128::from(u32::from_be_bytes([*a, *b, *c, 0])) << 96,
            (_, _, [a, b]) => u128::from(u32::from_be_bytes([*a, *b, 0, 0])) << 96,
            (_, _, [a]) => u128::from(*a) << 120,
            _ => 0,
        },
    })
}

impl PartialEq for ShortText {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.bytes == other.bytes
    }
}

/// Text of more than [`SHORT_MAX`] bytes, with its hash.
pub(crate) type LongText = ThinArc<u64, u8>;

pub(crate) fn long_text(text: &str) -> LongText {
    ThinArc::from_header_and_slice(hash_bytes(text.as_bytes()), text.as_bytes())
}

#[inline]
pub(crate) fn long_text_str(text: &LongText) -> &str {
    // SAFETY: only `long_text` makes one, and it copies the bytes of a whole `str`.
    unsafe { std::str::from_utf8_unchecked(&text.slice) }
}
