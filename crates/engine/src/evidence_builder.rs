//! The translation of a search's ids back into evidence.

use omnilink_evidence::{Alternative, Candidate, Continuation, Counterexample, ReportedOperation};
use omnilink_sorting::sort_by_key;

use crate::blocked_return::BlockedReturn;
use crate::error::CheckError;
use crate::op_table::{OpRecord, OpRef, OpTable};
use crate::state_ids::StateId;
use crate::state_space::DynStateSpace;

/// Translates operation and state ids into evidence.
pub(crate) struct EvidenceBuilder<'a, 's> {
    space: &'a mut DynStateSpace<'s>,
    op_table: &'a OpTable,
    with_alternatives: bool,
    /// Bytes of states described so far.
    described: usize,
}

/// Alternatives are listed, and the states that candidates lead to, until their states take this much together. At least one
/// alternative is listed.
const STATES_BYTES_MAX: usize = 1 << 20;

impl<'a, 's> EvidenceBuilder<'a, 's> {
    pub fn new(space: &'a mut DynStateSpace<'s>, op_table: &'a OpTable, with_alternatives: bool) -> Self {
        Self {
            space,
            op_table,
            with_alternatives,
            described: 0,
        }
    }

    pub fn view(&self, op: OpRef) -> ReportedOperation {
        let record = self.op_table.get(op);
        let text = self.space.model.describe_op(record.class);
        let timebox = record.timebox();
        ReportedOperation::timed(record.id, record.thread, text, timebox.start, timebox.end)
    }

    fn views(&self, ops: &[OpRef]) -> Vec<ReportedOperation> {
        ops.iter().map(|op| self.view(*op)).collect()
    }

    pub fn counterexample(mut self, blocked: BlockedReturn) -> Counterexample {
        Counterexample {
            op: self.view(blocked.target),
            alternatives: self.alternatives(&blocked),
            alternatives_total: blocked.total,
            agreed: None,
            broken: None,
        }
    }

    pub fn alternatives(&mut self, blocked: &BlockedReturn) -> Vec<Alternative> {
        if !self.with_alternatives {
            return Vec::new();
        }
        let mut alternatives = Vec::new();
        for config in &blocked.configurations {
            if self.described > STATES_BYTES_MAX {
                break;
            }
            let mut unplaced = config.unplaced.clone();
            sort_by_key(&mut unplaced, |op| self.op_table.get(*op).deadline().1);
            sort_by_key(&mut unplaced, |op| self.op_table.get(*op).deadline().0);
            sort_by_key(&mut unplaced, |op| *op != blocked.target);
            let candidates = unplaced
                .into_iter()
                .map(|op| Candidate {
                    op: self.view(op),
                    continuation: self.continuation(config.state, op),
                })
                .collect();
            alternatives.push(Alternative {
                state: self.describe(config.state),
                recent: self.views(&config.recent),
                steps: Vec::new(),
                placed: self.views(&config.placed),
                candidates,
            });
        }
        alternatives
    }

    /// Whether some alternative leads on after all: an operation that it may place next leads to a state that accepts the one that has no
    /// explanation. Then the evidence contradicts the verdict.
    ///
    /// Operations that the order of threads keeps apart are not looked at.
    pub fn contradiction(&mut self, blocked: &BlockedReturn) -> Option<CheckError> {
        let target = *self.op_table.get(blocked.target);
        for config in &blocked.configurations {
            let unplaced: Vec<OpRecord> = config.unplaced.iter().map(|op| *self.op_table.get(*op)).collect();
            let placed: Vec<OpRecord> = config.placed.iter().map(|op| *self.op_table.get(*op)).collect();
            let is_free = |op: &OpRecord| {
                unplaced.iter().all(|other| !other.is_tied_before(op))
                    && placed.iter().all(|other| !op.is_tied_before(other))
            };
            if !is_free(&target) {
                continue;
            }
            for op in unplaced.iter().filter(|op| op.id != target.id && is_free(op)) {
                let successors = self.space.successors(config.state, op.class);
                let next: Vec<StateId> = (0..)
                    .map_while(|branch| self.space.successor(successors, branch))
                    .collect();
                if next
                    .into_iter()
                    .any(|state| self.space.accepts(state, target.class))
                {
                    return Some(CheckError::Contradiction {
                        op: self.space.model.describe_op(target.class),
                        after: self.space.model.describe_op(op.class),
                        end: target.end,
                    });
                }
            }
        }
        None
    }

    fn continuation(&mut self, state: StateId, op: OpRef) -> Continuation {
        let class = self.op_table.get(op).class;
        let successors = self.space.successors(state, class);
        if successors.is_refused() {
            let refusal = self.space.model.explain(state, class);
            let (reason, places) = refusal.map(|one| (one.reason, one.places)).unzip();
            return Continuation::Refused {
                reason,
                places: places.unwrap_or_default(),
            };
        }
        let next: Vec<StateId> = (0..)
            .map_while(|branch| self.space.successor(successors, branch))
            .collect();
        let mut states = Vec::new();
        for state in next {
            if self.described <= STATES_BYTES_MAX {
                states.push(self.describe(state));
            }
        }
        Continuation::LeadsTo { states }
    }

    fn describe(&mut self, state: StateId) -> String {
        let text = self.space.model.describe_state(state);
        self.described += text.len();
        text
    }
}
