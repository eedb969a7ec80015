//! Readings of an input for what the engine does not keep: order of threads, parts that belong together, places.

use std::collections::BTreeSet;

use omnilink_engine::{
    Components, Consistency, Counterexample, Footprint, LimitWatch, Model, Placement, TimedOp, minimize,
};
use omnilink_evidence::MinimalHistory;
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;

use super::{CheckEvent, CheckRun};
use crate::error::VerifyError;
use crate::history::{History, Read};
use crate::limits::CHECK_INTERVAL;
use crate::places::each_of;

impl<M: Model> CheckRun<'_, M> {
    /// Whether an order has every thread's operations in the order in which the input has them.
    pub(super) fn keeps_program_order(&mut self, order: &[Placement]) -> Result<bool, VerifyError> {
        let mut threads = Vec::new();
        let mut history = History::open(self.decode, self.input)?;
        while let Some(read) = history.next()? {
            threads.push(read.operation.thread);
        }
        let mut last: FxHashMap<u32, u64> = FxHashMap::default();
        Ok(order.iter().all(|placement| {
            let thread = threads.get(placement.op as usize).copied().unwrap_or_default();
            let before = last.insert(thread, placement.op);
            before.is_none_or(|before| before < placement.op)
        }))
    }

    /// For each operation, whether another one of its thread starts where it ends.
    pub(super) fn find_followed(&self) -> Result<Vec<bool>, VerifyError> {
        let mut history = History::open(self.decode, self.input)?;
        let mut followed = Vec::new();
        let mut last: FxHashMap<u32, Vec<(Time, usize)>> = FxHashMap::default();
        while let Some(Read { operation, .. }) = history.next()? {
            let Timebox { start, end } = operation.timebox;
            let open = last.entry(operation.thread).or_default();
            for (_, position) in open.iter().filter(|(end, _)| *end == start) {
                followed[*position] = true;
            }
            open.retain(|(end, _)| *end >= start);
            open.extend(end.map(|end| (end, followed.len())));
            followed.push(false);
        }
        Ok(followed)
    }

    /// Which parts belong together.
    pub(super) fn components(&self) -> Result<Components, VerifyError> {
        let mut components = Components::default();
        let mut history = History::open(self.decode, self.input)?;
        let mut watch = LimitWatch::new(self.options().limits);
        let mut operations = 0_u64;
        while let Some(read) = history.next()? {
            operations += 1;
            // What was not read may belong together in any way.
            if operations.is_multiple_of(CHECK_INTERVAL) && watch.reached().is_some() {
                components.observe(&Footprint::everything());
                break;
            }
            components.observe(&self.model.footprint(&read.operation.op));
            if components.is_settled() {
                break;
            }
        }
        Ok(components)
    }

    /// Shrinks the history up to the return that cannot be explained.
    pub(super) fn minimize(
        &mut self,
        counterexample: &Counterexample,
    ) -> Result<Option<Box<MinimalHistory>>, VerifyError> {
        let mut history = History::open(self.decode, self.input)?;
        let mut operations: Vec<TimedOp<M::Op>> = Vec::new();
        let is_sequential = self.request.options.consistency == Consistency::Sequential;
        let mut watch = LimitWatch::new(self.options().limits);
        while let Some(read) = history.next()? {
            if operations.len().is_multiple_of(CHECK_INTERVAL as usize) && watch.reached().is_some() {
                let note = "a limit was reached before the violation could be shrunk";
                self.evidence.notes.push(note.to_owned());
                return Ok(None);
            }
            // What starts after that return has no say in it, unless real time does not count.
            let end = counterexample.op.end;
            let is_later = end.is_some_and(|end| end < read.operation.timebox.start);
            if is_later && !is_sequential {
                break;
            }
            operations.push(read.operation);
        }
        let minimal = minimize(self.model, operations, self.options())?;
        if minimal.is_none() {
            self.evidence
                .notes
                .push("the violation could not be shrunk within the limits".to_owned());
        }
        let describe = |op: &M::Op| self.model.describe_op(op);
        Ok(minimal.map(|minimal| Box::new(minimal.shown(describe))))
    }

    /// Reads the input again to find where these operations stand in it.
    pub(super) fn find_places(
        &mut self,
        wanted: &BTreeSet<u64>,
        unexplained: Option<u64>,
    ) -> Result<(), VerifyError> {
        each_of(self.decode, self.input, wanted, |id, observed| {
            if unexplained == Some(id) {
                (self.observe)(CheckEvent::Unexplained(observed));
            }
            self.places.insert(id, observed.location.to_string());
        })
    }
}
