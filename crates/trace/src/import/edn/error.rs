//! Errors in EDN.

use omnilink_value::{DEPTH_MAX, DuplicateKey};
use thiserror::Error;

/// Invalid EDN and its position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("byte {offset}: {problem}")]
pub struct EdnError {
    /// Bytes from the beginning of the line, or of the text.
    pub offset: usize,
    /// The error.
    pub problem: EdnProblem,
}

/// An error in EDN.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EdnProblem {
    /// The text ends too early; more text may complete the form.
    #[error("the text ends in the middle of a form")]
    Incomplete,
    /// A character that begins no form.
    #[error("expected a form, found {0:?}")]
    Unexpected(char),
    /// A bracket that closes nothing, or the wrong one.
    #[error("found {found:?} where {expected:?} would close the form")]
    WrongBracket {
        /// The bracket that would close the form.
        expected: char,
        /// The bracket in the text.
        found: char,
    },
    /// A token that begins like a number and is none.
    #[error("not a number: {0}")]
    BadNumber(String),
    /// Not an escape sequence of a string.
    #[error("not an escape sequence of EDN")]
    BadEscape,
    /// Not a character.
    #[error("not a character: \\{0}")]
    BadCharacter(String),
    /// A map with a key but no value.
    #[error("a map needs a value for each key")]
    OddMap,
    /// A duplicate key.
    #[error(transparent)]
    DuplicateKey(#[from] DuplicateKey),
    /// Not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// A limit was reached while the form was read.
    #[error("reading was stopped by a limit")]
    Stopped,
    /// Nesting beyond the limit.
    #[error("nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
}
