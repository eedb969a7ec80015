//! The operation that no order explains, and why.

use serde::Serialize;

use crate::alternative::Alternative;
use crate::operation::ReportedOperation;

/// The operation that no order explains, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counterexample {
    /// The operation whose return cannot be explained, although everything that returned before it can.
    pub op: ReportedOperation,
    /// How many ways there are to explain what came before, after reductions.
    pub alternatives_total: u64,
    /// These ways, up to [`Counterexample::ALTERNATIVES_MAX`].
    pub alternatives: Vec<Alternative>,
    /// The prefix that all of them share, where it is known.
    pub agreed: Option<AgreedPrefix>,
    /// The rule that is broken, if a monitor decided. The alternatives are then those of its operations only.
    #[serde(flatten)]
    pub broken: Option<BrokenRule>,
}

impl Counterexample {
    /// How many alternatives are listed.
    pub const ALTERNATIVES_MAX: usize = 64;

    /// Visits every operation, to number, name or locate it.
    pub fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        visit(&mut self.op);
        for alternative in &mut self.alternatives {
            alternative.visit_operations(visit);
        }
        if let Some(agreed) = &mut self.agreed {
            agreed.last.iter_mut().for_each(&mut *visit);
            agreed.since.iter_mut().for_each(&mut *visit);
            agreed.recent.iter_mut().for_each(|step| visit(&mut step.op));
        }
        if let Some(broken) = &mut self.broken {
            broken.operations.iter_mut().for_each(&mut *visit);
        }
    }
}

/// The prefix that all explanations share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgreedPrefix {
    /// The states that it may leave: several only if its last operations have several outcomes.
    pub states: Vec<String>,
    /// How many operations it has.
    pub placed: u64,
    /// The last of them.
    pub last: Option<ReportedOperation>,
    /// The operations that some explanation places after it, in the order of the input.
    pub since: Vec<ReportedOperation>,
    /// The last operations of the prefix with the state that each leaves, oldest first, up to [`Alternative::STEPS_MAX`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<AgreedStep>,
}

/// An operation of the prefix that all explanations share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgreedStep {
    /// The operation.
    #[serde(flatten)]
    pub op: ReportedOperation,
    /// The state that it leaves, if there is one only and it was kept.
    pub state: Option<String>,
}

/// A rule of collections that a few operations break, whatever the others did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenRule {
    /// The rule in words.
    pub rule: String,
    /// The operations, in order of start.
    #[serde(rename = "rule_ops")]
    pub operations: Vec<ReportedOperation>,
}

/// A violation shrunk to the operations that cause it. Times are ranks: only the order that matters is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MinimalHistory {
    /// The operations, in order of start, with their positions in the whole history.
    #[serde(rename = "ops")]
    pub operations: Vec<ReportedOperation>,
    /// How many operations make no difference.
    pub left_out: u64,
    /// The states that may hold before them; `None` for the model's own initial states.
    pub from: Option<Vec<String>>,
    /// Whether the naive checker, too, finds no explanation. `None`: it was not run, because there are too many operations.
    pub confirmed: Option<bool>,
    /// Why these operations have no explanation.
    #[serde(rename = "violation")]
    pub counterexample: Counterexample,
}

impl MinimalHistory {
    /// Visits every operation.
    pub fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        self.operations.iter_mut().for_each(&mut *visit);
        self.counterexample.visit_operations(visit);
    }
}

/// A part of the state that the unexplained operation read, and the operation that last wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastWriter {
    /// The part, such as `map[3]`.
    pub cell: String,
    /// Its value.
    pub value: String,
    /// The operation that wrote it; `None`: it still has its initial value.
    pub by: Option<ReportedOperation>,
    /// Whether that is so in every explanation in which the part has this value; otherwise in one.
    pub is_certain: bool,
}
