//! Turns the numbers that a search ends with back into words.

use omnilink_evidence::{Alternative, Candidate, Continuation, Counterexample, Operation};

use crate::evidence::Stuck;
use crate::ledger::{Ledger, OpRef};
use crate::space::{AnySpace, StateId};

/// Turns numbers back into words.
pub(crate) struct Describe<'a, 's> {
    pub space: &'a mut AnySpace<'s>,
    pub ledger: &'a Ledger,
    /// Whether alternatives are wanted.
    pub alternatives: bool,
}

impl Describe<'_, '_> {
    pub fn view(&self, op: OpRef) -> Operation {
        let entry = self.ledger.get(op);
        let text = self.space.source.describe_op(entry.class);
        let timebox = entry.timebox();
        Operation::timed(entry.id, entry.thread, text, timebox.start, timebox.end)
    }

    fn views(&self, ops: &[OpRef]) -> Vec<Operation> {
        ops.iter().map(|op| self.view(*op)).collect()
    }

    pub fn counterexample(mut self, stuck: Stuck) -> Counterexample {
        Counterexample {
            op: self.view(stuck.target),
            alternatives: self.alternatives(&stuck),
            alternatives_total: stuck.total,
            agreed: None,
            broken: None,
        }
    }

    pub fn alternatives(&mut self, stuck: &Stuck) -> Vec<Alternative> {
        let mut alternatives = Vec::new();
        let wanted = if self.alternatives {
            stuck.survivors.as_slice()
        } else {
            &[]
        };
        for survivor in wanted {
            let mut unplaced = survivor.unplaced.clone();
            unplaced.sort_by_key(|op| (*op != stuck.target, self.ledger.get(*op).deadline()));
            let candidates = unplaced
                .into_iter()
                .map(|op| Candidate {
                    op: self.view(op),
                    continuation: self.continuation(survivor.state, op),
                })
                .collect();
            alternatives.push(Alternative {
                state: self.space.source.describe_state(survivor.state),
                recent: self.views(&survivor.tail),
                placed: self.views(&survivor.placed),
                candidates,
            });
        }
        alternatives
    }

    fn continuation(&mut self, state: StateId, op: OpRef) -> Continuation {
        let class = self.ledger.get(op).class;
        let successors = self.space.successors(state, class);
        if successors.is_refused() {
            return Continuation::Refused {
                reason: self.space.source.explain(state, class),
            };
        }
        let states = (0..).map_while(|branch| self.space.successor(successors, branch));
        Continuation::LeadsTo {
            states: states
                .map(|next| self.space.source.describe_state(next))
                .collect(),
        }
    }
}
