//! What can be wrong with JSON.

use thiserror::Error;

use super::FormError;
use crate::DEPTH_MAX;

/// JSON that is no value, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("byte {offset}: {problem}")]
pub struct JsonError {
    /// Bytes from the beginning of the text.
    pub offset: usize,
    /// What is wrong there.
    pub problem: JsonProblem,
}

/// What is wrong with a piece of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JsonProblem {
    /// The text ends too early.
    #[error("the text ends here, but {expected} should follow")]
    Incomplete {
        /// What would have been read next.
        expected: &'static str,
    },
    /// Something else stands there.
    #[error("expected {expected}, found {found:?}")]
    Unexpected {
        /// What would have been read.
        expected: &'static str,
        /// What stands there.
        found: char,
    },
    /// A number with a fraction or an exponent.
    #[error("expected a 64-bit integer, found a number with a fraction or an exponent")]
    NotAnInteger,
    /// An integer beyond 64 bits.
    #[error("the integer does not fit signed 64 bits, which are expected here")]
    IntegerTooLarge,
    /// `\q` and the like, or half a surrogate pair.
    #[error("not an escape sequence of JSON")]
    BadEscape,
    /// A raw control character inside a string.
    #[error("a control character inside a string; escape it")]
    ControlCharacter,
    /// Hostile or runaway nesting.
    #[error("nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// Not UTF-8.
    #[error("not UTF-8; JSON must be")]
    NotUtf8,
    /// An object that is no value.
    #[error(transparent)]
    Form(#[from] FormError),
    /// A second value after the first.
    #[error("text after the end of the value")]
    Trailing,
}
