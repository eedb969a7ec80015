//! The smallest history that still fails.

use omnilink_engine::{Counterexample, OpView};

/// A small history that cannot be explained either, and of which no operation can be left out.
#[derive(Clone, Debug)]
pub struct MinimalHistory {
    /// Its operations, in order of start. They have the positions of the history they come from.
    pub operations: Vec<OpView>,
    /// Why it cannot be explained.
    pub counterexample: Counterexample,
    /// Whether a limit ended the search for a smaller one.
    pub is_cut_short: bool,
}
