//! The operations of a history of transactions, for telling what some of them did.

use std::ops::ControlFlow;

use omnilink_history::RecordedHistory;
use omnilink_trace::Operation;
use omnilink_value::Value;

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

impl<'h> ToldHistory<'h> {
    /// A recorded history, with `each` to go through it ([`visit_operations`]).
    pub fn of(recorded: &RecordedHistory, each: &'h EachOperation<'h>) -> Self {
        Self {
            name: recorded.id.clone(),
            ops: recorded.ops.len() as u64,
            is_timed: recorded.order.is_timed(),
            each,
        }
    }
}

/// Goes through the operations of a recorded history.
pub(crate) fn visit_operations(recorded: &RecordedHistory, visit: &mut VisitOperation<'_>) {
    for (position, operation) in recorded.ops.iter().enumerate() {
        let group = recorded.transactions.get(position).and_then(Option::as_ref);
        if visit(operation, group).is_break() {
            return;
        }
    }
}
