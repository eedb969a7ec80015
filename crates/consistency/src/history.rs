//! A history, ready to be checked: operations decoded for a model, program order and happens-before.

use omnilink_history::{OpSet, Order, OrderError, program_order};
use omnilink_trace::{Time, Timebox};

/// One operation of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryOp<O> {
    /// The operation with the result that it returned.
    pub op: O,
    /// The same operation with its result forgotten: its effect on operations that see it, whatever it returned.
    ///
    /// Models represent it like a pending call.
    pub effect: O,
    /// The method's name, as criteria use it.
    pub method: String,
    /// The thread that called it.
    pub thread: u32,
    /// Whether it is pending: it may not have happened at all, and nothing happens after it.
    pub optional: bool,
    /// Its id in the input.
    pub label: String,
}

/// A history: operations, program order and happens-before.
///
/// Invariant: both orders are transitively closed, program order is part of happens-before, and both are over all
/// operations.
#[derive(Clone, Debug)]
pub struct History<O> {
    ops: Vec<HistoryOp<O>>,
    program_order: Order,
    happens_before: Order,
    /// The names of threads, by number.
    thread_names: Vec<String>,
}

impl<O> History<O> {
    /// A history whose threads each did their operations in the order in which they are given.
    ///
    /// Happens-before is the least order that contains `happens_before` and program order.
    ///
    /// # Errors
    /// If `happens_before` contradicts program order or has another number of operations.
    pub fn new(ops: Vec<HistoryOp<O>>, happens_before: &Order) -> Result<Self, OrderError> {
        let count = ops.len();
        if happens_before.len() != count {
            return Err(OrderError::NoSuchOp {
                op: happens_before.len().max(count) - 1,
                count,
            });
        }
        let pending = |op: usize| ops.get(op).is_some_and(|op| op.optional);
        let threads: Vec<u32> = ops.iter().map(|op| op.thread).collect();
        let pairs = program_order(&threads, pending);
        let program_order = Order::from_pairs(count, pairs)?;
        let happens_before = program_order.clone().join(happens_before)?;
        for second in 0..count {
            if let Some(first) = happens_before.before(second).iter().find(|first| pending(*first)) {
                return Err(OrderError::AfterPending { first, second });
            }
        }
        Ok(Self {
            ops,
            program_order,
            happens_before,
            thread_names: Vec::new(),
        })
    }

    /// A history in real time. Operations of one thread are in program order unless they overlap; a return and a call
    /// of one thread at the same time are in that order.
    ///
    /// # Errors
    /// If there are more operations than can be searched.
    pub fn from_timeboxes(ops: Vec<HistoryOp<O>>, timeboxes: &[Timebox]) -> Result<Self, OrderError> {
        Self::timed(ops, timeboxes, |end, start| end <= start)
    }

    /// A history with real time whose threads are labels: operations of one thread are in program order only where real time
    /// orders them.
    ///
    /// # Errors
    /// If there are more operations than can be searched.
    pub fn from_async_timeboxes(ops: Vec<HistoryOp<O>>, timeboxes: &[Timebox]) -> Result<Self, OrderError> {
        Self::timed(ops, timeboxes, |end, start| end < start)
    }

    fn timed(
        ops: Vec<HistoryOp<O>>,
        timeboxes: &[Timebox],
        is_over: fn(Time, Time) -> bool,
    ) -> Result<Self, OrderError> {
        let count = ops.len();
        if timeboxes.len() != count {
            return Err(OrderError::NoSuchOp {
                op: timeboxes.len().max(count) - 1,
                count,
            });
        }
        let mut pairs = Vec::new();
        for (first, (a, from)) in ops.iter().zip(timeboxes).enumerate() {
            for (second, (b, to)) in ops.iter().zip(timeboxes).enumerate() {
                let is_earlier = (from.start, first) < (to.start, second);
                if a.thread == b.thread
                    && !a.optional
                    && is_earlier
                    && from.end.is_some_and(|end| is_over(end, to.start))
                {
                    pairs.push((first, second));
                }
            }
        }
        let program_order = Order::from_pairs(count, pairs)?;
        let happens_before = Order::from_timeboxes(timeboxes)?.join(&program_order)?;
        Ok(Self {
            ops,
            program_order,
            happens_before,
            thread_names: Vec::new(),
        })
    }

    /// The history with names for its threads, by number; a thread without one goes by its number.
    #[must_use]
    pub fn with_thread_names(mut self, names: Vec<String>) -> Self {
        self.thread_names = names;
        self
    }

    /// The name of a thread.
    pub fn thread_name(&self, thread: u32) -> String {
        let name = self.thread_names.get(thread as usize);
        name.map_or_else(|| thread.to_string(), Clone::clone)
    }

    /// The operations.
    pub fn ops(&self) -> &[HistoryOp<O>] {
        &self.ops
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// The order of each thread's own operations.
    pub fn program_order(&self) -> &Order {
        &self.program_order
    }

    /// Which operations were over before which began.
    pub fn happens_before(&self) -> &Order {
        &self.happens_before
    }

    /// The operations that are not pending.
    pub(crate) fn required(&self) -> OpSet {
        (0..self.ops.len()).filter(|op| !self.ops[*op].optional).collect()
    }
}

impl<O: Clone> History<O> {
    /// The history with the results of some operations forgotten: they may have returned anything.
    pub(crate) fn forgetting(&self, forgotten: OpSet) -> Self {
        let mut history = self.clone();
        for op in forgotten.iter() {
            history.ops[op].op = history.ops[op].effect.clone();
        }
        history
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations of these threads, and their timeboxes.
    fn history(boxes: &[(u32, Time, Option<Time>)], is_async: bool) -> History<()> {
        let observed = |(position, (thread, _, end)): (usize, &(u32, Time, Option<Time>))| HistoryOp {
            op: (),
            effect: (),
            method: String::new(),
            thread: *thread,
            optional: end.is_none(),
            label: position.to_string(),
        };
        let ops = boxes.iter().enumerate().map(observed).collect();
        let timeboxes: Vec<Timebox> = boxes
            .iter()
            .map(|(_, start, end)| Timebox {
                start: *start,
                end: *end,
            })
            .collect();
        let timed = if is_async {
            History::from_async_timeboxes(ops, &timeboxes)
        } else {
            History::from_timeboxes(ops, &timeboxes)
        };
        timed.expect("few operations")
    }

    #[test]
    fn happens_before_contains_program_order_where_timeboxes_touch() {
        let boxes = [
            (0, 0, Some(5)),
            (1, 0, Some(5)),
            (0, 5, Some(5)),
            (0, 5, Some(7)),
            (1, 5, None),
            (2, 5, Some(5)),
        ];
        let timed = history(&boxes, false);
        for second in 0..boxes.len() {
            let program = timed.program_order().before(second);
            assert!(program.is_within(timed.happens_before().before(second)));
        }
        let before = |op: usize| timed.happens_before().before(op).iter().collect::<Vec<_>>();
        assert_eq!((before(2), before(3), before(4)), (vec![0], vec![0, 2], vec![1]));
        assert!(before(5).is_empty());
    }

    #[test]
    fn threads_that_are_labels_have_no_order_where_timeboxes_touch() {
        let timed = history(&[(0, 0, Some(5)), (0, 5, Some(6)), (0, 7, Some(8))], true);
        assert!(timed.happens_before().before(1).iter().next().is_none());
        assert_eq!(
            timed.happens_before().before(2).iter().collect::<Vec<_>>(),
            [0, 1]
        );
    }
}
