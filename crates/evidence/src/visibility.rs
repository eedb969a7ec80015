//! Which operations an operation sees, at levels weaker than linearizability.

use serde::Serialize;

use crate::operation::ReportedOperation;

/// An operation in an order, with what it sees of those before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlacedOperation {
    /// The operation.
    #[serde(flatten)]
    pub op: ReportedOperation,
    /// The ids of the operations that it sees; `None` where every operation sees all before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sees: Option<Vec<u64>>,
    /// Whether it may change the state: an operation that does not see it may miss something.
    pub writes: bool,
}

/// Why no order with a visibility explains a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VisibilityRefutation {
    /// The operation that would be next and has no admissible visibility.
    pub op: ReportedOperation,
    /// The longest order that can be explained.
    pub explained: ExplainedOrder,
    /// What the operation could see, and why that does not explain its return; the closest first.
    pub candidates: Vec<VisibleSet>,
    /// Returns that cannot be explained together; without any one of them, the rest can. `None` if they were not searched
    /// for, or a limit was reached.
    pub core: Option<Vec<ReportedOperation>>,
}

/// An order that explains a part of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExplainedOrder {
    /// The operations in the order in which they took effect.
    pub order: Vec<PlacedOperation>,
}

/// A set of operations that an operation could see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VisibleSet {
    /// The ids of the operations.
    pub sees: Vec<u64>,
    /// The state that they lead to, in the model's notation.
    pub state: String,
    /// Why the model refuses the operation there, if it says.
    pub reason: Option<String>,
    /// Where in the specification the parts of the reason stand, as for [`Continuation::Refused`](crate::Continuation::Refused).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
}

impl VisibilityRefutation {
    pub(crate) fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        visit(&mut self.op);
        for placed in &mut self.explained.order {
            visit(&mut placed.op);
        }
        self.core.iter_mut().flatten().for_each(visit);
    }
}
