//! Operator symbols of the language: connectives, set operators, primes, UNCHANGED and ENABLED.

use omnilink_tla_semantics::entity::{EntityKind, Resolved};
use omnilink_tla_syntax::ast::{ExprId, ExprKind};
use omnilink_tla_syntax::operators::Op;

use super::enabled::next_value;
use super::node::{one, pair};
use super::operand::{Operand, local};
use super::{At, Lowering};
use crate::{ErrorClass, Kind, Loc, Node, Uses};

impl Lowering<'_> {
    /// An operator symbol of the language.
    pub(super) fn symbol(&mut self, at: At, loc: Loc, op: Op, operands: &[Operand]) -> Node {
        match (op, operands) {
            (Op::Prime, [operand]) => return self.prime(at, loc, *operand),
            (Op::Unchanged, [operand]) => return self.unchanged(at, loc, *operand),
            (Op::Enabled, [operand]) => return self.enabled(at, loc, *operand),
            (Op::Always | Op::Eventually | Op::LeadsTo | Op::PlusArrow, _) => return self.temporal(loc),
            _ => {}
        }
        let mut nodes = operands
            .iter()
            .map(|operand| self.operand(*operand, loc))
            .collect::<Vec<_>>();
        let (second, first) = (nodes.pop(), nodes.pop());
        match (op, first, second) {
            (Op::Not, None, Some(operand)) => one(loc, operand, Kind::Not),
            (Op::Domain, None, Some(operand)) => one(loc, operand, Kind::Domain),
            (Op::Powerset, None, Some(operand)) => one(loc, operand, Kind::Powerset),
            (Op::BigUnion, None, Some(operand)) => one(loc, operand, Kind::BigUnion),
            (Op::And, Some(a), Some(b)) => pair(loc, a, b, |two| Kind::And(Box::new([two.0, two.1]))),
            (Op::Or, Some(a), Some(b)) => pair(loc, a, b, |two| Kind::Or(Box::new([two.0, two.1]))),
            (Op::Implies, Some(a), Some(b)) => pair(loc, a, b, Kind::Implies),
            (Op::Equiv, Some(a), Some(b)) => pair(loc, a, b, Kind::Equiv),
            (Op::Equal, Some(a), Some(b)) => pair(loc, a, b, Kind::Equal),
            (Op::NotEqual, Some(a), Some(b)) => pair(loc, a, b, Kind::NotEqual),
            (Op::In, Some(a), Some(b)) => pair(loc, a, b, Kind::In),
            (Op::NotIn, Some(a), Some(b)) => pair(loc, a, b, Kind::NotIn),
            (Op::SubsetEq, Some(a), Some(b)) => pair(loc, a, b, Kind::SubsetEq),
            (Op::Cup, Some(a), Some(b)) => pair(loc, a, b, Kind::Union),
            (Op::Cap, Some(a), Some(b)) => pair(loc, a, b, Kind::Intersection),
            (Op::SetMinus, Some(a), Some(b)) => pair(loc, a, b, Kind::Difference),
            (Op::Times, Some(a), Some(b)) => pair(loc, a, b, |two| Kind::Product(Box::new([two.0, two.1]))),
            (Op::Cdot, Some(a), Some(b)) => pair(loc, a, b, Kind::Compose),
            _ => {
                let message = format!("`{}` cannot be evaluated", op.text());
                self.fail(loc, ErrorClass::Unsupported, message)
            }
        }
    }

    fn prime(&mut self, at: At, loc: Loc, operand: Operand) -> Node {
        match operand {
            Operand::Expr(from, expr) => {
                if at.primed {
                    return self.fail(
                        loc,
                        ErrorClass::Type,
                        "a prime inside a prime has no meaning".into(),
                    );
                }
                let mut node = self.next(from, expr);
                node.at = loc;
                node
            }
            Operand::Slot(slot) => {
                let mut node = one(loc, local(slot, loc), Kind::Prime);
                node.uses.next = true;
                node
            }
        }
    }

    /// An expression in the next state.
    ///
    /// Its variables become those of the next state, here and not when it is evaluated, so that `(x = 1)'` gives x a next value. That is wrong for a name
    /// that is used inside of an ENABLED: `(LET y == x IN ENABLED (y = 1))'`. There y would be the next value inside of ENABLED, which asks from the
    /// next state. Then the expression stays as it is and is evaluated in the next state.
    fn next(&mut self, from: At, expr: ExprId) -> Node {
        let node = self.expr(At { primed: true, ..from }, expr);
        if !node.uses.of_next {
            return node;
        }
        let loc = node.at;
        let now = self.expr(
            At {
                primed: false,
                ..from
            },
            expr,
        );
        let mut node = one(loc, now, Kind::Prime);
        node.uses.next = true;
        node
    }

    /// `UNCHANGED e`: unchanged variables as far as `e` consists of them, else `e' = e`.
    pub(super) fn unchanged(&mut self, at: At, loc: Loc, operand: Operand) -> Node {
        let mut variables = Vec::new();
        let mut others = Vec::new();
        match operand {
            Operand::Expr(from, expr) => self.unchanged_parts(from, expr, &mut variables, &mut others),
            Operand::Slot(_) => {
                let next = self.prime(at, loc, operand);
                let now = self.operand(operand, loc);
                others.push(pair(loc, next, now, Kind::UnchangedExpr));
            }
        }
        let uses = Uses {
            state: true,
            next: true,
            ..Uses::default()
        };
        if !variables.is_empty() || others.is_empty() {
            let node = Node {
                kind: Kind::Unchanged(variables.into()),
                at: loc,
                uses,
            };
            if others.is_empty() {
                return node;
            }
            others.insert(0, node);
        }
        let uses = others.iter().fold(uses, |uses, part| uses.and(part.uses));
        if others.len() == 1
            && let Some(only) = others.pop()
        {
            return only;
        }
        Node {
            kind: Kind::And(others.into()),
            at: loc,
            uses,
        }
    }

    fn unchanged_parts(&mut self, at: At, id: ExprId, variables: &mut Vec<u32>, others: &mut Vec<Node>) {
        let spec = self.spec;
        match &spec.tree(at.tree).expr(id).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                return self.unchanged_parts(at, *inner, variables, others);
            }
            ExprKind::Tuple(parts) => {
                for part in parts {
                    self.unchanged_parts(at, *part, variables, others);
                }
                return;
            }
            ExprKind::Apply(..) | ExprKind::Path(_) if self.is_plain_path(at, id) => {
                if let Some(variable) = self.plain_variable(at, id) {
                    variables.push(variable);
                    return;
                }
                if let Some(hidden) = self.hidden_variable_at(at, id) {
                    let loc = self.loc(at.tree, id);
                    let now = self.expr(At { primed: false, ..at }, id);
                    others.push(pair(loc, next_value(hidden, loc), now, Kind::UnchangedExpr));
                    return;
                }
                if let Some((inside, body)) = self.body_of(at, id) {
                    return self.unchanged_parts(inside, body, variables, others);
                }
            }
            _ => {}
        }
        let loc = self.loc(at.tree, id);
        let next = self.next(at, id);
        let now = self.expr(At { primed: false, ..at }, id);
        unchanged_pair(loc, next, now, variables, others);
    }

    /// The slot of the variable that a name stands for, through substitutions.
    fn plain_variable(&mut self, at: At, id: ExprId) -> Option<u32> {
        let (entity, context) = match self.spec.resolved(at.tree, id) {
            Resolved::Entity(entity) => (entity, at.context),
            Resolved::Reference(number) => {
                let reference = self.spec.references.get(number as usize)?;
                if reference.part.is_some() {
                    return None;
                }
                let instances: Vec<_> = reference.via.iter().map(|step| step.instance).collect();
                (reference.entity, self.context_through(at.context, &instances))
            }
            Resolved::Nothing => return None,
        };
        if !matches!(self.spec.entity(entity).kind, EntityKind::Variable)
            || self.substituted_operator(entity, context).is_some()
        {
            return None;
        }
        self.variables.get(&entity).copied()
    }
}

/// Splits `next = now` into unchanged variables and other equalities. The substitution of an instance for a variable may be a
/// variable or a tuple of them.
fn unchanged_pair(loc: Loc, next: Node, now: Node, variables: &mut Vec<u32>, others: &mut Vec<Node>) {
    match (next.kind, now.kind) {
        (Kind::Next(of_next), Kind::Var(of_now)) if of_next == of_now => variables.push(of_now),
        (Kind::Tuple(of_next), Kind::Tuple(of_now)) if of_next.len() == of_now.len() => {
            for (next, now) in of_next.into_iter().zip(of_now) {
                unchanged_pair(loc, next, now, variables, others);
            }
        }
        (of_next, of_now) => {
            let next = Node {
                kind: of_next,
                ..next
            };
            let now = Node { kind: of_now, ..now };
            others.push(pair(loc, next, now, Kind::UnchangedExpr));
        }
    }
}
