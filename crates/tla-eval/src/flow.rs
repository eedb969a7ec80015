//! Whether a walk goes on.

/// What a visitor asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Go,
    /// Stop: enough has been seen.
    Stop,
}

impl Flow {
    /// Whether to stop.
    pub fn is_stop(self) -> bool {
        self == Flow::Stop
    }
}
