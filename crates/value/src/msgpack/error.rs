//! What can be wrong with MessagePack.

use thiserror::Error;

use crate::DEPTH_MAX;
use crate::json::FormError;

/// MessagePack that is no value, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("byte {offset}: {problem}")]
pub struct MsgpackError {
    /// Bytes from the beginning of the data.
    pub offset: usize,
    /// What is wrong there.
    pub problem: MsgpackProblem,
}

/// What is wrong with a piece of MessagePack.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MsgpackProblem {
    /// The data end too early; more bytes may make it whole.
    #[error("the data end in the middle of a value")]
    Incomplete,
    /// Something else stands there.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What would have been read.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// An unsigned integer beyond the signed 64 bits.
    #[error("the integer does not fit signed 64 bits, which are expected here")]
    IntegerTooLarge,
    /// Hostile or runaway nesting.
    #[error("nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// A string that is not UTF-8.
    #[error("the string is not UTF-8")]
    NotUtf8,
    /// A map that is no value.
    #[error(transparent)]
    Form(#[from] FormError),
    /// A second value after the first.
    #[error("data after the end of the value")]
    Trailing,
}
