//! What a check against a specification found besides the verdict.

use omnilink_engine::OpView;
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
    /// What the unexplained operation read, and who wrote it last, in one of the explanations; told beside the violation.
    #[serde(skip)]
    pub last_writers: Vec<WriterFindings>,
    /// Whether no state at all, reached or not, allows the unexplained operation.
    pub is_impossible: bool,
    /// Reasons why `valid` says less than it seems to; told at the top of the report.
    #[serde(skip)]
    pub vacuity: Vec<VacuityFindings>,
    /// What became of recordings that were made wrong on purpose, if that was asked for.
    #[serde(skip)]
    pub mutation: Option<MutationFindings>,
    /// Whether a person wants to read about actions and invariants.
    #[serde(skip)]
    pub is_told: bool,
}

/// What became of recordings that were made wrong on purpose.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MutationFindings {
    /// What chose them.
    pub seed: u64,
    /// How many operations of the trace were taken.
    pub ops: u64,
    /// For each operation.
    pub actions: Vec<MutantFindings>,
    /// How many could not be decided.
    pub undecided: u64,
    /// Changed results that nobody noticed, a few of them.
    pub unnoticed: Vec<String>,
    /// Whether there was no time for all.
    pub is_cut_short: bool,
}

impl MutationFindings {
    /// Changed results: how many were tried and how many noticed.
    pub fn changed(&self) -> (u64, u64) {
        let sum = |of: fn(&MutantFindings) -> u64| self.actions.iter().map(of).sum();
        (sum(|action| action.changed), sum(|action| action.changed_noticed))
    }
}

/// What became of wrong recordings of one operation: how many of each kind, and how many the spec noticed.
#[derive(Clone, Debug, Default, Serialize)]
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

/// A part of the state that the unexplained operation read, and who wrote it last.
#[derive(Clone, Debug)]
pub struct WriterFindings {
    /// The part, such as `map[3]`.
    pub cell: String,
    /// What it held.
    pub value: String,
    /// The operation that left it there; `None`: it is what it was at the beginning.
    pub by: Option<OpView>,
}

/// A reason why `valid` says less than it seems to.
#[derive(Clone, Debug, Serialize)]
pub struct VacuityFindings {
    /// What kind of reason, in a word.
    pub kind: &'static str,
    /// The operation that it is about.
    pub op: Option<String>,
    /// The field that it is about.
    pub field: Option<String>,
    /// The reason in a sentence.
    pub message: String,
    /// Whether it is an error where answers must mean something.
    pub is_serious: bool,
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
