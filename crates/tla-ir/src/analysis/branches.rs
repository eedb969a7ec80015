//! The branches of an action. The evaluator computes which of them a step takes.
//!
//! A branch is a disjunct, an arm of a CASE, or one side of an IF that mentions the next state.

use crate::{Kind, Loc, Node, OperatorId, Program};

/// Definitions nested deeper are not analysed.
const DEPTH_MAX: u32 = 32;

impl Program {
    /// The branches of an action, in the order of its text.
    pub fn branches(&self, action: OperatorId) -> Vec<Loc> {
        let mut found = Vec::new();
        self.find_branches(&self.operator(action.formula()).body, 0, &mut found);
        found
    }

    fn find_branches(&self, node: &Node, depth: u32, found: &mut Vec<Loc>) {
        if depth > DEPTH_MAX || !node.uses.next {
            return;
        }
        let branch = |node: &Node, found: &mut Vec<Loc>| {
            if !found.contains(&node.at) {
                found.push(node.at);
                self.find_branches(node, depth + 1, found);
            }
        };
        match &node.kind {
            Kind::Or(disjuncts) => disjuncts.iter().for_each(|disjunct| branch(disjunct, found)),
            Kind::If(parts) => [&parts.1, &parts.2]
                .into_iter()
                .for_each(|side| branch(side, found)),
            Kind::Case(arms, other) => {
                let arms = arms.iter().map(|(_, arm)| arm).chain(other.as_deref());
                arms.for_each(|arm| branch(arm, found));
            }
            Kind::And(conjuncts) => conjuncts
                .iter()
                .for_each(|conjunct| self.find_branches(conjunct, depth + 1, found)),
            Kind::Exists(bounded) => self.find_branches(&bounded.body, depth + 1, found),
            Kind::Let(_, body) => self.find_branches(body, depth + 1, found),
            Kind::Memo(_, inner) | Kind::Action(_, inner) => self.find_branches(inner, depth, found),
            Kind::Call(call) => {
                if let Some(operator) = self.operators.get(call.operator as usize) {
                    self.find_branches(&operator.body, depth + 1, found);
                }
            }
            _ => {}
        }
    }
}
