//! The operations of a history of transactions, for telling what some of them did.

use std::ops::ControlFlow;

use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::recorded_history::RecordedHistory;

/// Takes an operation, and the name of its transaction if it has one.
pub type VisitOperation<'v> = dyn FnMut(&Operation, Option<&Value>) -> ControlFlow<()> + 'v;

/// Visits the operations of a history in their order, until the visitor has enough.
pub type EachOperation<'e> = dyn Fn(&mut VisitOperation<'_>) + 'e;

/// A history that can be gone through again.
pub(crate) struct ToldHistory<'h> {
    /// What it is called.
    pub name: String,
    /// How many operations it has.
    pub ops: u64,
    /// Whether operations are ordered by their times.
    pub is_timed: bool,
    pub each: &'h EachOperation<'h>,
}

impl RecordedHistory {
    /// The history, with `each` to go through it ([`visit`](Self::visit)).
    pub(crate) fn told<'e>(&self, each: &'e EachOperation<'e>) -> ToldHistory<'e> {
        ToldHistory {
            name: self.id.clone(),
            ops: self.ops.len() as u64,
            is_timed: self.order.is_timed(),
            each,
        }
    }

    /// Goes through the operations.
    pub(crate) fn visit(&self, visit: &mut VisitOperation<'_>) {
        for (position, operation) in self.ops.iter().enumerate() {
            let group = self.transactions.get(position).and_then(Option::as_ref);
            if visit(operation, group).is_break() {
                return;
            }
        }
    }
}
