//! Vector clocks, and return clocks.
//!
//! An operation's vector clock has, for each thread, the number of its operations that were over when this one began,
//! and for its own thread the number of this operation. Its *return clock*, if it has one, has the number of
//! operations of each thread that had begun when this one returned: operations that began later come after it.
//! `omnilink-record` writes both.

use std::collections::BTreeMap;

use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::history_error::HistoryProblem;

/// A number of operations for each thread: a record of integers, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clock(Value);

impl Clock {
    fn of(value: &Value) -> Option<Self> {
        let entries = value.as_record()?;
        let is_clock = entries.iter().all(|(_, count)| count.as_int().is_some());
        is_clock.then(|| Self(value.clone()))
    }

    fn counts(&self) -> impl Iterator<Item = (&str, i64)> {
        let entries = self.0.as_record().into_iter().flat_map(|entries| entries.iter());
        entries.filter_map(|(thread, count)| Some((thread, count.as_int()?)))
    }

    fn get(&self, thread: &str) -> Option<i64> {
        self.0.field(thread).and_then(Value::as_int)
    }
}

/// The clocks of a history's operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorClocks {
    /// The vector clock of each operation.
    called: Vec<Clock>,
    /// The return clock of each operation, if it was recorded.
    returned: Vec<Option<Clock>>,
    /// The thread of each operation.
    threads: Vec<Value>,
}

impl VectorClocks {
    /// The clocks of operations, if all have a vector clock.
    pub(crate) fn of(ops: &[Operation], labels: &[String]) -> Result<Option<Self>, HistoryProblem> {
        let called: Option<Vec<Clock>> = ops
            .iter()
            .map(|op| op.clock.as_ref().and_then(Clock::of))
            .collect();
        let mut returned = Vec::with_capacity(ops.len());
        for (op, label) in ops.iter().zip(labels) {
            let noted = op.meta.as_ref().and_then(|meta| meta.field("return_clock"));
            returned.push(match noted {
                None => None,
                Some(noted) => Some(Clock::of(noted).ok_or_else(|| HistoryProblem::Wrong {
                    whole: format!("operation {label}"),
                    field: "return_clock",
                    found: noted.clone(),
                    expected: "how many operations each thread had begun: an object of integers",
                })?),
            });
        }
        let threads: Vec<Value> = ops.iter().map(|op| op.thread.clone()).collect();
        if returned.iter().all(Option::is_none) {
            let of_some = called.filter(|called| !called.is_empty());
            return Ok(of_some.map(|called| Self {
                called,
                returned,
                threads,
            }));
        }
        // Return clocks need the number of every operation in its thread.
        for ((op, label), thread) in ops.iter().zip(labels).zip(&threads) {
            let own = op.clock.as_ref().and_then(Clock::of);
            if own.is_none_or(|clock| clock.get(&text_of(thread)).is_none()) {
                return Err(HistoryProblem::Missing {
                    whole: format!("operation {label}"),
                    field: "clock",
                    expected: "a vector clock that says which operation of its thread it is: other operations have \
                               a \"return_clock\"",
                });
            }
        }
        Ok(called.map(|called| Self {
            called,
            returned,
            threads,
        }))
    }

    /// Pairs of these operations from which, with program order, all that the clocks say follows. `thread_of` is the thread of each.
    ///
    /// In a thread whose clocks only grow, the operations that come before another one are a prefix, so the last of them is
    /// enough; where the clocks of a thread do not, every pair is given.
    pub fn pairs(&self, kept: &[usize], thread_of: &[u32]) -> Vec<(usize, usize)> {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, _) in kept.iter().flat_map(|at| self.called[*at].counts()) {
            let next = names.len();
            names.entry(name).or_insert(next);
        }
        let dense: Vec<Vec<i64>> = kept
            .iter()
            .map(|at| {
                let mut clock = vec![0; names.len()];
                self.called[*at]
                    .counts()
                    .for_each(|(name, count)| clock[names[name]] = count);
                clock
            })
            .collect();
        let is_within = |a: usize, b: usize| dense[a].iter().zip(&dense[b]).all(|(a, b)| a <= b);
        let is_before = |first: usize, second: usize| is_within(first, second) && !is_within(second, first);
        let mut threads: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (op, thread) in thread_of.iter().enumerate() {
            threads.entry(*thread).or_default().push(op);
        }
        let texts: Vec<String> = self.threads.iter().map(text_of).collect();
        let mut pairs = Vec::new();
        for ops in threads.values() {
            let is_growing = ops.windows(2).all(|pair| is_within(pair[0], pair[1]));
            for second in 0..kept.len() {
                if is_growing {
                    let over = ops.partition_point(|first| is_before(*first, second));
                    pairs.extend(ops[..over].last().map(|first| (*first, second)));
                } else {
                    let before = ops.iter().filter(|first| is_before(**first, second));
                    pairs.extend(before.map(|first| (*first, second)));
                }
            }
            // Those that had not begun when an operation returned come after it; the first of them is enough if their numbers grow.
            let name = ops.first().map(|op| &texts[kept[*op]]);
            let Some(name) = name else { continue };
            let number = |op: usize| self.called[kept[op]].get(name);
            let is_growing = ops.windows(2).all(|pair| number(pair[0]) <= number(pair[1]));
            for (first, at) in kept.iter().enumerate().filter(|(_, at)| texts[**at] != *name) {
                // Of a thread that is not named nothing is known: it may be of another recording, merged with this one.
                let Some(begun) = self.returned[*at].as_ref().and_then(|clock| clock.get(name)) else {
                    continue;
                };
                let later = ops.iter().filter(|op| number(**op) > Some(begun));
                let count = if is_growing { 1 } else { ops.len() };
                pairs.extend(later.take(count).map(|second| (first, *second)));
            }
        }
        pairs
    }
}

/// Keys of a vector clock are texts, threads need not be.
fn text_of(thread: &Value) -> String {
    thread.as_str().map_or_else(|| thread.to_string(), str::to_owned)
}
