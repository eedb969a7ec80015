//! ENABLED, and the variables it quantifies.
//!
//! `ENABLED A` is true if some values of the primed variables make A true. If it occurs in a module that is instantiated with `x <- e`, it
//! is x' that is quantified: the substitution applies to the result, in which no primes are left. So inside such an ENABLED, x' is a
//! *hidden variable* of its own, and not e'. Where e is a variable, x' can be that variable's next value, because no other variable
//! of the module has it (if one has, A would have to give both the same value).

use omnilink_tla_semantics::entity::{EntityId, EntityKind, Resolved};
use omnilink_tla_syntax::ast::ExprId;

use super::context::ContextId;
use super::node::one;
use super::operand::Operand;
use super::{At, Lowering};
use crate::{Kind, Loc, Node, Uses};

impl Lowering<'_> {
    pub(super) fn enabled(&mut self, at: At, loc: Loc, operand: Operand) -> Node {
        let operand = match operand {
            Operand::Expr(from, expr) => Operand::Expr(
                At {
                    primed: false,
                    ..from
                },
                expr,
            ),
            slot => slot,
        };
        let action = self.within_enabled(at.context, |this| this.operand(operand, loc));
        let node = enabled_node(action, loc);
        if !at.primed {
            return node;
        }
        let mut node = one(loc, node, Kind::Prime);
        node.uses.next = true;
        node
    }

    /// Lowers the operand of an ENABLED that occurs in a context.
    pub(super) fn within_enabled(
        &mut self,
        context: ContextId,
        lower: impl FnOnce(&mut Self) -> Node,
    ) -> Node {
        let inside = (context != ContextId::ROOT).then_some(context);
        let outer = std::mem::replace(&mut self.enabled_in, inside);
        let node = lower(self);
        self.enabled_in = outer;
        node
    }

    /// The hidden variable for the next value of a module's variable, inside ENABLED.
    pub(super) fn hidden_variable(&mut self, entity: EntityId, context: ContextId) -> Option<u32> {
        let enabled_in = self.enabled_in?;
        let mut here = context;
        let substituting = loop {
            let instance = self.contexts[here.0 as usize].instance?;
            let info = self.spec.instance(instance);
            if info
                .substitutions
                .iter()
                .any(|substituted| substituted.target == entity)
            {
                break here;
            }
            here = self.contexts[here.0 as usize].parent;
        };
        // A substitution by an instance inside the operand of ENABLED is made before the quantification.
        let mut around = enabled_in;
        while around != substituting {
            self.contexts[around.0 as usize].instance?;
            around = self.contexts[around.0 as usize].parent;
        }
        let by = self.substituted(entity, context, false)?;
        if matches!(by.kind, Kind::Var(_)) {
            return None;
        }
        let first = self.variables.len() as u32;
        let next = first + self.hidden.len() as u32;
        Some(*self.hidden.entry((entity, substituting)).or_insert(next))
    }

    /// The hidden variable that a name refers to.
    pub(super) fn hidden_variable_at(&mut self, at: At, id: ExprId) -> Option<u32> {
        let Resolved::Entity(entity) = self.spec.resolved(at.tree, id) else {
            return None;
        };
        if !matches!(self.spec.entity(entity).kind, EntityKind::Variable) {
            return None;
        }
        self.hidden_variable(entity, at.context)
    }
}

/// `ENABLED A` for a lowered action.
pub(super) fn enabled_node(action: Node, loc: Loc) -> Node {
    let mut node = one(loc, action, Kind::Enabled);
    node.uses.next = false;
    node.uses.state = true;
    node.uses.heavy = true;
    node
}

/// The next value of a variable.
pub(super) fn next_value(slot: u32, at: Loc) -> Node {
    Node {
        kind: Kind::Next(slot),
        at,
        uses: Uses {
            next: true,
            ..Uses::default()
        },
    }
}
