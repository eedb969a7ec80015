//! Part of an operation that happens in steps.

/// Part of an operation that happens in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StepPart {
    /// Which of the operations in steps that may be open at the same time: see [`StepLanes`](crate::step_lanes::StepLanes).
    pub(crate) lane: u64,
    /// Which operation.
    pub(crate) number: u64,
    /// Whether this is `X_Done`.
    pub(crate) is_last: bool,
}
