//! Which formulas of an action branch, and which assign.

use omnilink_tla_ir::{Kind, Node};

use super::compiler::Compiler;
use super::scope::Scope;

impl<'p> Compiler<'_, 'p> {
    /// Whether a formula has no branches and assigns nothing: as the evaluator decides it.
    pub(super) fn is_guard(&mut self, node: &'p Node, scope: &Scope<'p>) -> bool {
        if may_branch(node) {
            return false;
        }
        match &node.kind {
            Kind::Equal(operands) | Kind::In(operands) => {
                !matches!(operands.0.kind, Kind::Local(_) | Kind::Call(_))
            }
            Kind::Memo(_, inner) => !self.mention_next(inner.uses.slots, scope),
            Kind::NotEqual(_) | Kind::NotIn(_) | Kind::Comparison(..) | Kind::Not(_) | Kind::PerState(..) => {
                true
            }
            _ => false,
        }
    }

    /// Whether one of some slots holds an expression about the next state.
    pub(super) fn mention_next(&self, slots: u64, scope: &Scope<'p>) -> bool {
        if slots >> 63 == 1 {
            return true;
        }
        (0..63).filter(|slot| slots >> slot & 1 == 1).any(|slot| {
            scope
                .get(slot)
                .expression()
                .is_some_and(|(node, own)| may_branch(node) || self.mention_next(node.uses.slots, own))
        })
    }

    /// The variable whose next value an expression is.
    pub(super) fn target(&self, node: &'p Node, scope: &Scope<'p>) -> Option<u32> {
        match &node.kind {
            Kind::Next(variable) if !scope.primed => Some(*variable),
            Kind::Var(variable) if scope.primed => Some(*variable),
            Kind::Prime(inner) if !scope.primed => self.target(inner, &scope.about(true)),
            Kind::Local(slot) => {
                let binding = scope.get(*slot).clone();
                let (node, own) = binding.expression()?;
                self.target(node, &own.about(scope.primed))
            }
            Kind::Call(call) if call.arguments.is_empty() => {
                let body = &self.program.operators[call.operator as usize].body;
                match body.kind {
                    Kind::Next(variable) if !scope.primed => Some(variable),
                    Kind::Var(variable) if scope.primed => Some(variable),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether a formula may depend on the next state.
pub(super) fn may_branch(node: &Node) -> bool {
    node.uses.next || node.uses.opaque || node.uses.unfinished
}
