//! Partial orders over the operations of a history.
//!
//! Call/return intervals are one source of happens-before among several. Histories recorded with per-thread counters
//! have orders that are no interval orders, so neither this module nor the search assumes intervals.

use std::collections::BTreeMap;

use omnilink_trace::Timebox;
use thiserror::Error;

use crate::op_set::OpSet;

/// Why a relation is no partial order over the operations of a history, which are named by their position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.in_words(&[]))]
pub enum OrderError {
    /// An edge speaks of an operation that does not exist.
    NoSuchOp {
        /// The operation.
        op: usize,
        /// How many there are.
        count: usize,
    },
    /// Operations come before themselves.
    Cycle {
        /// The operations on the cycle, each before the next and the last before the first.
        cycle: Vec<usize>,
    },
    /// The history is too long to be searched.
    TooLong {
        /// How many operations there are.
        count: usize,
    },
    /// A pending operation has no end, so nothing happens after it.
    AfterPending {
        /// The pending operation.
        first: usize,
        /// The one after it.
        second: usize,
    },
    /// Counters that do not fit the history.
    Counters {
        /// The operation.
        op: usize,
        /// How many counters it has.
        found: usize,
        /// How many threads there are.
        threads: usize,
    },
}

impl OrderError {
    /// The problem and what to do about it, with the operations named by `labels`; those without one by their
    /// position.
    pub fn in_words(&self, labels: &[String]) -> String {
        let name = |op: &usize| labels.get(*op).cloned().unwrap_or_else(|| op.to_string());
        match self {
            Self::NoSuchOp { op, count } => {
                format!(
                    "the order names operation {op}, but the history has {count} operations, numbered from 0"
                )
            }
            Self::Cycle { cycle } => {
                let round = cycle.iter().chain(cycle.first());
                let arrows: Vec<String> = round.map(name).collect();
                format!(
                    "happens-before is cyclic: {}; operations of one thread are in the order in which they are given: \
                     remove one of these edges, or mend that order",
                    arrows.join(" -> ")
                )
            }
            Self::TooLong { count } => format!(
                "the history has {count} operations; at most {} can be checked against a weak criterion: split it, or \
                 check linearizability of timeboxes, which has no limit",
                OpSet::CAPACITY
            ),
            Self::AfterPending { first, second } => format!(
                "operation {0} never returned, so it cannot happen before operation {1}: remove this edge, or give \
                 operation {0} its result",
                name(first),
                name(second)
            ),
            Self::Counters { op, found, threads } => format!(
                "operation {} has {found} counters, but the history has {threads} threads: record one counter per thread",
                name(op)
            ),
        }
    }
}

/// A strict partial order over operations, transitively closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    before: Vec<OpSet>,
}

impl Order {
    /// The empty order.
    ///
    /// # Errors
    /// If there are more operations than can be searched.
    pub fn none(count: usize) -> Result<Self, OrderError> {
        if count > OpSet::CAPACITY {
            return Err(OrderError::TooLong { count });
        }
        Ok(Self {
            before: vec![OpSet::EMPTY; count],
        })
    }

