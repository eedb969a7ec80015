//! How large a search is.

/// Size of the explored part of the state graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStatistics {
    /// Generated states, duplicates included.
    pub generated: u64,
    /// Distinct states.
    pub distinct: u64,
    /// The deepest level.
    pub depth: u32,
    /// States that were found and not expanded.
    pub queued: u64,
    /// The maximum of `queued`; for a breadth-first search, the size of the largest level.
    pub queued_max: u64,
}

/// Number of steps of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionCount {
    /// Steps.
    pub generated: u64,
    /// Steps to a new state.
    pub distinct: u64,
}
