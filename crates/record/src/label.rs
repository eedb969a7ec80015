//! Thread labels.

use std::fmt;

use crate::{Record, ValueSlot, Written};

/// A thread's name in the trace: a number or a text. Both convert by `into()`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ThreadLabel {
    /// `0`, `1`, `2` …
    Number(i64),
    /// `"producer"` …
    Text(String),
}

impl fmt::Display for ThreadLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Record for ThreadLabel {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        match self {
            Self::Number(number) => slot.int(*number),
            Self::Text(text) => slot.str(text),
        }
    }
}

impl ThreadLabel {
    /// The label under which a thread continues after its `times`th pending operation.
    ///
    /// An operation without a return may take effect at any later time, while the operations of one thread are ordered. So
    /// the thread cannot continue as the same thread: the trace has a new one.
    pub(crate) fn after_pending(&self, times: u64) -> Self {
        Self::Text(format!("{self}'{times}"))
    }

    pub(crate) fn is_usable(&self) -> bool {
        match self {
            Self::Number(_) => true,
            Self::Text(text) => !text.is_empty() && !text.contains('\''),
        }
    }

    /// The label as part of a file name: short, with characters that every file system supports.
    pub(crate) fn file_stem(&self) -> String {
        let keep = |c: char| {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
                c
            } else {
                '_'
            }
        };
        self.to_string().chars().take(64).map(keep).collect()
    }
}

macro_rules! from_number {
    ($($number:ty),*) => {$(
        impl From<$number> for ThreadLabel {
            fn from(number: $number) -> Self {
                Self::Number(i64::from(number))
            }
        }
    )*};
}
from_number!(i8, i16, i32, i64, u8, u16, u32);

impl From<usize> for ThreadLabel {
    /// An index beyond `i64` becomes a text.
    fn from(index: usize) -> Self {
        i64::try_from(index).map_or_else(|_| Self::Text(index.to_string()), Self::Number)
    }
}

impl From<&str> for ThreadLabel {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for ThreadLabel {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
