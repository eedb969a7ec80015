//! What an instance does in a state, known without evaluating it.

use crate::state::SpecState;

/// What an instance does.
#[derive(Debug)]
pub(crate) enum KnownStep {
    /// It is refused.
    Refused,
    /// It leads here, and nowhere else.
    Next(SpecState),
}
