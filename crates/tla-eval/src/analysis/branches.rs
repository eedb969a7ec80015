//! Which branches of an action a step takes.
//!
//! A branch is a disjunct, an arm of a CASE, or one side of an IF, where the whole of it says something about the next state. A
//! step takes a branch if the branch holds of it: known states before and after, a branch is a formula like any other. So
//! nothing needs to be noted while successors are found, and whoever does not ask pays nothing.

use crate::eval::error::Outcome;
use crate::eval::{Evaluator, Flow, State};
use crate::ir::{Kind, Loc, Node, Operation, Program};
use omnilink_value::Value;

/// Definitions nested deeper are not looked into.
const DEPTH_MAX: u32 = 32;

impl Program {
    /// The branches of an action, in the order of its text.
    pub fn branches(&self, action: Operation) -> Vec<Loc> {
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
            Kind::Recall(_, inner) | Kind::Action(_, inner) => self.find_branches(inner, depth, found),
            Kind::Call(call) => {
                if let Some(operator) = self.operators.get(call.operator as usize) {
                    self.find_branches(&operator.body, depth + 1, found);
                }
            }
            _ => {}
        }
    }
}

impl<'p> Evaluator<'p> {
    /// Tells every branch that a step of an action takes.
    ///
    /// # Errors
    /// What goes wrong when a branch is evaluated.
    pub fn branches_taken(
        &mut self,
        action: Operation,
        arguments: &[Value],
        from: &State,
        to: &[Value],
        taken: &mut dyn FnMut(Loc),
    ) -> Outcome<()> {
        self.set_state(from);
        self.set_next(to);
        self.enter_with(action, arguments, |this, body| this.follow(body, 0, taken))
    }

    /// Follows a formula that is known to hold.
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
            Kind::Recall(_, inner) | Kind::Action(_, inner) => self.follow(inner, depth, taken),
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
