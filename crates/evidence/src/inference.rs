//! The strongest levels that histories satisfy.

use std::collections::BTreeMap;

use serde::Serialize;

/// The strongest levels that histories satisfy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InferredLevels {
    /// How many histories there are.
    pub histories: usize,
    /// A strongest level for each method.
    pub levels: BTreeMap<String, String>,
    /// The strongest level of all methods together; `None` if even the weakest is violated.
    pub together: Option<String>,
    /// Histories that satisfy no level at all; the levels are inferred from the others.
    pub unexplained: Vec<String>,
    /// Histories for which a limit was reached; a level that could not be decided for one counts as violated.
    pub undecided: Vec<String>,
}
