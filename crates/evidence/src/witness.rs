//! The order that explains a history.

use serde::Serialize;

use crate::operation::ReportedOperation;
use crate::visibility::PlacedOperation;

/// What explains a valid history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Witness {
    /// An order of the operations that respects their timeboxes.
    Linearization {
        /// The operations with the point at which each took effect.
        order: Vec<Placement>,
        /// The state after each of them, where the model has only one; empty otherwise.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        states: Vec<String>,
        /// How many operations took effect before the first of them.
        #[serde(skip_serializing_if = "is_zero")]
        left_out_before: u64,
    },
    /// An order of the operations and what each of them sees.
    Visibility {
        /// The operations in the order in which they took effect.
        order: Vec<PlacedOperation>,
    },
    /// An order of the transactions.
    Commits {
        /// The transactions in the order in which they were committed.
        order: Vec<String>,
    },
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Witness {
    pub(crate) fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        if let Self::Visibility { order } = self {
            order.iter_mut().for_each(|placed| visit(&mut placed.op));
        }
    }
}

/// An order of the operations that the model accepts and that respects their timeboxes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linearization {
    /// How many operations were placed and replayed through the model, step by step, outside the search.
    pub replayed: u64,
    /// The operations in the order in which they took effect, if the order was kept. The points never decrease.
    pub order: Option<Vec<Placement>>,
}

/// An operation of a linearization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// The operation's position in the history.
    pub op: u64,
    /// A point in its timebox at which it may have taken effect.
    pub at: i64,
}
