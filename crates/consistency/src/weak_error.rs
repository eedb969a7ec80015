//! Why a check ended without a verdict.

use thiserror::Error;

/// Why a check ended without a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeakError {
    /// The model itself failed.
    #[error("the model failed: {0}")]
    Model(String),
    /// A violation was found, and there is an explanation. This is a bug in OmniLink.
    #[error("internal error, please report it: {0}")]
    Contradicted(String),
    /// The explanation that was found is wrong. This is a bug in OmniLink.
    #[error("internal error, please report it: the explanation found does not hold: {0}")]
    Rejected(String),
}
