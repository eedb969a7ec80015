//! Operands and the arguments made of them.

use omnilink_tla_semantics::entity::{EntityId, EntityKind, Resolved};
use omnilink_tla_semantics::spec::SubstitutedBy;
use omnilink_tla_syntax::ast::{ExprId, ExprKind};

use super::frame::{Frame, Naming};
use super::node::let_in;
use super::{At, ContextId, Lowering};
use crate::{Argument, Kind, Loc, Node, Operator, Uses, slot_bit};

/// An operand of an operator.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// An expression.
    Expr(At, ExprId),
    /// The content of a slot of the current frame.
    Slot(u32),
}

impl Lowering<'_> {
    /// An operand as a value.
    pub(super) fn operand(&mut self, operand: Operand, at: Loc) -> Node {
        match operand {
            Operand::Expr(place, expr) => self.expr(place, expr),
            Operand::Slot(slot) => local(slot, at),
        }
    }

    /// An operand as the argument for a parameter.
    pub(super) fn argument(&mut self, operand: Operand, param: Option<EntityId>) -> (Argument, Uses) {
        let (arity, leibniz) = param.map_or((0, true), |param| {
            let param = self.spec.entity(param);
            (param.arity, param.leibniz)
        });
        match operand {
            Operand::Slot(slot) => (
                Argument::Slot(slot),
                Uses {
                    slots: slot_bit(slot),
                    ..Uses::default()
                },
            ),
            Operand::Expr(at, expr) if arity > 0 => self.operator_argument(at, expr, arity),
            Operand::Expr(at, expr) => {
                let node = self.expr(at, expr);
                let uses = node.uses;
                (argument_of(node, leibniz), uses)
            }
        }
    }

    /// An operand for a parameter that may be primed: of an instance whose module has a variable for it, or of an operator that applies others.
    pub(super) fn instance_argument(&mut self, operand: Operand, param: EntityId) -> (Argument, Uses) {
        match operand {
            Operand::Expr(at, expr) if self.spec.entity(param).arity == 0 => {
                let node = self.expr(at, expr);
                let uses = node.uses;
                (argument_of(node, false), uses)
            }
            operand => self.argument(operand, Some(param)),
        }
    }

    /// An expression that is an operator.
    pub(super) fn operator_argument(&mut self, at: At, expr: ExprId, arity: u32) -> (Argument, Uses) {
        let tree = self.spec.tree(at.tree);
        match &tree.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                self.operator_argument(at, *inner, arity)
            }
            ExprKind::Lambda(_, body) => {
                let params = self
                    .spec
                    .binders
                    .get(&(at.tree, expr))
                    .cloned()
                    .unwrap_or_default();
                let body = *body;
                self.anonymous("LAMBDA", at, &params, |this| this.expr(at, body))
            }
            _ => {
                if let Resolved::Entity(entity) = self.spec.resolved(at.tree, expr)
                    && matches!(self.spec.entity(entity).kind, EntityKind::Parameter)
                    && let Some(place) = self.slot_of(entity)
                {
                    let uses = Uses {
                        slots: slot_bit(place.slot),
                        ..Uses::default()
                    };
                    return (Argument::Slot(place.slot), uses);
                }
                self.wrapped(at, expr, arity)
            }
        }
    }

    /// An operator named by an expression, wrapped so that it takes its operands from slots.
    fn wrapped(&mut self, at: At, expr: ExprId, arity: u32) -> (Argument, Uses) {
        let name = self.spec.tree(at.tree).expr(expr).span;
        let text = self
            .spec
            .sources
            .get(self.spec.tree(at.tree).source)
            .slice(name)
            .to_owned();
        self.anonymous_of(&text, at, arity, |this| {
            let operands: Vec<Operand> = (0..arity).map(Operand::Slot).collect();
            this.named(at, expr, Some(&operands), false)
        })
    }

    /// An operator without a definition, with parameters that have names.
    pub(super) fn anonymous(
        &mut self,
        name: &str,
        at: At,
        params: &[EntityId],
        body: impl FnOnce(&mut Self) -> Node,
    ) -> (Argument, Uses) {
        let index = self.reserve();
        self.frames.push(Frame::new(at.primed));
        for param in params {
            self.bind_entity(*param, Naming::Expression, at.primed);
        }
        self.closed(index, name, params.len() as u32, body)
    }

    fn anonymous_of(
        &mut self,
        name: &str,
        at: At,
        arity: u32,
        body: impl FnOnce(&mut Self) -> Node,
    ) -> (Argument, Uses) {
        let index = self.reserve();
        let mut frame = Frame::new(at.primed);
        for _ in 0..arity {
            frame.slot("");
        }
        self.frames.push(frame);
        self.closed(index, name, arity, body)
    }

    fn closed(
        &mut self,
        index: u32,
        name: &str,
        params: u32,
        body: impl FnOnce(&mut Self) -> Node,
    ) -> (Argument, Uses) {
        let mut body = body(self);
        self.hoist(&mut body, true);
        let mut uses = Uses {
            slots: 0,
            ..body.uses
        };
        uses.heavy = true;
        let captures = match self.frames.pop() {
            Some(frame) => {
                let captures = frame.captures.clone();
                self.operators[index as usize] = Some(Operator {
                    name: name.into(),
                    is_definition: false,
                    params,
                    slots: frame.into_names(),
                    body,
                });
                captures
            }
            None => Vec::new(),
        };
        let mut contents = Vec::with_capacity(captures.len());
        for (entity, slot) in captures {
            if let Some(place) = self.slot_of(entity) {
                uses.slots |= slot_bit(place.slot);
                contents.push((slot, Argument::Slot(place.slot)));
            }
        }
        (Argument::Operator(index, contents.into()), uses)
    }

    /// A constant with arguments for which an instance substitutes an operator.
    pub(super) fn apply_substituted(
        &mut self,
        by: SubstitutedBy,
        parent: ContextId,
        primed: bool,
        operands: &[Operand],
    ) -> Node {
        match by {
            SubstitutedBy::Expr(tree, expr) => {
                let at = At {
                    tree,
                    context: parent,
                    primed,
                };
                self.apply_expression(at, expr, operands)
            }
            SubstitutedBy::SameName(binding) => {
                let spec = self.spec;
                let context = self.context_through(parent, spec.via(binding.via));
                let at = At {
                    tree: self.spec.entity(binding.entity).tree,
                    context: parent,
                    primed,
                };
                let loc = self.entity_loc(binding.entity);
                self.apply_entity(at, loc, binding.entity, context, operands, &[], false)
            }
        }
    }

    /// An expression that is an operator, applied to operands.
    fn apply_expression(&mut self, at: At, expr: ExprId, operands: &[Operand]) -> Node {
        let tree = self.spec.tree(at.tree);
        match &tree.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                self.apply_expression(at, *inner, operands)
            }
            ExprKind::Lambda(_, body) => {
                let params = self
                    .spec
                    .binders
                    .get(&(at.tree, expr))
                    .cloned()
                    .unwrap_or_default();
                let loc = self.loc(at.tree, expr);
                let mut slots = Vec::new();
                let mut uses = Uses::default();
                for (param, operand) in params.iter().zip(operands) {
                    let (argument, of_argument) = self.argument(*operand, Some(*param));
                    uses = uses.and(of_argument);
                    let slot = self.bind_entity(*param, Naming::Expression, at.primed);
                    slots.push((slot, argument));
                }
                let body = self.expr(at, *body);
                let_in(slots, uses, body, loc)
            }
            _ => self.named(at, expr, Some(operands), false),
        }
    }
}

/// The evaluation strategy of an argument: by value if that is free and cannot fail, by name if it depends on the next state, which may
/// be incomplete, and lazily otherwise. An argument that a prime may apply to stays an expression.
pub(super) fn argument_of(node: Node, leibniz: bool) -> Argument {
    match node.kind {
        Kind::Local(slot) => Argument::Slot(slot),
        Kind::Const(_) => Argument::Value(node),
        Kind::Var(_) if leibniz => Argument::Value(node),
        _ if node.uses.next => Argument::ByName(node),
        _ => Argument::Lazy(node),
    }
}

pub(super) fn local(slot: u32, at: Loc) -> Node {
    Node {
        kind: Kind::Local(slot),
        at,
        uses: Uses {
            slots: slot_bit(slot),
            ..Uses::default()
        },
    }
}
