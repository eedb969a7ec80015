//! Lowering of expressions, by kind of syntax.

use omnilink_tla_semantics::entity::EntityKind;
use omnilink_tla_syntax::ast::{Access, ExceptUpdate, ExprId, ExprKind, Ident, Junction, Quantifier, UnitId};
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::operators::Op;
use omnilink_value::{Shape, Value};

use super::frame::Naming;
use super::node::{let_in, pair, stepped};
use super::operand::{Operand, argument_of, local};
use super::{At, Lowering, guessed_set};
use crate::{ErrorClass, Field, Kind, Loc, Node, PathStep, Update, Uses, slot_bit};

/// The maximum depth of trees, because lowering and evaluation recurse.
const DEPTH_MAX: u32 = 4000;

impl Lowering<'_> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, at: At, id: ExprId) -> Node {
        if self.depth >= DEPTH_MAX {
            let loc = self.loc(at.tree, id);
            return self.fail(
                loc,
                ErrorClass::Resource,
                "this is nested too deep to be evaluated".into(),
            );
        }
        self.depth += 1;
        let node = self.expr_inside(at, id);
        self.depth -= 1;
        node
    }

    fn expr_inside(&mut self, at: At, id: ExprId) -> Node {
        let spec = self.spec;
        let loc = self.loc(at.tree, id);
        match &spec.tree(at.tree).expr(id).kind {
            ExprKind::Number(text) => self.number(loc, *text),
            ExprKind::Decimal(..) => self.fail(
                loc,
                ErrorClass::Infinite,
                "decimal numbers cannot be evaluated; use integers".into(),
            ),
            ExprKind::Text(text) => self.constant(loc, Value::str(spec.names.text(*text))),
            ExprKind::Apply(..) | ExprKind::Path(_) => self.named(at, id, None, false),
            ExprKind::At => match self.frame().at_slots.last().copied() {
                Some(slot) => local(slot, loc),
                None => self.fail(loc, ErrorClass::Undefined, "`@` is used outside EXCEPT".into()),
            },
            ExprKind::Prefix(op, operand) if op.is_built_in() => {
                self.symbol(at, loc, *op, &[Operand::Expr(at, *operand)])
            }
            ExprKind::Postfix(op, operand) if op.is_built_in() => {
                self.symbol(at, loc, *op, &[Operand::Expr(at, *operand)])
            }
            ExprKind::Infix(op @ (Op::And | Op::Or), ..) => self.junction(at, id, *op, loc),
            ExprKind::Infix(op, _, left, right) if op.is_built_in() => self.symbol(
                at,
                loc,
                *op,
                &[Operand::Expr(at, *left), Operand::Expr(at, *right)],
            ),
            ExprKind::Prefix(..) | ExprKind::Postfix(..) | ExprKind::Infix(..) => {
                self.named(at, id, None, false)
            }
            ExprKind::Times(factors) => self.many(at, loc, factors, Kind::Product),
            ExprKind::Junction(Junction::And, items) => self.many(at, loc, items, Kind::And),
            ExprKind::Junction(Junction::Or, items) => self.many(at, loc, items, Kind::Or),
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => self.expr(at, *inner),
            ExprKind::Tuple(parts) => self.many(at, loc, parts, Kind::Tuple),
            ExprKind::SetEnum(parts) => self.many(at, loc, parts, Kind::SetEnum),
            ExprKind::SetFilter(bound, body) => {
                self.binder(at, id, std::slice::from_ref(bound), *body, Kind::Filter)
            }
            ExprKind::SetMap(body, bounds) => self.binder(at, id, bounds, *body, Kind::Map),
            ExprKind::Function(bounds, body) => self.binder(at, id, bounds, *body, Kind::Function),
            ExprKind::FunctionSet(domain, range) => self.two(at, loc, *domain, *range, Kind::FunctionSet),
            ExprKind::Call(function, args) => self.call(at, loc, *function, args),
            ExprKind::Record(fields) => self.fields(at, loc, fields, |fields| {
                let (names, values): (Vec<Value>, Vec<Node>) = fields.into_iter().unzip();
                Kind::Record(Shape::of_sorted(names), values.into())
            }),
            ExprKind::RecordSet(fields) => {
                self.fields(at, loc, fields, |fields| Kind::RecordSet(fields.into()))
            }
            ExprKind::Field(record, field) => {
                let record = self.expr(at, *record);
                let name = Value::str(spec.names.text(field.name));
                stepped(record, PathStep::Field(Field::new(name)), Uses::default(), loc)
            }
            ExprKind::Except(function, updates) => self.except(at, loc, *function, updates),
            ExprKind::If(condition, yes, no) => {
                let (condition, yes, no) =
                    (self.expr(at, *condition), self.expr(at, *yes), self.expr(at, *no));
                let uses = condition.uses.and(yes.uses).and(no.uses);
                Node {
                    kind: Kind::If(Box::new((condition, yes, no))),
                    at: loc,
                    uses,
                }
            }
            ExprKind::Case(arms, other) => {
                let mut uses = Uses::default();
                let arms: Box<[(Node, Node)]> = arms
                    .iter()
                    .map(|(condition, value)| {
                        let (condition, value) = (self.expr(at, *condition), self.expr(at, *value));
                        uses = uses.and(condition.uses).and(value.uses);
                        (condition, value)
                    })
                    .collect();
                let other = other.map(|other| {
                    let other = self.expr(at, other);
                    uses = uses.and(other.uses);
                    Box::new(other)
                });
                Node {
                    kind: Kind::Case(arms, other),
                    at: loc,
                    uses,
                }
            }
            ExprKind::Let(units, body) => self.let_in(at, loc, units, *body),
            ExprKind::Choose(bound, body) => {
                self.binder(at, id, std::slice::from_ref(bound), *body, Kind::Choose)
            }
            ExprKind::Quantified(Quantifier::ForAll, bounds, body) => {
                self.binder(at, id, bounds, *body, Kind::ForAll)
            }
            ExprKind::Quantified(Quantifier::Exists, bounds, body) => {
                let exists = |bounded| Kind::Exists(guessed_set::narrowed(bounded));
                self.binder(at, id, bounds, *body, exists)
            }
            ExprKind::Action(square, action, subscript) => {
                let action = self.expr(at, *action);
                let unchanged = self.unchanged(at, loc, Operand::Expr(at, *subscript));
                let uses = action.uses.and(unchanged.uses);
                let two = Box::new((action, unchanged));
                Node {
                    kind: if *square {
                        Kind::Stuttering(two)
                    } else {
                        Kind::Changing(two)
                    },
                    at: loc,
                    uses,
                }
            }
            ExprKind::TemporalQuantified(..) | ExprKind::Fairness(..) => self.temporal(loc),
            ExprKind::Lambda(..) => self.fail(
                loc,
                ErrorClass::Type,
                "a LAMBDA is an operator, not a value".into(),
            ),
            ExprKind::Error => self.fail(loc, ErrorClass::Undefined, "this could not be read".into()),
        }
    }

    pub(super) fn temporal(&self, loc: Loc) -> Node {
        self.fail(
            loc,
            ErrorClass::Unsupported,
            "a temporal formula is about whole behaviours and has no value in a state".into(),
        )
    }

    pub(super) fn many(
        &mut self,
        at: At,
        loc: Loc,
        parts: &[ExprId],
        make: impl FnOnce(Box<[Node]>) -> Kind,
    ) -> Node {
        let parts: Box<[Node]> = parts.iter().map(|part| self.expr(at, *part)).collect();
        let uses = parts
            .iter()
            .fold(Uses::default(), |uses, part| uses.and(part.uses));
        Node {
            kind: make(parts),
            at: loc,
            uses,
        }
    }

    pub(super) fn two(
        &mut self,
        at: At,
        loc: Loc,
        left: ExprId,
        right: ExprId,
        make: impl FnOnce(Box<(Node, Node)>) -> Kind,
    ) -> Node {
        let (left, right) = (self.expr(at, left), self.expr(at, right));
        pair(loc, left, right, make)
    }

    /// `a /\ b /\ c` as one list.
    fn junction(&mut self, at: At, id: ExprId, op: Op, loc: Loc) -> Node {
        let mut parts = Vec::new();
        let mut here = id;
        while let ExprKind::Infix(other, _, left, right) = &self.spec.tree(at.tree).expr(here).kind
            && *other == op
        {
            parts.push(*right);
            here = *left;
        }
        parts.push(here);
        parts.reverse();
        self.many(at, loc, &parts, if op == Op::And { Kind::And } else { Kind::Or })
    }

    pub(super) fn number(&self, loc: Loc, text: Name) -> Node {
        let text = self.spec.names.text(text);
        let (digits, radix) = match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
            Some("\\b") => (&text[2..], 2),
            Some("\\o") => (&text[2..], 8),
            Some("\\h") => (&text[2..], 16),
            _ => (text, 10),
        };
        match i64::from_str_radix(digits, radix) {
            Ok(int) if !self.is_32_bit || i32::try_from(int).is_ok() => self.constant(loc, Value::int(int)),
            _ => self.fail(
                loc,
                ErrorClass::Overflow,
                format!("{text} is too large an integer"),
            ),
        }
    }

    pub(super) fn call(&mut self, at: At, loc: Loc, function: ExprId, args: &[ExprId]) -> Node {
        let function = self.expr(at, function);
        let index = match args {
            [arg] => self.expr(at, *arg),
            args => self.many(at, loc, args, Kind::Tuple),
        };
        let uses = index.uses;
        stepped(function, PathStep::Index(index), uses, loc)
    }

    fn fields(
        &mut self,
        at: At,
        loc: Loc,
        fields: &[(Ident, ExprId)],
        make: impl FnOnce(Vec<(Value, Node)>) -> Kind,
    ) -> Node {
        let mut uses = Uses::default();
        let mut lowered: Vec<(Value, Node)> = fields
            .iter()
            .map(|(name, value)| {
                let node = self.expr(at, *value);
                uses = uses.and(node.uses);
                (Value::str(self.spec.names.text(name.name)), node)
            })
            .collect();
        lowered.sort_by(|left, right| left.0.cmp(&right.0));
        Node {
            kind: make(lowered),
            at: loc,
            uses,
        }
    }

    fn except(&mut self, at: At, loc: Loc, function: ExprId, updates: &[ExceptUpdate]) -> Node {
        let function = self.expr(at, function);
        let mut uses = function.uses;
        let mut lowered = Vec::with_capacity(updates.len());
        for update in updates {
            let mut path = Vec::with_capacity(update.path.len());
            for access in &update.path {
                path.push(match access {
                    Access::Field(field) => {
                        PathStep::Field(Field::new(Value::str(self.spec.names.text(field.name))))
                    }
                    Access::Index(args) => {
                        let index = match &**args {
                            [arg] => self.expr(at, *arg),
                            args => self.many(at, loc, args, Kind::Tuple),
                        };
                        uses = uses.and(index.uses);
                        PathStep::Index(index)
                    }
                });
            }
            let at_slot = self.frame().slot("@");
            self.frame().at_slots.push(at_slot);
            let value = self.expr(at, update.value);
            self.frame().at_slots.pop();
            let uses_old = value.uses.slots & slot_bit(at_slot) != 0;
            uses = uses.and(value.uses.without(at_slot));
            lowered.push(Update {
                path: path.into(),
                at_slot,
                uses_old,
                value,
            });
        }
        Node {
            kind: Kind::Except(Box::new(function), lowered.into()),
            at: loc,
            uses,
        }
    }

    fn let_in(&mut self, at: At, loc: Loc, units: &[UnitId], body: ExprId) -> Node {
        let mut slots = Vec::new();
        let mut uses = Uses::default();
        for unit in units {
            let Some(entity) = self.spec.let_entities.get(&(at.tree, *unit)).copied() else {
                continue;
            };
            if self.spec.entity(entity).arity > 0 {
                continue;
            }
            let node = match &self.spec.entity(entity).kind {
                EntityKind::Operator {
                    body,
                    recursive: false,
                    ..
                } => self.expr(at, *body),
                EntityKind::Function { .. } => self.function_definition(at, entity),
                _ => continue,
            };
            uses = uses.and(node.uses);
            let slot = self.bind_entity(entity, Naming::Expression, at.primed);
            // A prime may apply to it.
            let argument = argument_of(node, false);
            slots.push((slot, argument));
        }
        let body = self.expr(at, body);
        let_in(slots, uses, body, loc)
    }
}
