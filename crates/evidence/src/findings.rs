//! What a check against a specification found besides the verdict.

use serde::Serialize;

/// Which parts of a specification were exercised, and why the check was hard.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpecFindings {
    /// The kinds of violation that fit.
    pub tags: Vec<String>,
    /// For each action that operations can be.
    pub actions: Vec<ActionFindings>,
    /// For each invariant.
    pub invariants: Vec<InvariantFindings>,
    /// The abstract states that the explanation reached, if they were counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abstract_states: Vec<AbstractStateFindings>,
    /// Explanations alive after a return, on average.
    pub frontier_mean: f64,
    /// The operations with the longest timeboxes, if the trace was ambiguous.
    pub longest: Vec<LongOperation>,
    /// Whether no state at all, reachable or not, allows the unexplained operation.
    pub is_impossible: bool,
}

/// How an action was exercised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionFindings {
    /// The operation, as the trace names it.
    pub op: String,
    /// The action with its parameters.
    pub action: String,
    /// Where it is defined.
    pub at: String,
    /// How many operations of the trace were placed as this action.
    pub placed: u64,
    /// How many pending operations may have been this action.
    pub pending: u64,
    /// How often it was tried in a state.
    pub tried: u64,
    /// How often it was refused.
    pub refused: u64,
    /// Its branches, if they were counted.
    pub branches: Vec<BranchFindings>,
}

/// How often a branch of an action was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BranchFindings {
    /// Its text.
    pub text: String,
    /// File and line.
    pub at: String,
    /// How many steps took it.
    pub taken: u64,
}

/// How often an abstract state was reached: the value of the view, or of what the link file calls the abstraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AbstractStateFindings {
    /// The value.
    pub state: String,
    /// How often.
    pub reached: u64,
}

/// How often an invariant was evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InvariantFindings {
    /// Its name, or its text.
    pub name: String,
    /// In how many states it was evaluated.
    pub evaluated: u64,
    /// In how many it was false.
    pub broken: u64,
}

/// An operation with a long timebox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LongOperation {
    /// The thread and the call.
    pub call: String,
    /// Where it was read.
    pub place: String,
    /// The length of its timebox.
    pub length: u64,
}

/// A reason why `valid` means less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VacuityFindings {
    /// The kind of reason, in one word.
    pub kind: String,
    /// The operation concerned.
    pub op: Option<String>,
    /// The field concerned.
    pub field: Option<String>,
    /// The reason in a sentence.
    pub message: String,
    /// Whether `--strict` makes it an error.
    pub is_serious: bool,
}

/// How many deliberately wrong recordings the specification rejects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MutationFindings {
    /// The seed that chose them.
    pub seed: u64,
    /// How many operations of the trace were used.
    pub ops: u64,
    /// For each operation name.
    pub actions: Vec<MutantFindings>,
    /// How many could not be decided.
    pub undecided: u64,
    /// Some changed results that were not noticed.
    pub unnoticed: Vec<String>,
    /// Whether time ran out.
    pub is_cut_short: bool,
}

impl MutationFindings {
    /// How many results were changed, and how many of these changes were noticed.
    pub fn changed(&self) -> (u64, u64) {
        let sum = |of: fn(&MutantFindings) -> u64| self.actions.iter().map(of).sum();
        (sum(|action| action.changed), sum(|action| action.changed_noticed))
    }
}

/// Deliberately wrong recordings of one operation: how many of each kind, and how many the specification noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MutantFindings {
    /// The operation.
    pub op: String,
    /// Results that were changed.
    pub changed: u64,
    /// Of these, noticed.
    pub changed_noticed: u64,
    /// Operations that were dropped.
    pub dropped: u64,
    /// Of these, noticed.
    pub dropped_noticed: u64,
    /// Operations that were swapped with the next of their thread.
    pub swapped: u64,
    /// Of these, noticed.
    pub swapped_noticed: u64,
}
