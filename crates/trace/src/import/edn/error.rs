//! What can be wrong with EDN.

use omnilink_value::{DEPTH_MAX, DuplicateKey};
use thiserror::Error;

/// EDN that is no value, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("byte {offset}: {problem}")]
pub struct EdnError {
    /// Bytes from the beginning of the line, or of the text that was given.
    pub offset: usize,
    /// What is wrong there.
    pub problem: EdnProblem,
}

/// What is wrong with a piece of EDN.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EdnProblem {
    /// The text ends too early; more may make it whole.
    #[error("the text ends in the middle of a form")]
    Incomplete,
    /// Something that begins no form.
    #[error("expected a form, found {0:?}")]
    Unexpected(char),
    /// A bracket that closes nothing, or the wrong one.
    #[error("found {found:?} where {expected:?} would close the form")]
    WrongBracket {
        /// What would have closed it.
        expected: char,
        /// What stands there.
        found: char,
    },
    /// Not a number although it begins like one.
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
    /// A key twice.
    #[error(transparent)]
    DuplicateKey(#[from] DuplicateKey),
    /// Not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// Hostile or runaway nesting.
    #[error("nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
}
