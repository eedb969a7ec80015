//! The strongest explanation first: everyone sees everything before them.
//!
//! If there is a linearization in which everyone sees everything before them, it satisfies every criterion that asks
//! for no more of the linearization, whatever it asks of visibility: the relations of the axioms lead forward, so all
//! that they can demand is already there. Most histories of most systems have one, and looking for it costs what checking
//! linearizability costs. Only histories without one pay for the search over visibilities.

use hashbrown::HashSet;
use omnilink_engine::Model;
use rustc_hash::FxBuildHasher;

use crate::budget::Budget;
use crate::op_set::OpSet;
use crate::plan::Plan;
use crate::search::{Found, Stuck};
use crate::steps::{Class, DEAD, StateSet, Steps};

struct Complete<'a, 'm, M: Model> {
    plan: &'a Plan,
    steps: &'a mut Steps<'m, M>,
    own: &'a [Class],
    budget: &'a mut Budget,
    visited: HashSet<(OpSet, StateSet), FxBuildHasher>,
    /// Required operations that change nothing: placed as soon as they are accepted.
    readers: OpSet,
    order: Vec<usize>,
    stuck: Option<Stuck>,
}

/// Searches for a linearization that explains every return by all that is before it.
pub(crate) fn search<M: Model>(
    plan: &Plan,
    steps: &mut Steps<'_, M>,
    own: &[Class],
    budget: &mut Budget,
) -> Found {
    let readers = plan
        .required
        .iter()
        .filter(|op| steps.facts(own[*op]).is_pure)
        .collect();
    let initial = steps.initial();
    let mut search = Complete {
        plan,
        steps,
        own,
        budget,
        visited: HashSet::default(),
        readers,
        order: Vec::with_capacity(plan.count),
        stuck: None,
    };
    if search.extend(OpSet::EMPTY, initial) {
        let mut rows = vec![OpSet::EMPTY; plan.count];
        let mut seen = OpSet::EMPTY;
        for op in &search.order {
            rows[*op] = seen;
            seen = seen.with(*op);
        }
        return Found::Explained {
            order: search.order,
            rows,
        };
    }
    match search.budget.exhausted() {
        Some(limit) => Found::Limit(limit, search.stuck.unwrap_or_default()),
        None => Found::Stuck(search.stuck.unwrap_or_default()),
    }
}

impl<M: Model> Complete<'_, '_, M> {
    fn extend(&mut self, mut placed: OpSet, state: StateSet) -> bool {
        let entered = self.order.len();
        // A reader that is accepted now does not disturb anything that comes later.
        loop {
            let ready = self.readers.minus(placed).iter().find(|op| {
                self.plan.lin_before[*op]
                    .and(self.plan.required)
                    .is_within(placed)
                    && self.steps.step(state, self.own[*op]) == state
            });
            let Some(op) = ready else { break };
            placed = placed.with(op);
            self.order.push(op);
        }
        if self.plan.required.is_within(placed) {
            return true;
        }
        if !self.budget.configuration() && self.visited.insert((placed, state)) {
            let mut blocked = OpSet::EMPTY;
            for op in OpSet::first(self.plan.count).minus(placed).iter() {
                if !is_placeable(self.plan, placed, op) {
                    continue;
                }
                let next = self.steps.step(state, self.own[op]);
                if next == DEAD {
                    blocked = blocked.with(op);
                    continue;
                }
                self.order.push(op);
                if self.extend(placed.with(op), next) {
                    return true;
                }
                self.order.pop();
                if self.budget.exhausted().is_some() {
                    break;
                }
            }
            let blocked = blocked.and(self.plan.required);
            if !blocked.is_empty()
                && self
                    .stuck
                    .as_ref()
                    .is_none_or(|best| best.order.len() < self.order.len())
            {
                let mut rows = vec![OpSet::EMPTY; self.plan.count];
                let mut seen = OpSet::EMPTY;
                for op in &self.order {
                    rows[*op] = seen;
                    seen = seen.with(*op);
                }
                self.stuck = Some(Stuck {
                    order: self.order.clone(),
                    rows,
                    blocked,
                });
            }
        }
        self.order.truncate(entered);
        false
    }
}

/// Whether `op` may come next: all that must come before it has, unless it may not have happened; and nothing that must
/// come after it has.
pub(crate) fn is_placeable(plan: &Plan, placed: OpSet, op: usize) -> bool {
    plan.lin_before[op].and(plan.required).is_within(placed)
        && (plan.required.has(op) || !placed.iter().any(|later| plan.lin_before[later].has(op)))
}