    /// The least order that contains these pairs, each "this before that".
    ///
    /// # Errors
    /// If a pair names an operation that does not exist, or the pairs form a cycle.
    pub fn from_pairs(
        count: usize,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, OrderError> {
        let mut order = Self::none(count)?;
        for (first, second) in pairs {
            if let Some(op) = [first, second].into_iter().find(|op| *op >= count) {
                return Err(OrderError::NoSuchOp { op, count });
            }
            order.before[second] = order.before[second].with(first);
        }
        order.close()
    }

    /// Real time: an operation that ended before another began comes first.
    ///
    /// # Errors
    /// If there are more operations than can be searched.
    pub fn from_timeboxes(timeboxes: &[Timebox]) -> Result<Self, OrderError> {
        let mut order = Self::none(timeboxes.len())?;
        for (second, timebox) in timeboxes.iter().enumerate() {
            order.before[second] = (0..timeboxes.len())
                .filter(|first| timeboxes[*first].precedes(timebox))
                .collect();
        }
        Ok(order)
    }

    /// The least order that contains both.
    ///
    /// # Errors
    /// If they contradict each other.
    pub fn join(mut self, other: &Self) -> Result<Self, OrderError> {
        for (mine, theirs) in self.before.iter_mut().zip(&other.before) {
            *mine = mine.or(*theirs);
        }
        self.close()
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.before.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    /// The predecessors of `op`.
    pub fn before(&self, op: usize) -> OpSet {
        self.before[op]
    }

    /// The pairs from which, with another order that it contains, this one follows: those with nothing between them.
    pub fn beyond(&self, other: &Self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (second, before) in self.before.iter().enumerate() {
            let indirect = before
                .iter()
                .fold(OpSet::EMPTY, |all, first| all.or(self.before[first]));
            let direct = before.minus(indirect).minus(other.before[second]);
            pairs.extend(direct.iter().map(|first| (first, second)));
        }
        pairs
    }

    /// The predecessors of each operation.
    pub fn rows(&self) -> &[OpSet] {
        &self.before
    }

    fn close(mut self) -> Result<Self, OrderError> {
        if let Some(cycle) = self.cycle() {
            return Err(OrderError::Cycle { cycle });
        }
        close(&mut self.before);
        Ok(self)
    }

    /// A cycle, if there is one: after removing operations without predecessors, each remaining one has a remaining
    /// predecessor, and following predecessors ends in a cycle.
    fn cycle(&self) -> Option<Vec<usize>> {
        let mut left = OpSet::first(self.before.len());
        while let Some(free) = left.iter().find(|op| self.before[*op].and(left).is_empty()) {
            left = left.without(free);
        }
        let mut path = vec![left.iter().next()?];
        loop {
            let last = *path.last()?;
            let previous = self.before[last].and(left).iter().next()?;
            if let Some(from) = path.iter().position(|op| *op == previous) {
                let mut cycle = path.split_off(from);
                cycle.reverse();
                return Some(cycle);
            }
            path.push(previous);
        }
    }
}

/// Computes the transitive closure.
pub fn close(before: &mut [OpSet]) {
    loop {
        let mut is_closed = true;
        for op in 0..before.len() {
            let direct = before[op];
            let all = direct.iter().fold(direct, |all, first| all.or(before[first]));
            is_closed &= all == direct;
            before[op] = all;
        }
        if is_closed {
            return;
        }
    }
}

/// Program order: each operation with the last one of its thread before it. A pending operation comes before nothing.
pub fn program_order(
    threads: &[u32],
    is_pending: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (usize, usize)> {
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    threads.iter().enumerate().filter_map(move |(op, thread)| {
        let previous = if is_pending(op) {
            last.get(thread).copied()
        } else {
            last.insert(*thread, op)
        };
        previous.map(|first| (first, op))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ops: &[usize]) -> OpSet {
        ops.iter().copied().collect()
    }

    #[test]
    fn pairs_are_closed_transitively() {
        let order = Order::from_pairs(4, [(0, 1), (1, 2)]).unwrap();
        assert_eq!(order.before(2), set(&[0, 1]));
        assert_eq!(order.before(3), OpSet::EMPTY);
    }

    #[test]
    fn an_order_follows_from_what_it_has_beyond_another() {
        // 0 -> 1 is of one thread, 0 -> 2 and 1 -> 3 are not, 0 -> 3 follows.
        let program = Order::from_pairs(4, [(0, 1)]).unwrap();
        let order = Order::from_pairs(4, [(0, 1), (0, 2), (1, 3)]).unwrap();
        assert_eq!(order.beyond(&program), [(0, 2), (1, 3)]);
        let again = Order::from_pairs(4, order.beyond(&program)).unwrap();
        assert_eq!(again.join(&program), Ok(order));
    }

    #[test]
    fn a_cycle_is_shown_in_its_own_order() {
        let error = Order::from_pairs(5, [(4, 0), (0, 1), (1, 3), (3, 0)]).unwrap_err();
        assert!(
            error.to_string().starts_with("happens-before is cyclic: "),
            "{error}"
        );
        let OrderError::Cycle { cycle } = error else {
            panic!("{error}")
        };
        assert_eq!(cycle.len(), 3);
        let at = cycle.iter().position(|op| *op == 0).unwrap();
        assert_eq!([cycle[(at + 1) % 3], cycle[(at + 2) % 3]], [1, 3]);
    }

    #[test]
    fn an_unknown_operation_is_refused() {
        assert_eq!(
            Order::from_pairs(2, [(0, 2)]).unwrap_err(),
            OrderError::NoSuchOp { op: 2, count: 2 }
        );
    }
}
