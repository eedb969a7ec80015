//! Operations in order of start, in constant memory, from inputs in any order.
//!
//! Logs are written when a call returns, or thread after thread, so the order of a file is not the order of starts. Four
//! ways lead there, the cheapest that is certain to work is taken:
//!
//! 1. a file that fits [`Plan::chunk_ops`] is sorted in memory;
//! 2. a larger file is looked through once, reading starts only; if it is in order, it then streams straight through,
//! 3. if no operation comes more than [`look_ahead::WINDOW_MAX`] places late, through a window of just that size,
//! 4. and otherwise through sorted runs in a temporary file.
//!
//! A header that promises `"sorted":true` saves the look; a broken promise is an error, never a wrong order.

mod look_ahead;
mod merge;
mod reorder;
mod spill;

use std::sync::Arc;

use crate::note::Notes;
use crate::records::Records;
use crate::{Note, Operation, TraceError};

pub(crate) use merge::Merge;

use look_ahead::{Disorder, look_ahead};
use reorder::Reorder;

/// What to believe about the order of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Find out. An input that can be read only once is sorted within a large window.
    #[default]
    Auto,
    /// It is in order of start: stream it without looking ahead, as an online monitor must. Anything late is an error.
    Sorted,
    /// It is not: sort it, through a temporary file if it is large.
    Unsorted,
}

/// How to bring one input in order.
pub(crate) struct Plan<'a> {
    pub(crate) file: &'a str,
    pub(crate) order: Order,
    pub(crate) is_repeatable: bool,
    /// How many operations may be held in memory.
    pub(crate) chunk_ops: usize,
    pub(crate) notes: &'a Notes,
}

/// The operations of `records` in order of start, ties in the order of the input. `reopen` gives the same records from
/// the beginning.
pub(crate) fn in_order(
    mut records: Box<dyn Records>,
    reopen: impl Fn() -> Result<Box<dyn Records>, TraceError>,
    plan: &Plan<'_>,
) -> Result<Box<dyn Records>, TraceError> {
    if plan.order == Order::Sorted {
        return Ok(Box::new(Reorder::new(records, 0)));
    }
    let mut chunk = Vec::new();
    while chunk.len() < plan.chunk_ops {
        match records.next()? {
            Some(operation) => chunk.push(operation),
            None => return Ok(Box::new(sorted_in_memory(chunk, plan))),
        }
    }
    let window = match (plan.order, plan.is_repeatable) {
        (Order::Unsorted, _) => None,
        (_, false) => Some(plan.chunk_ops),
        (_, true) => match look_ahead(reopen()?.as_mut()) {
            Disorder::None => Some(0),
            Disorder::Within(window) => {
                plan.notes.push(Note::Sorted {
                    file: plan.file.to_owned(),
                    spilled: false,
                });
                Some(window)
            }
            Disorder::Beyond => None,
        },
    };
    match window {
        Some(window) => {
            let ahead = Ahead {
                ready: chunk.into_iter(),
                rest: records,
            };
            Ok(Box::new(Reorder::new(Box::new(ahead), window)))
        }
        None => {
            plan.notes.push(Note::Sorted {
                file: plan.file.to_owned(),
                spilled: true,
            });
            spill::sort(chunk, records, plan.chunk_ops)
        }
    }
}

/// How many operations may be held in memory to bring inputs in order; all inputs of a trace share it.
pub(crate) const CHUNK_OPS: usize = 1 << 15;

/// The operations of `records` in order of start, ties in the order in which they come.
pub(crate) fn sorted(records: Box<dyn Records>) -> Result<Box<dyn Records>, TraceError> {
    let plan = Plan {
        file: "",
        order: Order::Unsorted,
        is_repeatable: false,
        chunk_ops: CHUNK_OPS,
        // It is no news to anyone that a change of times changes the order.
        notes: &Notes::default(),
    };
    let never_reopened = || Ok(Box::new(InMemory(Vec::new().into_iter())) as Box<dyn Records>);
    in_order(records, never_reopened, &plan)
}

fn sorted_in_memory(mut operations: Vec<Arc<Operation>>, plan: &Plan<'_>) -> InMemory {
    if !operations.is_sorted_by_key(|operation| operation.timebox.start) {
        operations.sort_by_key(|operation| operation.timebox.start);
        plan.notes.push(Note::Sorted {
            file: plan.file.to_owned(),
            spilled: false,
        });
    }
    InMemory(operations.into_iter())
}

struct InMemory(std::vec::IntoIter<Arc<Operation>>);

impl Records for InMemory {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        Ok(self.0.next())
    }
}

/// Operations that were read ahead, then the rest.
struct Ahead {
    ready: std::vec::IntoIter<Arc<Operation>>,
    rest: Box<dyn Records>,
}

impl Records for Ahead {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        match self.ready.next() {
            Some(operation) => Ok(Some(operation)),
            None => self.rest.next(),
        }
    }
}
