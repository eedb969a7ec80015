//! What a check against a specification found besides the verdict.

use serde::Serialize;

/// What of a spec was put to the test, and what made the answer hard to find.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SpecFindings {
    /// The kinds of violation that fit.
    pub tags: Vec<String>,
    /// For each action that operations can be.
    pub actions: Vec<ActionFindings>,
    /// For each invariant.
    pub invariants: Vec<InvariantFindings>,
    /// Explanations alive after a return, on average.
    pub frontier_mean: f64,
    /// The operations with the longest timeboxes, where the trace was ambiguous.
    pub longest: Vec<LongFindings>,
    /// Whether a person wants to read about actions and invariants.
    #[serde(skip)]
    pub is_told: bool,
}

/// How an action was put to the test.
#[derive(Clone, Debug, Serialize)]
pub struct ActionFindings {
    /// The operation, as the trace calls it.
    pub op: String,
    /// The action with its parameters.
    pub action: String,
    /// Where it is defined.
    pub at: String,
    /// How many operations of the trace it was placed for.
    pub placed: u64,
    /// How many more may have happened or not.
    pub pending: u64,
    /// Operations tried in a state.
    pub tried: u64,
    /// Of these, refused ones.
    pub refused: u64,
    /// Its branches, if they were counted.
    pub branches: Vec<BranchFindings>,
}

/// How often a branch of an action was taken.
#[derive(Clone, Debug, Serialize)]
pub struct BranchFindings {
    /// Its text.
    pub text: String,
    /// Where it is.
    pub at: String,
    /// How many steps took it.
    pub taken: u64,
}

/// How often an invariant was evaluated.
#[derive(Clone, Debug, Serialize)]
pub struct InvariantFindings {
    /// Its name, or its text.
    pub name: String,
    /// In how many states it was evaluated.
    pub evaluated: u64,
    /// In how many it was false.
    pub broken: u64,
}

/// An operation with a long timebox.
#[derive(Clone, Debug, Serialize)]
pub struct LongFindings {
    /// What was called, and by whom.
    pub call: String,
    /// Where it was read.
    pub place: String,
    /// The length of its timebox.
    pub length: u64,
}
