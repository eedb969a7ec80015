//! Histories that are too long for the search over visibilities.

use omnilink_history::order_graph::{EdgeReason, Graph, Wiring};
use omnilink_history::{OrderError, program_order};
use omnilink_trace::{Time, Timebox};

use crate::history::HistoryOp;

/// Happens-before, besides program order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HappensBefore {
    /// The order of the timeboxes. They order the operations of each thread, too.
    RealTime,
    /// The same, and threads are labels: their operations may overlap.
    AsyncRealTime,
    /// These pairs of operations. Each thread's operations are in the order in which they are given.
    Pairs(Vec<(usize, usize)>),
}

/// A history of more operations than can be searched.
#[derive(Clone, Debug)]
pub struct LongHistory<O> {
    pub(crate) ops: Vec<HistoryOp<O>>,
    pub(crate) timeboxes: Vec<Timebox>,
    pub(crate) happens_before: HappensBefore,
    pub(crate) thread_names: Vec<String>,
}

impl<O> LongHistory<O> {
    /// A history in real time. The operations of each thread do not overlap.
    pub fn from_timeboxes(ops: Vec<HistoryOp<O>>, timeboxes: Vec<Timebox>) -> Self {
        Self {
            ops,
            timeboxes,
            happens_before: HappensBefore::RealTime,
            thread_names: Vec::new(),
        }
    }

    /// A history whose threads each did their operations in the order in which they are given, with pairs of happens-before.
    ///
    /// # Errors
    /// If the pairs contradict program order, or something happens after a pending operation.
    pub fn from_pairs(ops: Vec<HistoryOp<O>>, pairs: Vec<(usize, usize)>) -> Result<Self, OrderError> {
        let timeboxes = (0..ops.len() as Time).map(|at| Timebox::new(at, at)).collect();
        let history = Self {
            ops,
            timeboxes,
            happens_before: HappensBefore::Pairs(pairs),
            thread_names: Vec::new(),
        };
        check_pairs(&history)?;
        Ok(history)
    }

    /// The operations.
    pub fn ops(&self) -> &[HistoryOp<O>] {
        &self.ops
    }
}

/// Refuses pairs that contradict program order, or that have something happen after a pending operation.
pub(crate) fn check_pairs<O>(history: &LongHistory<O>) -> Result<(), OrderError> {
    let HappensBefore::Pairs(pairs) = &history.happens_before else {
        return Ok(());
    };
    if let Some(&(first, second)) = pairs.iter().find(|pair| history.ops[pair.0].optional) {
        return Err(OrderError::AfterPending { first, second });
    }
    let mut graph = Graph::new(history.ops.len(), Wiring::Serial);
    let threads: Vec<u32> = history.ops.iter().map(|op| op.thread).collect();
    let program_order = program_order(&threads, |op| history.ops[op].optional);
    for (first, second) in program_order.chain(pairs.iter().copied()) {
        graph.add(graph.commit(first), graph.begin(second), EdgeReason::RealTime);
    }
    match graph.topological(&[]) {
        Ok(_) => Ok(()),
        Err(cycle) => Err(OrderError::Cycle {
            cycle: cycle.into_iter().filter_map(|edge| edge.from).collect(),
        }),
    }
}
