//! A partial order as timeboxes, as far as timeboxes can express it.
//!
//! The engine's strategies process calls and returns: where an order is an interval order, returns force operations
//! one by one. Orders recorded with counters are not always interval orders. Those are given as the timeboxes of a
//! *weaker* order, and the model that places operations refuses what the rest of the order forbids.

use omnilink_history::OpSet;
use omnilink_sorting::sort_by_key;
use omnilink_trace::Timebox;

/// Timeboxes that express as much of an order as a chain of its sets can.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The operations in the order of their starts.
    pub by_start: Vec<usize>,
    /// The timebox of each operation, by position.
    pub timeboxes: Vec<Timebox>,
}

impl Timeline {
    /// The timeline of an order, given by what comes before each operation, transitively closed.
    ///
    /// Operations start in the order of how much comes before them, so that what comes before starts before. Let `C(i)`
    /// be what comes before *all* operations from the `i`-th on. These sets only grow. An operation ends before the
    /// first `i`-th starts whose `C(i)` it is in.
    ///
    /// *Sound*: if `x` ends before `y` starts, `x` is in a `C(i)` with `y` from the `i`-th on, so `x` comes before `y`.
    /// *Exact for interval orders*: there, what comes before operations is a chain, so `C(i)` is what comes before the
    /// `i`-th. ∎
    pub fn new(before: &[OpSet]) -> Self {
        let count = before.len();
        let mut by_start: Vec<usize> = (0..count).collect();
        sort_by_key(&mut by_start, |op| before[*op].len());
        let mut timeboxes = vec![Timebox::new(0, 0); count];
        // In reverse: an operation in no set of the chain ends after everything has started.
        let mut ends = vec![2 * count as i64; count];
        let mut common = OpSet::first(count);
        for (at, &op) in by_start.iter().enumerate().rev() {
            common = common.and(before[op]);
            for over in common.iter() {
                ends[over] = 2 * at as i64 - 1;
            }
        }
        for (at, &op) in by_start.iter().enumerate() {
            timeboxes[op] = Timebox::new(2 * at as i64, ends[op]);
        }
        Self { by_start, timeboxes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omnilink_history::Order;

    fn expressed(timeline: &Timeline) -> Vec<OpSet> {
        let Timeline { timeboxes, .. } = timeline;
        let row = |to: &Timebox| {
            let first = |from: &usize| timeboxes[*from].precedes(to);
            (0..timeboxes.len()).filter(first).collect()
        };
        timeboxes.iter().map(row).collect()
    }

    /// ```text
    /// t0  |--0--|  |--1--|
    /// t1      |-----2-----|  |--3--|
    /// ```
    #[test]
    fn an_interval_order_is_told_exactly() {
        let times = [(0, 6), (9, 15), (4, 16), (19, 25)].map(|(start, end)| Timebox::new(start, end));
        let order = Order::from_timeboxes(&times).unwrap();
        assert_eq!(expressed(&Timeline::new(order.rows())), order.rows());
    }

    #[test]
    fn of_two_chains_that_ignore_each_other_no_more_is_told_than_holds() {
        let order = Order::from_pairs(4, [(0, 1), (2, 3)]).unwrap();
        let expressed = expressed(&Timeline::new(order.rows()));
        assert_eq!(expressed[1], OpSet::EMPTY);
        assert!((0..4).all(|op| expressed[op].is_within(order.before(op))));
    }

    #[test]
    fn a_point_that_all_pass_is_told() {
        let before_the_point = [(0, 1), (2, 3), (0, 4), (1, 4), (2, 4), (3, 4)];
        let after_it = [(4, 5), (5, 6), (4, 7), (7, 8)];
        let order = Order::from_pairs(9, before_the_point.into_iter().chain(after_it)).unwrap();
        let expressed = expressed(&Timeline::new(order.rows()));
        assert_eq!(expressed[4], OpSet::first(4));
        assert_eq!(expressed[6], OpSet::first(5));
        assert!((0..9).all(|op| expressed[op].is_within(order.before(op))));
    }
}
