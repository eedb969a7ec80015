//! Memo points: the nodes whose results the evaluator memoises.
//!
//! An action is memoised where it is called, or as a whole where it is not a definition. So is the body of a `\E` inside an action,
//! because one choice may depend on little although the set depends on much. A formula or value that depends on the state is memoised
//! if it loops or calls. Memo points are nested: the evaluator bypasses useless ones, and those inside them remain.

use crate::{Argument, Kind, Node, Operator};

/// Inserts memo points. Returns their number.
pub(super) fn insert(operators: &mut [Operator]) -> u32 {
    let is_single_action: Vec<bool> = operators
        .iter()
        .map(|operator| match &operator.body.kind {
            Kind::Action(_, body) => is_single(body),
            _ => is_single(&operator.body),
        })
        .collect();
    let mut points = MemoPoints {
        is_single_action,
        count: 0,
    };
    for operator in operators {
        // The body of an operator as a whole is memoised where it is called.
        let body = match &mut operator.body.kind {
            Kind::Action(_, body) => body,
            _ => &mut operator.body,
        };
        if body.uses.next {
            points.in_action(body);
        } else {
            points.in_value(body);
        }
    }
    points.count
}

/// Whether an action is more than a choice among actions.
fn is_single(node: &Node) -> bool {
    match &node.kind {
        Kind::Or(_) | Kind::Exists(_) | Kind::Call(_) | Kind::Action(..) => false,
        Kind::Let(_, body) => is_single(body),
        _ => true,
    }
}

struct MemoPoints {
    /// For each operator, whether its body is a single action.
    is_single_action: Vec<bool>,
    count: u32,
}

impl MemoPoints {
    /// A node evaluated for its next states.
    fn in_action(&mut self, node: &mut Node) {
        if !node.uses.next {
            return self.in_guard(node);
        }
        match &mut node.kind {
            Kind::Action(_, body) => {
                self.in_action(body);
                if is_single(body) {
                    self.insert(body);
                }
            }
            Kind::Call(call) => {
                let is_action = self.is_single_action.get(call.operator as usize) == Some(&true);
                for (_, argument) in &mut call.arguments {
                    self.in_argument(argument);
                }
                if is_action {
                    self.insert(node);
                }
            }
            Kind::And(parts) | Kind::Or(parts) => parts.iter_mut().for_each(|part| self.in_action(part)),
            Kind::If(parts) => {
                self.in_value(&mut parts.0);
                self.in_action(&mut parts.1);
                self.in_action(&mut parts.2);
            }
            Kind::Case(arms, other) => {
                for (condition, value) in arms {
                    self.in_value(condition);
                    self.in_action(value);
                }
                if let Some(other) = other {
                    self.in_action(other);
                }
            }
            Kind::Implies(two) => {
                self.in_value(&mut two.0);
                self.in_action(&mut two.1);
            }
            Kind::Let(slots, body) => {
                for (_, argument) in slots {
                    self.in_argument(argument);
                }
                self.in_action(body);
            }
            Kind::Exists(bounded) => {
                bounded.sets.iter_mut().for_each(|set| self.in_value(set));
                self.in_action(&mut bounded.body);
                if is_single(&bounded.body) {
                    self.insert(&mut bounded.body);
                }
            }
            Kind::ForAll(bounded) => {
                bounded.sets.iter_mut().for_each(|set| self.in_value(set));
                self.in_action(&mut bounded.body);
            }
            Kind::Stuttering(two) | Kind::Changing(two) | Kind::Compose(two) => {
                self.in_action(&mut two.0);
                self.in_action(&mut two.1);
            }
            kind => kind.for_each_child_mut(|child| self.in_value(child)),
        }
    }

    /// A part of an action that does not mention the next state. Disjunctions and the like still branch there, so they are not
    /// values.
    fn in_guard(&mut self, node: &mut Node) {
        match &mut node.kind {
            Kind::And(parts) | Kind::Or(parts) => parts.iter_mut().for_each(|part| self.in_guard(part)),
            Kind::Exists(bounded) => {
                bounded.sets.iter_mut().for_each(|set| self.in_value(set));
                self.in_guard(&mut bounded.body);
            }
            Kind::If(parts) => {
                self.in_value(&mut parts.0);
                self.in_guard(&mut parts.1);
                self.in_guard(&mut parts.2);
            }
            Kind::Case(arms, other) => {
                for (condition, value) in arms {
                    self.in_value(condition);
                    self.in_guard(value);
                }
                if let Some(other) = other {
                    self.in_guard(other);
                }
            }
            Kind::Implies(two) => {
                self.in_value(&mut two.0);
                self.in_guard(&mut two.1);
            }
            Kind::Let(slots, body) => {
                for (_, argument) in slots {
                    self.in_argument(argument);
                }
                self.in_guard(body);
            }
            _ => self.in_value(node),
        }
    }

    fn in_argument(&mut self, argument: &mut Argument) {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => self.in_value(node),
            Argument::Slot(_) => {}
            Argument::Operator(_, captures) => {
                captures
                    .iter_mut()
                    .for_each(|(_, capture)| self.in_argument(capture));
            }
        }
    }

    /// A node evaluated for its value.
    fn in_value(&mut self, node: &mut Node) {
        if matches!(node.kind, Kind::Once(..) | Kind::Memo(..)) {
            return;
        }
        node.kind.for_each_child_mut(|child| self.in_value(child));
        let is_candidate = match node.kind {
            Kind::Call(_) | Kind::Native(..) => true,
            Kind::Recursive(_) => false,
            _ => node.kind.bounded().is_some(),
        };
        if is_candidate && node.uses.heavy && node.uses.state && !node.uses.next {
            self.insert(node);
        }
    }

    fn insert(&mut self, node: &mut Node) {
        let uses = node.uses;
        if uses.impure || uses.opaque || uses.unfinished {
            return;
        }
        let point = self.count;
        self.count += 1;
        super::hoist::wrap(node, |inner| Kind::Memo(point, inner));
    }
}
