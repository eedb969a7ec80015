//! Happens-before of a history that is too long for sets of operations: timeboxes, or a few pairs for each operation.

use std::collections::BTreeMap;

use omnilink_value::Value;

use crate::history_error::{HistoryError, HistoryProblem};
use crate::long_history::{HappensBefore, LongHistory};
use crate::order::OrderError;
use crate::order_graph::{EdgeReason, Graph};
use crate::recorded_history::{DecodedOps, OrderSource, RecordedHistory};

type Pairs = Vec<(usize, usize)>;

impl RecordedHistory {
    /// Decoded operations with their order, however many there are.
    ///
    /// # Errors
    /// If the sources of the order contradict each other.
    pub(crate) fn in_long_order<O>(&self, decoded: DecodedOps<O>) -> Result<LongHistory<O>, HistoryError> {
        self.long(decoded).map_err(|problem| HistoryError::Bad {
            place: self.place.clone(),
            problem,
        })
    }

    fn long<O>(&self, decoded: DecodedOps<O>) -> Result<LongHistory<O>, HistoryProblem> {
        let DecodedOps { ops, kept, names } = decoded;
        let pairs = match &self.order {
            OrderSource::Timeboxes => {
                self.check_threads()?;
                Ok(HappensBefore::RealTime)
            }
            OrderSource::AsyncTimeboxes => Ok(HappensBefore::AsyncRealTime),
            OrderSource::ProgramOrder => Ok(HappensBefore::ProgramOrder),
            OrderSource::Pairs(pairs) => Ok(HappensBefore::Pairs(between_kept(pairs, &kept, self.ops.len()))),
            OrderSource::Counters(counters) => self.counted_pairs(counters, &kept).map(HappensBefore::Pairs),
            OrderSource::VectorClocks(clocks) => {
                let threads: Vec<u32> = ops.iter().map(|op| op.thread).collect();
                Ok(HappensBefore::Pairs(clocks.pairs(&kept, &threads)))
            }
        };
        let history = pairs.and_then(|happens_before| {
            let history = LongHistory {
                timeboxes: kept.iter().map(|at| self.ops[*at].timebox).collect(),
                happens_before,
                ops,
                thread_names: names,
            };
            check_pairs(&history)?;
            Ok(history)
        });
        history.map_err(|error| HistoryProblem::Order {
            error,
            labels: kept.iter().map(|at| self.labels[*at].clone()).collect(),
        })
    }

    /// What counters say: of each other thread, the last operation that was over.
    fn counted_pairs(&self, counters: &[Vec<u64>], kept: &[usize]) -> Result<Pairs, OrderError> {
        let mut threads: BTreeMap<&Value, Vec<Option<usize>>> = BTreeMap::new();
        let mut kept_as = vec![None; self.ops.len()];
        for (at, position) in kept.iter().enumerate() {
            kept_as[*position] = Some(at);
        }
        for (position, op) in self.ops.iter().enumerate() {
            threads.entry(&op.thread).or_default().push(kept_as[position]);
        }
        let mut pairs = Vec::new();
        for (second, position) in kept.iter().enumerate() {
            let seen = &counters[*position];
            if seen.len() != threads.len() {
                return Err(OrderError::Counters {
                    op: second,
                    found: seen.len(),
                    threads: threads.len(),
                });
            }
            for ((thread, ops), counter) in threads.iter().zip(seen) {
                // A thread counts each call and each return.
                let over = ops.iter().take((*counter / 2) as usize);
                if **thread != self.ops[*position].thread
                    && let Some(first) = over.rev().find_map(|op| *op)
                {
                    pairs.push((first, second));
                }
            }
        }
        Ok(pairs)
    }
}

/// Pairs between the operations that are kept, which are renumbered. An operation that is left out may lie between two that are
/// not: what comes before it comes before what comes after it.
fn between_kept(pairs: &Pairs, kept: &[usize], count: usize) -> Pairs {
    let mut kept_as = vec![None; count];
    for (at, position) in kept.iter().enumerate() {
        kept_as[*position] = Some(at);
    }
    let mut pairs = pairs.clone();
    for left_out in (0..count).filter(|position| kept_as[*position].is_none()) {
        let firsts: Vec<usize> = pairs
            .iter()
            .filter(|pair| pair.1 == left_out)
            .map(|pair| pair.0)
            .collect();
        let seconds: Vec<usize> = pairs
            .iter()
            .filter(|pair| pair.0 == left_out)
            .map(|pair| pair.1)
            .collect();
        for first in firsts {
            pairs.extend(seconds.iter().map(|second| (first, *second)));
        }
        pairs.retain(|(first, second)| *first != left_out && *second != left_out);
    }
    let kept_pair = |(first, second): (usize, usize)| Some((kept_as[first]?, kept_as[second]?));
    pairs.into_iter().filter_map(kept_pair).collect()
}

/// Refuses pairs that contradict program order, or that have something happen after a pending operation.
pub(crate) fn check_pairs<O>(history: &LongHistory<O>) -> Result<(), OrderError> {
    let HappensBefore::Pairs(pairs) = &history.happens_before else {
        return Ok(());
    };
    if let Some(&(first, second)) = pairs.iter().find(|pair| history.ops[pair.0].optional) {
        return Err(OrderError::AfterPending { first, second });
    }
    let mut graph = Graph::new(history.ops.len(), false);
    let threads: Vec<u32> = history.ops.iter().map(|op| op.thread).collect();
    let program_order = crate::order::program_order(&threads, |op| history.ops[op].optional);
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
