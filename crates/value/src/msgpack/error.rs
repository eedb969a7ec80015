//! Errors in MessagePack.

use thiserror::Error;

use crate::DEPTH_MAX;
use crate::json::FormError;

/// Invalid MessagePack and its position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("byte {offset}: {problem}")]
pub struct MsgpackError {
    /// Bytes from the beginning of the data.
    pub offset: usize,
    /// The error.
    pub problem: MsgpackProblem,
}

/// An error in MessagePack.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MsgpackProblem {
    /// The data end too early; more bytes may complete the value.
    #[error("the data end in the middle of a value")]
    Incomplete,
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// What the data hold.
        found: &'static str,
    },
    /// An unsigned integer beyond the signed 64 bits.
    #[error("the integer does not fit signed 64 bits, which are expected here")]
    IntegerTooLarge,
    /// A limit was reached while the value was read.
    #[error("reading was stopped by a limit")]
    Stopped,
    /// Nesting beyond the limit.
    #[error("nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// A string that is not UTF-8.
    #[error("the string is not UTF-8")]
    NotUtf8,
    /// A map that denotes no value.
    #[error(transparent)]
    Form(#[from] FormError),
    /// A second value after the first.
    #[error("data after the end of the value")]
    Trailing,
}
