//! Recorded histories: operations of a trace with the source of their order.
//!
//! Two forms are read. A *trace* is one history. A *file of histories* holds many, one JSON object a line:
//! `{"id":7,"ops":[{"thread":0,"method":"put","args":[1,1],"ret":"null"},…],"hb":[[0,1],…]}`. In both, happens-before
//! is given by explicit pairs, per-thread counters, vector clocks or timeboxes; see [`OrderSource`].

use std::collections::BTreeMap;

use omnilink_sorting::sort_by_key;
use omnilink_trace::{Location, Operation};
use omnilink_value::Value;

use crate::history_error::{HistoryError, HistoryProblem};
use crate::op_names::{OpNames, counters_of};
use crate::vector_clocks::VectorClocks;

/// A recorded history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedHistory {
    /// Its name.
    pub id: String,
    /// Where it was read.
    pub place: Location,
    /// Its operations.
    pub ops: Vec<Operation>,
    /// The ids of its operations.
    pub labels: Vec<String>,
    /// The transaction that each belongs to, if any.
    pub transactions: Vec<Option<Value>>,
    /// The source of their order, besides program order.
    pub order: OrderSource,
}

/// The source of happens-before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderSource {
    /// Program order only: the order in which a thread's operations are given.
    ProgramOrder,
    /// These pairs, by position: in a file of histories `"hb":[[a,b],…]` with ids of operations, in a trace
    /// `"meta":{"after":[…]}` with positions or `"id"`s.
    Pairs(Vec<(usize, usize)>),
    /// For each operation the counters of all threads before its call: `"call_pcs":[…]`, in a trace inside `"meta"`. A
    /// thread counts every call and every return of its own.
    Counters(Vec<Vec<u64>>),
    /// A vector clock for each operation: `"clock":{"a":1,…}`; and, where it was recorded, what had begun when it
    /// returned: `"meta":{"return_clock":{"a":2,…}}`.
    VectorClocks(VectorClocks),
    /// The operations' timeboxes. Each thread does one operation after the other, also where its timeboxes touch.
    Timeboxes,
    /// The operations' timeboxes; threads are labels, and their operations may overlap.
    AsyncTimeboxes,
}

impl OrderSource {
    /// Whether operations are ordered by their times.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Timeboxes | Self::AsyncTimeboxes)
    }
}

type Read<T> = Result<T, HistoryProblem>;

impl RecordedHistory {
    /// The operations of a trace, as one history.
    ///
    /// # Errors
    /// If the order that they carry is malformed.
    pub fn from_operations(name: &str, ops: Vec<Operation>) -> Result<Self, HistoryError> {
        let place = ops
            .first()
            .map_or_else(|| Location::whole(name), |op| op.location.clone());
        Self::from_trace(name, ops).map_err(|problem| HistoryError::Bad { place, problem })
    }

    fn from_trace(name: &str, ops: Vec<Operation>) -> Read<Self> {
        let meta = |op: &Operation, field: &str| op.meta.as_ref().and_then(|meta| meta.field(field)).cloned();
        let mut names = OpNames::default();
        for (position, op) in ops.iter().enumerate() {
            names.add(meta(op, "id").as_ref(), position)?;
        }
        let counters: Option<Vec<Value>> = ops.iter().map(|op| meta(op, "call_pcs")).collect();
        let after: Vec<Option<Value>> = ops.iter().map(|op| meta(op, "after")).collect();
        let order = if after.iter().any(Option::is_some) {
            let mut pairs = Vec::new();
            for (second, after) in after.iter().enumerate() {
                let Some(after) = after else { continue };
                let list = after.as_tuple().ok_or_else(|| HistoryProblem::Wrong {
                    whole: format!("operation {}", names.labels[second]),
                    field: "after",
                    found: after.clone(),
                    expected: "an array of operations that happened before",
                })?;
                for first in list {
                    pairs.push((names.find(first)?, second));
                }
            }
            OrderSource::Pairs(pairs)
        } else if let Some(counters) = counters.filter(|counters| !counters.is_empty()) {
            OrderSource::Counters(counters_of(&names.labels, counters.iter().collect())?)
        } else if let Some(clocks) = VectorClocks::of(&ops, &names.labels)? {
            OrderSource::VectorClocks(clocks)
        } else {
            OrderSource::Timeboxes
        };
        let transactions = ops.iter().map(|op| meta(op, "txn")).collect();
        let place = ops
            .first()
            .map_or_else(|| Location::whole(name), |op| op.location.clone());
        Ok(Self {
            id: name.to_owned(),
            place,
            ops,
            labels: names.labels,
            transactions,
            order,
        })
    }

    /// Treats threads as labels: calls of one thread may overlap.
    #[must_use]
    pub fn with_async_threads(mut self) -> Self {
        if self.order == OrderSource::Timeboxes {
            self.order = OrderSource::AsyncTimeboxes;
        }
        self
    }

    /// Refuses overlapping operations of one thread.
    ///
    /// # Errors
    /// If there are any.
    pub fn check_threads(&self) -> Read<()> {
        let mut by_start: Vec<usize> = (0..self.ops.len()).collect();
        sort_by_key(&mut by_start, |at| self.ops[*at].timebox.start);
        let mut last: BTreeMap<&Value, usize> = BTreeMap::new();
        for at in by_start {
            let Operation { thread, timebox, .. } = &self.ops[at];
            if let Some(earlier) = last.insert(thread, at)
                && self.ops[earlier]
                    .timebox
                    .end
                    .is_none_or(|end| end > timebox.start)
            {
                return Err(HistoryProblem::Overlap {
                    thread: thread.clone(),
                    label: self.labels[at].clone(),
                    start: timebox.start,
                    earlier: self.labels[earlier].clone(),
                });
            }
        }
        Ok(())
    }
}

/// An identifier as text.
pub fn label_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
