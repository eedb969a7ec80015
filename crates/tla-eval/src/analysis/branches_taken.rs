//! The branches of an action that a step takes.
//!
//! A branch is a disjunct, an arm of a CASE, or one side of an IF that mentions the next state. A step takes a branch if the branch is
//! true for the states before and after. So nothing needs to be recorded while successors are computed, and runs without coverage pay
//! nothing.

use omnilink_tla_ir::{Kind, Loc, Node, OperatorId};
use omnilink_value::Value;

use crate::error::Outcome;
use crate::evaluator::{Evaluator, State};
use crate::flow::Flow;

/// Definitions nested deeper are not analysed.
const DEPTH_MAX: u32 = 32;

impl<'p> Evaluator<'p> {
    /// Calls `taken` with every branch that a step of an action takes.
    ///
    /// # Errors
    /// What goes wrong when a branch is evaluated.
    pub fn branches_taken(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        from: &State,
        to: &[Value],
        taken: &mut dyn FnMut(Loc),
    ) -> Outcome<()> {
        self.set_state(from);
        self.set_next(to);
        self.enter_with(action, arguments, |this, body| this.follow(body, 0, taken))
    }

    /// Follows a formula that holds.
    fn follow(&mut self, node: &'p Node, depth: u32, taken: &mut dyn FnMut(Loc)) -> Outcome<()> {
        if depth > DEPTH_MAX || !node.uses.next {
            return Ok(());
        }
        match &node.kind {
            Kind::Or(disjuncts) => {
                for disjunct in disjuncts {
                    if self.bool(disjunct)? {
                        taken(disjunct.at);
                        self.follow(disjunct, depth + 1, taken)?;
                    }
                }
                Ok(())
            }
            Kind::If(parts) => {
                let side = if self.bool(&parts.0)? { &parts.1 } else { &parts.2 };
                taken(side.at);
                self.follow(side, depth + 1, taken)
            }
            Kind::Case(arms, other) => {
                let mut chosen = other.as_deref();
                for (condition, arm) in arms {
                    if self.bool(condition)? {
                        chosen = Some(arm);
                        break;
                    }
                }
                let Some(arm) = chosen else { return Ok(()) };
                taken(arm.at);
                self.follow(arm, depth + 1, taken)
            }
            Kind::And(conjuncts) => conjuncts
                .iter()
                .try_for_each(|conjunct| self.follow(conjunct, depth + 1, taken)),
            Kind::Exists(bounded) => {
                self.each_binding(bounded, node, &mut |this| {
                    if !this.bool(&bounded.body)? {
                        return Ok(Flow::Go);
                    }
                    this.follow(&bounded.body, depth + 1, taken)?;
                    Ok(Flow::Stop)
                })?;
                Ok(())
            }
            Kind::Let(slots, body) => {
                for (slot, argument) in slots {
                    let content = self.argument(argument)?;
                    self.set_slot(*slot, content);
                }
                self.follow(body, depth + 1, taken)
            }
            Kind::Memo(_, inner) | Kind::Action(_, inner) => self.follow(inner, depth, taken),
            Kind::Call(call) => {
                let Some(operator) = self.program.operators.get(call.operator as usize) else {
                    return Ok(());
                };
                // Arguments are evaluated in the frame of the caller.
                let mut contents = Vec::with_capacity(call.arguments.len());
                for (slot, argument) in &call.arguments {
                    contents.push((*slot, self.argument(argument)?));
                }
                let saved = self.push_frame(operator.slots.len());
                contents
                    .into_iter()
                    .for_each(|(slot, content)| self.set_slot(slot, content));
                let followed = self.follow(&operator.body, depth + 1, taken);
                self.pop_frame(saved);
                followed
            }
            _ => Ok(()),
        }
    }
}
