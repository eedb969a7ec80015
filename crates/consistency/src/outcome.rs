//! The outcome of a check for a weak level.

use omnilink_evidence::{Conclusion, RefusalReason};
use omnilink_history::OpSet;

/// The outcome of a check. Operations are named by their position in the history.
#[derive(Clone, Debug)]
pub struct WeakOutcome {
    /// Is there a linearization with a visibility that satisfies the criterion?
    pub conclusion: Conclusion<Explanation, UnexplainedReturn>,
    /// What the search cost.
    pub figures: WeakFigures,
}

/// A linearization with a visibility.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The operations in the order in which they took effect. Optional operations that did not happen are left out.
    pub linearization: Vec<usize>,
    /// What each operation sees, by the operation's position in the history.
    pub visible: Vec<OpSet>,
}

/// The operation that no visibility explains, after the longest order that can be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnexplainedReturn {
    /// The longest order that can be explained.
    pub explained: Vec<usize>,
    /// What each of these operations sees, by the operation's position in the history.
    pub visible: Vec<OpSet>,
    /// The operation that would be next and has no admissible visibility.
    pub op: usize,
    /// What it could see, and why that does not explain its return; the closest first.
    pub candidates: Vec<CandidateVisibility>,
    /// Returns that cannot be explained together; without any one of them, the rest can. `None` if they were not searched
    /// for, or a limit was reached.
    pub core: Option<OpSet>,
}

/// A set of operations that an operation could see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateVisibility {
    /// The operations.
    pub sees: OpSet,
    /// The state that they lead to, in the model's notation.
    pub state: String,
    /// Why the model refuses the operation there, if it says.
    pub refusal: Option<RefusalReason>,
}

/// What a check cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeakFigures {
    /// Operations in the history.
    pub operations: u64,
    /// Configurations explored.
    pub configurations: u64,
    /// Sets of operations that were tried as what an operation sees.
    pub visibilities: u64,
    /// Steps that the model computed.
    pub model_steps: u64,
}
