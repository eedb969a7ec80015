//! Replay of memoised successors.

use omnilink_value::Value;
use smallvec::SmallVec;

use super::{MemoResult, MemoSuccessor};
use crate::error::{Outcome, type_error};
use crate::evaluator::Evaluator;
use crate::flow::Flow;
use crate::step::Continuation;
use crate::successors::{OnNextState, TakenAction};

/// A memoised successor before it is reported.
enum Prepared {
    Hashes(Hashes),
    Values(NextValues),
}

type Hashes = SmallVec<[u64; 6]>;
type NextValues = Vec<(u32, Value)>;

impl<'p> Evaluator<'p> {
    /// Continues with the memoised successors. `None` if one of them does not apply to the state.
    pub(super) fn replay(
        &mut self,
        point: u32,
        leaf: u32,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Option<Outcome<Flow>> {
        let Some(MemoResult::Successors(successors)) = self.result(point, leaf) else {
            return None;
        };
        if successors.is_empty() {
            return Some(Ok(Flow::Go));
        }
        let expected = self.memo.as_ref()?.points.get(point as usize)?.assigned;
        if expected != Some(self.assigned_variables()) {
            return None;
        }
        // If nothing follows, the hashes of a successor decide whether it must be built at all.
        let may_be_seen = rest.is_done() && !self.is_logging;
        // All are prepared before the first is reported: if one does not apply, evaluation reports them all.
        let mut prepared: SmallVec<[Prepared; 1]> = SmallVec::new();
        for successor in &**successors {
            let hashes = if may_be_seen { self.hashes(successor) } else { None };
            prepared.push(match hashes {
                Some(hashes) => Prepared::Hashes(hashes),
                None => Prepared::Values(self.next_values(successor)?),
            });
        }
        for (which, prepared) in prepared.iter_mut().enumerate() {
            if let Prepared::Hashes(hashes) = prepared {
                let taken = self.taken_by(point, leaf, which);
                if on_next.can_skip(hashes, taken) {
                    continue;
                }
                match self
                    .successor_at(point, leaf, which)
                    .and_then(|successor| self.next_values(successor))
                {
                    Some(values) => *prepared = Prepared::Values(values),
                    None => return Some(Err(type_error("a memoised step does not apply to its state"))),
                }
            }
            if let Prepared::Values(values) = prepared {
                let flow = self.replay_one(point, leaf, which, values, rest, on_next);
                if !matches!(flow, Ok(Flow::Go)) {
                    return Some(flow);
                }
            }
        }
        Some(Ok(Flow::Go))
    }

    fn successor_at(&self, point: u32, leaf: u32, which: usize) -> Option<&MemoSuccessor> {
        match self.result(point, leaf)? {
            MemoResult::Successors(successors) => successors.get(which),
            MemoResult::Value(_) => None,
        }
    }

    fn taken_by(&self, point: u32, leaf: u32, which: usize) -> Option<TakenAction> {
        let action = self
            .successor_at(point, leaf, which)
            .and_then(|successor| successor.action);
        match action {
            Some(action) => Some(TakenAction { action, base: None }),
            None => self.taken,
        }
    }

    /// The next values of a memoised successor; `None` if it does not apply to the state.
    fn next_values(&self, successor: &MemoSuccessor) -> Option<NextValues> {
        let values = successor.edits.iter();
        values
            .map(|(variable, edit)| Some((*variable, edit.apply(*variable, &self.state)?)))
            .collect()
    }

    /// The hashes of all next values, if they can be computed without building the state.
    #[inline]
    fn hashes(&self, successor: &MemoSuccessor) -> Option<Hashes> {
        if successor.edits.len() != self.next.len() {
            return None;
        }
        // The edits are in the order of the variables.
        let mut hashes = Hashes::new();
        for (variable, edit) in &successor.edits {
            hashes.push(edit.hash(*variable, &self.state)?);
        }
        Some(hashes)
    }

    fn replay_one(
        &mut self,
        point: u32,
        leaf: u32,
        which: usize,
        values: &mut [(u32, Value)],
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let outer = self.taken;
        self.taken = self.taken_by(point, leaf, which);
        if self.is_logging
            && let Some(successor) = self.successor_at(point, leaf, which)
        {
            let edits = successor.edits.clone();
            for (variable, edit) in edits {
                self.log_edit(variable, edit);
            }
        }
        for (variable, value) in values.iter_mut() {
            std::mem::swap(&mut self.next[*variable as usize], value);
            self.is_assigned[*variable as usize] = true;
        }
        self.unassigned -= values.len();
        let flow = self.continue_with(rest, on_next);
        for (variable, _) in values.iter() {
            self.is_assigned[*variable as usize] = false;
        }
        self.unassigned += values.len();
        self.taken = outer;
        flow
    }
}
