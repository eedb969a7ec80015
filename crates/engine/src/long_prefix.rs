//! The beginning of a history that is too long for the plain search: followed by the sweep, which keeps all explanations.

use omnilink_trace::Time;

use crate::checker::Checker;
use crate::error::CheckError;
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::{Limits, Options};
use crate::plain_search::PlainSearch;

/// The beginning of a history, from the end of which a [`PlainSearch`] goes on.
#[derive(Debug)]
pub struct LongPrefix<'m, M: Model> {
    model: &'m M,
    async_threads: bool,
    checker: Checker<'m, M>,
    /// The operations that may be open, with their numbers.
    open: Vec<(u64, TimedOp<M::Op>)>,
    taken: u64,
}

impl<'m, M: Model> LongPrefix<'m, M> {
    /// An empty prefix.
    pub fn new(model: &'m M, options: Options) -> Self {
        let options = Options {
            witness: false,
            commit_after: None,
            ..options
        };
        Self {
            model,
            async_threads: options.async_threads,
            checker: Checker::whole_sweep(model, options).without_alternatives(),
            open: Vec::new(),
            taken: 0,
        }
    }

    /// Takes the next operation, and whether another one of its thread starts where it ends.
    ///
    /// # Errors
    /// If it starts before the one given last.
    pub fn push(&mut self, operation: TimedOp<M::Op>, is_followed: bool) -> Result<(), CheckError> {
        let start = operation.timebox.start;
        let is_open = |(_, op): &(u64, TimedOp<M::Op>)| op.timebox.end.is_none_or(|end| end >= start);
        self.open.retain(is_open);
        self.open.push((self.taken, operation.clone()));
        self.taken += 1;
        self.checker.push_followed(operation, is_followed)?;
        Ok(())
    }

    /// A plain search from all explanations of what has returned before `time`; `None` if a limit was reached, or there are none.
    pub fn into_plain(mut self, time: Time, limits: Limits) -> Option<PlainSearch<'m, M>> {
        if self.checker.exhausted().is_some() {
            return None;
        }
        let frontier = self.checker.frontier_at(time)?;
        let mut open = self.open;
        open.retain(|(id, _)| frontier.open.contains(id));
        let search = PlainSearch::starting_from(
            self.model,
            open,
            frontier.configurations,
            self.async_threads,
            limits,
        );
        Some(search)
    }
}
