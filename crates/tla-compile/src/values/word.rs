//! Words: the values of compiled code.

use omnilink_value::ValueKind;

/// A TLA+ value in 64 bits: an integer or a Boolean itself, anything else the number of an entry of a [`ValueStore`](crate::ValueStore), with its
/// kind.
///
/// The form is canonical within one store: equal values have equal words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueWord(pub(crate) u64);

/// What a word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordContent {
    /// An integer.
    Int(i64),
    /// A Boolean.
    Bool(bool),
    /// The number of an entry of the store.
    Entry(u32),
}

const TAG_BITS: u32 = 4;
const TAG: u64 = (1 << TAG_BITS) - 1;
const INT: u64 = 0;
const BOOL: u64 = 1;
/// An entry of a kind has this tag plus the number of the kind.
const ENTRY: u64 = 2;
const KINDS: [ValueKind; 8] = [
    ValueKind::Model,
    ValueKind::Bool,
    ValueKind::Int,
    ValueKind::Str,
    ValueKind::Set,
    ValueKind::Tuple,
    ValueKind::Record,
    ValueKind::Function,
];

impl Default for ValueWord {
    fn default() -> Self {
        Self::NONE
    }
}

impl ValueWord {
    /// `FALSE`.
    pub const FALSE: Self = Self(BOOL);
    /// `TRUE`.
    pub const TRUE: Self = Self(BOOL | 1 << TAG_BITS);
    /// No value: the register of an expression that is not evaluated yet.
    pub(crate) const NONE: Self = Self(u64::MAX);

    /// The integer, if it fits 60 bits.
    #[inline]
    pub fn int(int: i64) -> Option<Self> {
        let shifted = int << TAG_BITS;
        (shifted >> TAG_BITS == int).then_some(Self(shifted as u64 | INT))
    }

    /// The Boolean.
    #[inline]
    pub fn bool(truth: bool) -> Self {
        Self(BOOL | u64::from(truth) << TAG_BITS)
    }

    /// The word with these bits.
    #[inline]
    pub fn of_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Its bits.
    #[inline]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The word of an entry of this kind.
    #[inline]
    pub fn of_entry(number: u32, kind: ValueKind) -> Self {
        Self(u64::from(number) << TAG_BITS | (ENTRY + kind as u64))
    }

    /// The kind of the value.
    #[inline]
    pub fn kind(self) -> ValueKind {
        match self.0 & TAG {
            INT => ValueKind::Int,
            BOOL => ValueKind::Bool,
            tag => KINDS[(tag - ENTRY) as usize & 7],
        }
    }

    /// What it holds.
    #[inline]
    pub fn content(self) -> WordContent {
        match self.0 & TAG {
            INT => WordContent::Int(self.0 as i64 >> TAG_BITS),
            BOOL => WordContent::Bool(self.0 >> TAG_BITS != 0),
            _ => WordContent::Entry((self.0 >> TAG_BITS) as u32),
        }
    }

    /// The integer, if it is a small one.
    #[inline]
    pub fn as_int(self) -> Option<i64> {
        (self.0 & TAG == INT).then_some(self.0 as i64 >> TAG_BITS)
    }

    /// The Boolean, if it is one.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        (self.0 & TAG == BOOL).then_some(self.0 >> TAG_BITS != 0)
    }

    /// The number of its entry, if it has one.
    #[inline]
    pub fn as_entry(self) -> Option<u32> {
        (self.0 & TAG >= ENTRY).then_some((self.0 >> TAG_BITS) as u32)
    }

    /// The number of its entry, if it has one of this kind.
    #[inline]
    pub(crate) fn as_entry_of(self, kind: ValueKind) -> Option<u32> {
        (self.0 & TAG == ENTRY + kind as u64).then_some((self.0 >> TAG_BITS) as u32)
    }
}
