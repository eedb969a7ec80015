//! Enumerations of large sets: expressions that iterate over all elements whenever they are evaluated.
//!
//! `\A k \in Keys : P` over a million keys takes a second, for every operation of a trace. `k \in Keys` is fast, whatever the size. A user
//! who waits needs to know which expression is slow.

use omnilink_tla_ir::{Argument, Formula, Kind, Loc, Node};

use crate::Evaluator;

/// An expression that enumerates a large set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// The expression.
    pub at: Loc,
    /// The set.
    pub set: Loc,
    /// The number of elements.
    pub values: u64,
}

/// Definitions nested deeper are not analysed.
const DEPTH_MAX: u32 = 32;

impl<'p> Evaluator<'p> {
    /// The expressions in a formula that enumerate a constant set of more than `limit` elements.
    pub fn enumerations(&mut self, formula: Formula, limit: u64) -> Vec<Enumeration> {
        let mut found = Vec::new();
        let operator = self.program.operator(formula);
        self.find_enumerations(&operator.body, operator.slots.len(), (limit, 0), &mut found);
        found
    }

    /// Looks at an expression in an operator with `slots` slots.
    fn find_enumerations(
        &mut self,
        node: &'p Node,
        slots: usize,
        (limit, depth): (u64, u32),
        found: &mut Vec<Enumeration>,
    ) {
        // Constant expressions are evaluated once.
        if depth > DEPTH_MAX || node.uses.is_constant() || matches!(node.kind, Kind::Once(..)) {
            return;
        }
        if let Some(bounded) = node.kind.bounded() {
            for set in &bounded.sets {
                let values = self.size_of_constant(set, slots).unwrap_or(0);
                if values > limit && !found.iter().any(|known| known.at == node.at) {
                    found.push(Enumeration {
                        at: node.at,
                        set: set.at,
                        values,
                    });
                }
            }
        }
        let mut parts: Vec<&'p Node> = Vec::new();
        node.kind.for_each_child(|child| parts.push(child));
        let mut called: Vec<u32> = Vec::new();
        node.kind.for_each_argument(|argument| {
            if let Argument::Operator(operator, _) = argument {
                called.push(*operator);
            }
        });
        if let Kind::Call(call) = &node.kind {
            called.push(call.operator);
        }
        for part in parts {
            self.find_enumerations(part, slots, (limit, depth + 1), found);
        }
        for operator in called {
            if let Some(operator) = self.program.operators.get(operator as usize) {
                let slots = operator.slots.len();
                self.find_enumerations(&operator.body, slots, (limit, depth + 1), found);
            }
        }
    }

    /// The number of elements of a constant set. It needs no names from outside, but may bind some: they have slots in the frame.
    fn size_of_constant(&mut self, set: &'p Node, slots: usize) -> Option<u64> {
        if !set.uses.is_constant() {
            return None;
        }
        let saved = self.push_frame(slots);
        let size = self.eval(set).and_then(|set| self.cardinality(&set));
        self.pop_frame(saved);
        u64::try_from(size.ok()?).ok()
    }
}
