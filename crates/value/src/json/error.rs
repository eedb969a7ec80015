//! Errors in JSON.

use thiserror::Error;

use super::FormError;
use crate::DEPTH_MAX;

/// Invalid JSON and its position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("byte {offset}: {problem}")]
pub struct JsonError {
    /// Bytes from the beginning of the text.
    pub offset: usize,
    /// The error.
    pub problem: JsonProblem,
}

/// An error in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JsonProblem {
    /// The text ends too early.
    #[error("the text ends here, but {expected} should follow")]
    Incomplete {
        /// What the text lacks.
        expected: &'static str,
    },
    /// Something else was expected.
    #[error("expected {expected}, found {found:?}")]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// The character in the text.
        found: char,
    },
    /// A number with a fraction or an exponent.
    #[error("expected a 64-bit integer, found a number with a fraction or an exponent")]
    NotAnInteger,
    /// An integer beyond 64 bits.
    #[error("the integer does not fit signed 64 bits, which are expected here")]
    IntegerTooLarge,
    /// An invalid escape such as `\q`, or half a surrogate pair.
    #[error("not an escape sequence of JSON")]
    BadEscape,
    /// An unescaped control character in a string.
    #[error("a control character inside a string; escape it")]
    ControlCharacter,
    /// A limit was reached while the value was read.
    #[error("reading was stopped by a limit")]
    Stopped,
    /// Nesting beyond the limit.
    #[error("nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// Not UTF-8.
    #[error("not UTF-8; JSON must be")]
    NotUtf8,
    /// An object that denotes no value.
    #[error(transparent)]
    Form(#[from] FormError),
    /// A second value after the first.
    #[error("text after the end of the value")]
    Trailing,
}
