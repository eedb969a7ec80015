//! The step of an instance in a state, where it is known without evaluating the action.

use crate::state::SpecState;

/// The step of an instance.
#[derive(Debug)]
pub(crate) enum KnownStep {
    /// It is refused.
    Refused,
    /// This is the only successor.
    Next(SpecState),
}
