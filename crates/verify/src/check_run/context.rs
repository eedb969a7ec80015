//! What makes evidence readable without its input: the operations around a violation, or the explanation of a valid history.

use std::collections::{BTreeSet, VecDeque};

use omnilink_engine::{Counterexample, LimitWatch, Linearization, Model, Placement, successors};
use omnilink_evidence::{HistoryWindow, ReportedOperation, Witness};

use super::CheckRun;
use crate::detail::Detail;
use crate::error::VerifyError;
use crate::history::Read;
use crate::limits::CHECK_INTERVAL;

/// The explanation of a longer history is not part of its evidence: it is looked at together with the trace.
const WITNESS_OPS_MAX: usize = 5_000;
/// States of an explanation are not kept beyond this.
const STATES_BYTES_MAX: usize = 2 << 20;

/// Leaves out the steps of alternatives, which only a page shows.
pub(super) fn without_steps(counterexample: &mut Counterexample) {
    counterexample
        .alternatives
        .iter_mut()
        .for_each(|alternative| alternative.steps.clear());
    if let Some(agreed) = &mut counterexample.agreed {
        agreed.recent.clear();
    }
}

impl<M: Model> CheckRun<'_, M> {
    fn shown(&self, id: u64, read: &Read<M::Op>) -> ReportedOperation {
        read.operation
            .shown(id, self.model.describe_op(&read.operation.op))
    }

    /// Keeps the operations around one that cannot be explained. A limit ends it early: the verdict is known.
    pub(super) fn add_context(&mut self, unexplained: &ReportedOperation) -> Result<(), VerifyError> {
        let mut history = self.source.history()?;
        let mut watch = LimitWatch::new(self.request.options.limits);
        let mut before: VecDeque<(u64, Read<M::Op>)> = VecDeque::new();
        let mut after = 0;
        let mut id = 0_u64;
        while let Some(read) = history.next()? {
            if id.is_multiple_of(CHECK_INTERVAL) && watch.reached().is_some() {
                break;
            }
            let start = read.operation.timebox.start;
            let is_later = unexplained.end.is_some_and(|end| end < start);
            after += usize::from(is_later);
            if after > HistoryWindow::AFTER_MAX {
                break;
            }
            before.push_back((id, read));
            // Operations that overlap the unexplained one may be many: they count as well.
            if before.len() > HistoryWindow::BEFORE_MAX + HistoryWindow::AFTER_MAX && !is_later {
                before.pop_front();
            }
            id += 1;
        }
        let operations: Vec<ReportedOperation> =
            before.iter().map(|(id, read)| self.shown(*id, read)).collect();
        self.evidence.context = Some(Box::new(HistoryWindow {
            left_out_before: operations.first().map_or(0, |op| op.id),
            operations,
        }));
        Ok(())
    }

    /// Keeps the explanation of a valid history with the states that it goes through.
    pub(super) fn add_witness(&mut self, witness: Linearization) -> Result<(), VerifyError> {
        let Some(mut order) = witness.order else {
            return Ok(());
        };
        let mut left_out = order.len().saturating_sub(WITNESS_OPS_MAX);
        if left_out > 0 && !self.has_witness_end() {
            return Ok(());
        }
        let mut history = self.source.history()?;
        let mut read = Vec::new();
        while let Some(one) = history.next()? {
            read.push(one);
        }
        let states = self.states_along(&order, &read, left_out);
        if self.has_witness_end() && !states.is_empty() {
            left_out = order.len() - states.len();
        }
        let ended: BTreeSet<u64> = order.drain(..left_out).map(|placement| placement.op).collect();
        let operations: Vec<ReportedOperation> = (0..)
            .zip(&read)
            .filter(|(id, _)| !ended.contains(id))
            .map(|(id, one)| self.shown(id, one))
            .collect();
        self.evidence.context = Some(Box::new(HistoryWindow {
            left_out_before: operations.first().map_or(0, |op| op.id),
            operations,
        }));
        self.evidence.witness = Some(Witness::Linearization {
            order,
            states,
            left_out_before: left_out as u64,
        });
        Ok(())
    }

    /// Whether the end of a long explanation is wanted.
    fn has_witness_end(&self) -> bool {
        self.request.detail >= Detail::WitnessEnd
    }

    /// The state after each step from one on, as long as there is only one; none at all if the model leaves a choice.
    fn states_along(&self, order: &[Placement], read: &[Read<M::Op>], from: usize) -> Vec<String> {
        let mut initial = self.model.initial();
        let (Some(mut state), true) = (initial.pop(), initial.is_empty()) else {
            return Vec::new();
        };
        let mut texts = VecDeque::new();
        let mut bytes = 0;
        for (step, placement) in order.iter().enumerate() {
            let Some(one) = read.get(placement.op as usize) else {
                return Vec::new();
            };
            let mut next = successors(self.model, &state, &one.operation.op);
            let (Some(after), true) = (next.pop(), next.is_empty()) else {
                return Vec::new();
            };
            state = after;
            if step < from {
                continue;
            }
            let text = self.model.describe_state(&state);
            bytes += text.len();
            texts.push_back(text);
            if bytes > STATES_BYTES_MAX && !self.has_witness_end() {
                break;
            }
            while bytes > STATES_BYTES_MAX {
                bytes -= texts.pop_front().map_or(bytes, |text| text.len());
            }
        }
        texts.into()
    }
}
