//! Vector clocks, and what was noted when operations returned.
//!
//! An operation's vector clock says, for each thread, how many of its operations were over when this one began, and for
//! its own thread which operation it is. Its *return clock*, if it has one, says how many operations of each thread had
//! begun when this one was over: whatever began later comes after it. `omnilink-record` writes both.

use std::collections::BTreeMap;

use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::order::{Order, OrderError};
use crate::recorded_history::RecordedProblem;

/// How many operations of each thread.
type Clock = BTreeMap<String, i64>;

/// The clocks of a history's operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The vector clock of each operation.
    called: Vec<Clock>,
    /// What had begun when it returned, if that was noted.
    returned: Vec<Option<Clock>>,
    /// The thread of each operation, as clocks name it.
    threads: Vec<String>,
}

impl Clocks {
    /// The clocks of operations, if all have a vector clock.
    pub(crate) fn of(ops: &[Operation], labels: &[String]) -> Result<Option<Self>, RecordedProblem> {
        let called: Option<Vec<Clock>> = ops
            .iter()
            .map(|op| op.clock.as_ref().and_then(clock_of))
            .collect();
        let mut returned = Vec::with_capacity(ops.len());
        for (op, label) in ops.iter().zip(labels) {
            let noted = op.meta.as_ref().and_then(|meta| meta.field("return_clock"));
            returned.push(match noted {
                None => None,
                Some(noted) => Some(clock_of(noted).ok_or_else(|| RecordedProblem::Wrong {
                    whole: format!("operation {label}"),
                    field: "return_clock",
                    found: noted.clone(),
                    expected: "how many operations each thread had begun: an object of integers",
                })?),
            });
        }
        let threads: Vec<String> = ops.iter().map(|op| text_of(&op.thread)).collect();
        if returned.iter().all(Option::is_none) {
            let of_some = called.filter(|called| !called.is_empty());
            return Ok(of_some.map(|called| Self {
                called,
                returned,
                threads,
            }));
        }
        // What began later can only be told where every operation says which of its thread it is.
        for ((op, label), thread) in ops.iter().zip(labels).zip(&threads) {
            let own = op.clock.as_ref().and_then(clock_of);
            if own.is_none_or(|clock| !clock.contains_key(thread)) {
                return Err(RecordedProblem::Missing {
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

    /// The order that they tell between these operations.
    ///
    /// # Errors
    /// If there are too many, or what they tell is cyclic.
    pub(crate) fn order(&self, kept: &[usize]) -> Result<Order, OrderError> {
        let called: Vec<Clock> = kept.iter().map(|at| self.called[*at].clone()).collect();
        let order = Order::from_vector_clocks(&called)?;
        let mut later = Vec::new();
        for (first, at) in kept.iter().enumerate() {
            let Some(begun) = &self.returned[*at] else {
                continue;
            };
            for (second, other) in kept.iter().enumerate() {
                let thread = &self.threads[*other];
                let number = self.called[*other].get(thread);
                // Of a thread that is not named nothing is known: it may be one of another recording, merged with this.
                let has_begun = begun.get(thread).is_none_or(|begun| number <= Some(begun));
                if *thread != self.threads[*at] && !has_begun {
                    later.push((first, second));
                }
            }
        }
        order.join(&Order::from_pairs(kept.len(), later)?)
    }
}

fn clock_of(value: &Value) -> Option<Clock> {
    let entries = value.as_record()?;
    entries
        .iter()
        .map(|(who, at)| Some((who.to_owned(), at.as_int()?)))
        .collect()
}

/// Keys of a vector clock are texts, threads need not be.
fn text_of(thread: &Value) -> String {
    thread.as_str().map_or_else(|| thread.to_string(), str::to_owned)
}
