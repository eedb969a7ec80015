//! One way to explain everything before a violation, and why it cannot be continued.

use serde::Serialize;

use crate::operation::ReportedOperation;

/// One way to explain everything before the operation that cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// The state that it leaves, in the model's notation.
    pub state: String,
    /// The last operations placed, oldest first, up to [`Alternative::RECENT_MAX`].
    pub recent: Vec<ReportedOperation>,
    /// All operations placed after the prefix that all alternatives share, oldest first, up to [`Alternative::STEPS_MAX`]; empty
    /// where that prefix is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Operations that had not returned yet and have already taken effect.
    pub placed: Vec<ReportedOperation>,
    /// Operations that could come next. The unexplained operation is the first.
    pub candidates: Vec<Candidate>,
}

impl Alternative {
    /// How many of the operations placed are listed. If there are this many, there may have been others before them.
    pub const RECENT_MAX: usize = 16;

    /// How many steps are listed: the last ones.
    pub const STEPS_MAX: usize = 256;

    pub(crate) fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        self.recent.iter_mut().for_each(&mut *visit);
        self.placed.iter_mut().for_each(&mut *visit);
        for candidate in &mut self.candidates {
            visit(&mut candidate.op);
        }
    }
}

/// An operation as an alternative places it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The id of the operation.
    pub op: u64,
    /// The state that it leaves, if there is one only and it was kept.
    pub state: Option<String>,
}

/// An operation that could come next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The operation.
    pub op: ReportedOperation,
    /// What the model says to it.
    #[serde(flatten)]
    pub continuation: Continuation,
}

/// Why a model refuses an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusalReason {
    /// In words. Parts are apart by `; or `.
    pub reason: String,
    /// Where in the model's source each part stands; none if it has no source.
    pub places: Vec<String>,
}

impl From<String> for RefusalReason {
    fn from(reason: String) -> Self {
        Self {
            reason,
            places: Vec::new(),
        }
    }
}

/// What the model says to an operation in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Continuation {
    /// The model refuses it.
    Refused {
        /// Why, if the model says.
        reason: Option<String>,
        /// Where in the specification the parts of the reason stand, in their order: `Queue.tla:12:5-12:20`, from the first character to
        /// the last. Empty for a part that stands nowhere; none for models without a source.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        places: Vec<String>,
    },
    /// The model accepts it, but nothing after it explains the operation in question.
    LeadsTo {
        /// The next states.
        states: Vec<String>,
    },
}
