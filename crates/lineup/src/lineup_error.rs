//! Why a check failed.

use omnilink_engine::CheckError;
use omnilink_evidence::Limit;
use thiserror::Error;

use crate::executor::ExecutorError;
use crate::matrix::MatrixError;
use crate::specification::SpecificationError;

/// Why a check failed.
#[derive(Debug, Error)]
pub enum LineupError {
    /// The component cannot be run.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// The matrix cannot be run.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The search for explanations failed.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The specification does not fit the component.
    #[error(transparent)]
    Specification(#[from] SpecificationError),
    /// A limit or an interrupt ended the search for an explanation.
    #[error("the {} limit ended the search for an explanation", .0.word())]
    Limit(Limit),
    /// The executor switched threads inside a call of a serial run.
    #[error("internal error, please report it: a serial run of {0} has calls that overlap")]
    NotSerial(String),
    /// Serial runs are missing.
    #[error(
        "internal error, please report it: {made} serial runs of {matrix} were made, and there are {all}"
    )]
    SerialRunsMissing {
        /// The matrix.
        matrix: String,
        /// How many were made.
        made: u64,
        /// How many there are.
        all: u64,
    },
    /// A serial run explains what is about to be reported as a violation.
    #[error(
        "internal error, please report it: a run of {matrix} counts as a violation, but these calls, one after the other, explain \
         it: {order}"
    )]
    Explained {
        /// The matrix.
        matrix: String,
        /// The calls.
        order: String,
    },
}
