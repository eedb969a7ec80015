//! Control flow of enumerations.

/// Whether an enumeration continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continue.
    Go,
    /// Stop.
    Stop,
}

impl Flow {
    /// Whether to stop.
    pub fn is_stop(self) -> bool {
        self == Flow::Stop
    }
}
