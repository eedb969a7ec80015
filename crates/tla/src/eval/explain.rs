//! Why a formula is false: the parts of it that are, down to where it stops being a combination of formulas.

use super::evaluator::Evaluator;
use super::flow::Flow;
use super::slot::Slot;
use crate::ir::{Formula, Kind, Loc, Node};

/// A part of a formula that was found false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalsePart {
    /// Where it is.
    pub at: Loc,
    /// Its text.
    pub text: String,
    /// The names in it, bound around it, and what they stood for.
    pub bindings: Vec<(String, String)>,
}

impl<'p> Evaluator<'p> {
    /// The innermost conjunct that makes a formula false in the states that are set; `None` if it is not false. A
    /// quantifier is explained by the first binding for which its body is false.
    pub fn explain_false(&mut self, formula: Formula) -> Option<FalsePart> {
        let mut bindings = Vec::new();
        let found = self.enter(formula, |this, body| Ok(this.false_part(body, &mut bindings)));
        let node = found.ok()??;
        Some(FalsePart {
            at: node.at,
            text: self.program.text(node.at).to_owned(),
            bindings,
        })
    }

    fn false_part(&mut self, node: &'p Node, bindings: &mut Vec<(String, String)>) -> Option<&'p Node> {
        match &node.kind {
            Kind::And(conjuncts) => {
                for conjunct in conjuncts {
                    if self.bool(conjunct).ok() == Some(false) {
                        return self.false_part(conjunct, bindings);
                    }
                }
                None
            }
            Kind::Implies(operands) => {
                if self.bool(node).ok()? {
                    return None;
                }
                self.false_part(&operands.1, bindings)
            }
            Kind::PerState(_, inner) | Kind::Once(_, inner) | Kind::Action(_, inner) => {
                self.false_part(inner, bindings)
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let branch = if self.bool(condition).ok()? { yes } else { no };
                self.false_part(branch, bindings)
            }
            Kind::Let(slots, body) => {
                for (slot, argument) in slots {
                    let content = self.argument(argument).ok()?;
                    self.set_slot(*slot, content);
                }
                self.false_part(body, bindings)
            }
            Kind::Call(call) => {
                let program = self.program;
                let operator = &program.operators[call.operator as usize];
                let new = self.slots.len();
                self.slots.resize_with(new + operator.slots.len(), Slot::default);
                for (slot, argument) in &call.arguments {
                    let content = self.argument(argument).ok()?;
                    self.slots[new + *slot as usize] = content;
                }
                let saved = std::mem::replace(&mut self.base, new);
                for slot in 0..operator.params {
                    if let Ok(datum) = self.local(slot) {
                        let shown = self.short(&datum);
                        bindings.push((operator.slots[slot as usize].to_string(), shown));
                    }
                }
                let found = self.false_part(&operator.body, bindings);
                self.slots.truncate(new);
                self.base = saved;
                found
            }
            Kind::ForAll(bounded) => {
                let mut holds = true;
                let _ = self.each_binding(bounded, node, &mut |this| {
                    holds = this.bool(&bounded.body)?;
                    Ok(if holds { Flow::Go } else { Flow::Stop })
                });
                if holds {
                    return None;
                }
                let mut names = super::error::Failure::new(super::error::ErrorClass::Assert, "");
                names = self.in_binding(names, bounded);
                bindings.extend(names.bindings);
                self.false_part(&bounded.body, bindings)
            }
            _ => (!self.bool(node).ok()?).then_some(node),
        }
    }
}
