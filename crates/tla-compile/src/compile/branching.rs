//! Which formulas of an action branch, and which assign; and which loops and calls are written out.

use omnilink_tla_ir::{Kind, Node};

use super::compiler::{Compiler, RECURSION_MAX};
use super::scope::Scope;

/// Loops over constant sets of up to this many elements are written out, as long as there is not much code yet: then keys and records of
/// the elements are constants, and cells have fixed places.
const UNROLLED_ELEMENTS_MAX: usize = 16;
const UNROLLED_INSTRUCTIONS_MAX: usize = 6_000;

impl<'p> Compiler<'_, 'p> {
    /// Whether a loop over this many elements is written out.
    pub(crate) fn is_unrolled(&self, elements: usize) -> bool {
        elements <= UNROLLED_ELEMENTS_MAX && self.has_room()
    }

    /// Whether there is so little code that loops and recursion may be written out.
    pub(crate) fn has_room(&self) -> bool {
        self.code.instructions.len() < UNROLLED_INSTRUCTIONS_MAX
    }

    /// Whether a recursive operator may be written out once more.
    pub(crate) fn may_recurse(&self, operator: u32) -> bool {
        self.calls.iter().filter(|call| **call == operator).count() <= RECURSION_MAX
    }

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
                .expression(slot)
                .is_some_and(|(node, own)| may_branch(node) || self.mention_next(node.uses.slots, &own))
        })
    }

    /// The variable whose next value an expression is.
    pub(super) fn target(&self, node: &'p Node, scope: &Scope<'p>) -> Option<u32> {
        match &node.kind {
            Kind::Next(variable) if !scope.primed => Some(*variable),
            Kind::Var(variable) if scope.primed => Some(*variable),
            Kind::Prime(inner) if !scope.primed => self.target(inner, &scope.about(true)),
            Kind::Local(slot) => {
                let (node, own) = scope.expression(*slot)?;
                self.target(node, &own)
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
