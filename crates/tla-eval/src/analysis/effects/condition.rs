//! Conditions: facts, and what follows from them and from the arguments in every state.

use omnilink_tla_ir::{Argument, Kind, Node, PathStep};
use omnilink_value::Value;

use super::{Cell, CellPart, Walk};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

impl<'p> Evaluator<'p> {
    /// The variable that an expression is, directly or through parameters.
    pub(super) fn variable_behind(&self, node: &'p Node) -> Option<u32> {
        match &node.kind {
            Kind::Var(variable) | Kind::Next(variable) => Some(*variable),
            Kind::Local(slot) => self.variable_in(self.slot(*slot)),
            _ => None,
        }
    }

    fn variable_in(&self, slot: &Slot<'p>) -> Option<u32> {
        let (node, base) = match slot {
            Slot::Thunk { node, base, .. } => (*node, *base as usize),
            Slot::Shared(shared) => (shared.node, shared.base as usize),
            _ => return None,
        };
        match &node.kind {
            Kind::Var(variable) | Kind::Next(variable) => Some(*variable),
            Kind::Local(slot) => self.variable_in(self.slots.get(base + *slot as usize)?),
            _ => None,
        }
    }

    /// Records a conjunct `f[k] = c` as a fact. `None` if it is not one; `Some(false)` if it contradicts another.
    pub(super) fn fact(&mut self, node: &'p Node, walk: &mut Walk) -> Option<bool> {
        let Kind::Equal(operands) = &node.kind else {
            return None;
        };
        let (variable, path, value) = self
            .fact_of(&operands.0, &operands.1, walk)
            .or_else(|| self.fact_of(&operands.1, &operands.0, walk))?;
        if let Some((_, _, held)) = walk.facts.iter().find(|(v, p, _)| *v == variable && *p == path) {
            return Some(*held == value);
        }
        match path.as_slice() {
            [] => walk.read(variable, CellPart::Whole),
            [key, ..] => walk.read(variable, CellPart::At(key.clone())),
        }
        if let ([key], 0) = (path.as_slice(), walk.branches) {
            let cell = Cell {
                variable,
                part: CellPart::At(key.clone()),
            };
            walk.effects.demands.push((cell, value.clone()));
        } else {
            walk.exactness.lose();
        }
        walk.facts.push((variable, path, value));
        Some(true)
    }

    fn fact_of(
        &mut self,
        place: &'p Node,
        value: &'p Node,
        walk: &mut Walk,
    ) -> Option<(u32, Vec<Value>, Value)> {
        let (variable, path) = self.place(place, walk)?;
        Some((variable, path, self.known(value, walk)?))
    }

    /// The variable and the known path that an expression of the current state denotes.
    fn place(&mut self, node: &'p Node, walk: &mut Walk) -> Option<(u32, Vec<Value>)> {
        match &node.kind {
            Kind::Var(variable) => Some((*variable, Vec::new())),
            Kind::Local(slot) => match self.slot(*slot).clone() {
                Slot::Thunk {
                    node: inner, base, ..
                } => {
                    let saved = std::mem::replace(&mut self.base, base as usize);
                    let place = self.place(inner, walk);
                    self.base = saved;
                    place
                }
                _ => None,
            },
            Kind::Path(root, steps) => {
                let (variable, mut path) = self.place(root, walk)?;
                for step in steps {
                    path.push(match step {
                        PathStep::Field(field) => field.name.clone(),
                        PathStep::Index(index) => self.known(index, walk)?,
                    });
                }
                Some((variable, path))
            }
            _ => None,
        }
    }

    /// The value of an expression, if it is the same in every state that satisfies the facts.
    pub(super) fn known(&mut self, node: &'p Node, walk: &mut Walk) -> Option<Value> {
        if node.uses.impure {
            return None;
        }
        if let Some((variable, path)) = self.place(node, walk) {
            let fact = walk.facts.iter().find(|(v, p, _)| *v == variable && *p == path)?;
            return Some(fact.2.clone());
        }
        if needs_state(node) {
            return None;
        }
        let datum = self.eval(node).ok()?;
        self.canonical(datum).ok()
    }

    /// Whether a condition is true, or false, in every state that satisfies the facts.
    pub(super) fn decide(&mut self, node: &'p Node, walk: &mut Walk) -> Option<bool> {
        if node.uses.impure || walk.visit().is_err() {
            return None;
        }
        let node = node.bare();
        // Conditions on the state are mostly decided by facts or not at all; evaluating them first would mostly fail.
        let by_facts = match &node.kind {
            Kind::Equal(operands) if node.uses.state => self.decide_equal(operands, walk),
            Kind::NotEqual(operands) if node.uses.state => {
                self.decide_equal(operands, walk).map(|is_equal| !is_equal)
            }
            _ => None,
        };
        let by_value = |this: &mut Self| match needs_state(node) {
            true => None,
            false => this.bool(node).ok(),
        };
        if let Some(decided) = by_facts.or_else(|| by_value(self)) {
            return Some(decided);
        }
        if let Kind::Not(inner) = &node.kind {
            return Some(!self.decide(inner, walk)?);
        }
        // Evaluation in order might fail before the deciding part.
        walk.exactness.lose();
        match &node.kind {
            Kind::And(parts) => self.decide_all(parts, walk, false),
            Kind::Or(parts) => self.decide_all(parts, walk, true),
            Kind::In(operands) => self.decide_member(operands, walk),
            Kind::NotIn(operands) => Some(!self.decide_member(operands, walk)?),
            Kind::PerState(_, inner) => self.decide(inner, walk),
            Kind::Call(call) => {
                let decided = self.walk_call(call, walk, |this, body, walk| Ok(this.decide(body, walk)));
                decided.ok().flatten()
            }
            _ => None,
        }
    }

    fn decide_all(&mut self, parts: &'p [Node], walk: &mut Walk, deciding: bool) -> Option<bool> {
        let mut all = true;
        for part in parts {
            match self.decide(part, walk) {
                Some(decided) if decided == deciding => return Some(deciding),
                Some(_) => {}
                None => all = false,
            }
        }
        all.then_some(!deciding)
    }

    fn decide_equal(&mut self, operands: &'p (Node, Node), walk: &mut Walk) -> Option<bool> {
        let (left, right) = (self.known(&operands.0, walk)?, self.known(&operands.1, walk)?);
        crate::equality::equal_values(&left, &right).ok()
    }

    fn decide_member(&mut self, operands: &'p (Node, Node), walk: &mut Walk) -> Option<bool> {
        let element = self.known(&operands.0, walk)?;
        let set = self.known(&operands.1, walk)?;
        Some(set.as_set()?.binary_search(&element).is_ok())
    }
}

/// Whether an expression certainly has no value without a state, so that evaluating it would fail, which is expensive. (A filter of
/// the empty set would have a value, but is rare.)
fn needs_state(node: &Node) -> bool {
    let node = node.bare();
    node.uses.state
        && match &node.kind {
            Kind::Var(_) => true,
            Kind::Path(root, _) => needs_state(root),
            Kind::Filter(bounded) | Kind::Map(bounded) | Kind::Function(bounded) => {
                bounded.body.uses.state || bounded.sets.iter().any(needs_state)
            }
            Kind::Equal(operands) | Kind::NotEqual(operands) => {
                needs_state(&operands.0) || needs_state(&operands.1)
            }
            Kind::Native(native, arguments) if !native.is_lazy() => arguments
                .iter()
                .any(|argument| matches!(argument, Argument::Value(node) if needs_state(node))),
            _ => false,
        }
}
