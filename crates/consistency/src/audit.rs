//! Verifies an explanation independently of the search that found it.
//!
//! The search uses tables, reductions and remembered failures; an error in any of them must not become a wrong
//! `valid`. So the axioms are evaluated again over the finished explanation, and every return is replayed through the
//! model.

use omnilink_engine::{Model, successors};
use omnilink_history::OpSet;

use crate::constraints::{Constraints, union};
use crate::criterion::Ret;
use crate::history::History;
use crate::outcome::Explanation;
use crate::relation::BaseRelations;

struct Finished<'a> {
    constraints: &'a Constraints,
    explanation: &'a Explanation,
    /// What is linearized before each operation.
    before: Vec<OpSet>,
}

impl BaseRelations for Finished<'_> {
    fn po(&self, to: OpSet) -> OpSet {
        union(&self.constraints.po, to)
    }

    fn hb(&self, to: OpSet) -> OpSet {
        union(&self.constraints.hb, to)
    }

    fn lin(&self, to: OpSet) -> OpSet {
        union(&self.before, to)
    }

    fn vis(&self, to: OpSet) -> OpSet {
        union(&self.explanation.visible, to)
    }
}

/// Says what is wrong with `explanation`, if anything is.
pub(crate) fn audit<M: Model>(
    model: &M,
    history: &History<M::Op>,
    constraints: &Constraints,
    ret: Ret,
    explanation: &Explanation,
) -> Result<(), String> {
    let mut placed = OpSet::EMPTY;
    let mut before = vec![OpSet::EMPTY; constraints.count];
    for &op in &explanation.linearization {
        if placed.has(op) {
            return Err(format!("operation {op} is linearized twice"));
        }
        before[op] = placed;
        placed = placed.with(op);
    }
    if !constraints.required.is_within(placed) {
        return Err("an operation that happened is not linearized".to_owned());
    }
    let relations = Finished {
        constraints,
        explanation,
        before,
    };
    for &op in &explanation.linearization {
        let (sees, past) = (explanation.visible[op], relations.before[op]);
        if !constraints.lin_before[op].and(placed).is_within(past) {
            return Err(format!("operation {op} is linearized too early"));
        }
        if !sees.is_within(past) {
            return Err(format!("operation {op} sees what comes later"));
        }
        let mut closed_under_axioms = constraints.must_see[op];
        for (relation, scope) in &constraints.dynamic_axioms {
            if scope.has(op) {
                closed_under_axioms = closed_under_axioms.or(relation.sources(OpSet::one(op), &relations));
            }
        }
        if constraints.complete.has(op) {
            closed_under_axioms = closed_under_axioms.or(past);
        }
        if !closed_under_axioms.and(placed).without(op).is_within(sees) {
            return Err(format!("operation {op} does not see all that the axioms demand"));
        }
    }
    replay(model, history, ret, explanation)
}

/// Replays every return. A common prefix of what operations see is replayed once.
fn replay<M: Model>(
    model: &M,
    history: &History<M::Op>,
    ret: Ret,
    explanation: &Explanation,
) -> Result<(), String> {
    let as_seen = |op: usize| match ret {
        Ret::Own => &history.ops()[op].effect,
        Ret::All => &history.ops()[op].op,
    };
    let after = |states: &[M::State], op: &M::Op| -> Vec<M::State> {
        let mut next: Vec<M::State> = Vec::new();
        for state in states.iter().flat_map(|state| successors(model, state, op)) {
            if !next.contains(&state) {
                next.push(state);
            }
        }
        next
    };
    let order = &explanation.linearization;
    // The states after each prefix of the linearization: what is visible is often a prefix.
    let mut prefixes = vec![model.initial()];
    for (position, &op) in order.iter().enumerate() {
        let sees = explanation.visible[op];
        let shared = order[..position]
            .iter()
            .take_while(|seen| sees.has(**seen))
            .count();
        let mut states = prefixes[shared].clone();
        for &seen in order[shared..position].iter().filter(|seen| sees.has(**seen)) {
            states = after(&states, as_seen(seen));
        }
        if after(&states, &history.ops()[op].op).is_empty() {
            return Err(format!(
                "the return of operation {op} does not follow from what it sees"
            ));
        }
        let next = after(&prefixes[position], as_seen(op));
        prefixes.push(next);
    }
    Ok(())
}
