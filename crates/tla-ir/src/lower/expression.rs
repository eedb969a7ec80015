//! Expressions: every kind of syntax, lowered.

use omnilink_tla_semantics::entity::{EntityKind, Resolved};
use omnilink_tla_syntax::ast::{
    Access, ExprId, ExprKind, Ident, Junction, Quantifier, UnitId, Update as AstUpdate,
};
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::operators::Op;
use omnilink_value::{Shape, Value};

use super::frame::Naming;
use super::operand::{Operand, argument_of};
use super::{At, Lowering};
use crate::ErrorClass;
use crate::{Arithmetic, Comparison, Field, Infinite, Kind, Loc, Node, PathStep, Update, Uses, slot_bit};

/// Trees deeper than this are refused: lowering and evaluating recurse.
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
                Some(slot) => super::operand::local(slot, loc),
                None => self.fail(loc, ErrorClass::Undefined, "`@` stands outside EXCEPT".into()),
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
                self.binder(at, id, bounds, *body, Kind::Exists)
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

    fn temporal(&self, loc: Loc) -> Node {
        self.fail(
            loc,
            ErrorClass::Unsupported,
            "a temporal formula speaks of whole behaviours and has no value in a state".into(),
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

    fn two(
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

    /// `a /\ b /\ c`: one list, however it was bracketed to the left.
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

    fn number(&self, loc: Loc, text: Name) -> Node {
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
                let mut node = self.expr(At { primed: true, ..from }, expr);
                node.at = loc;
                node
            }
            Operand::Slot(slot) => {
                let mut node = one(loc, super::operand::local(slot, loc), Kind::Prime);
                node.uses.next = true;
                node
            }
        }
    }

    /// `UNCHANGED e`: of variables where `e` is made of them, else `e' = e`.
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
                if let Some((inside, body)) = self.body_of(at, id) {
                    return self.unchanged_parts(inside, body, variables, others);
                }
            }
            _ => {}
        }
        let loc = self.loc(at.tree, id);
        let next = self.expr(At { primed: true, ..at }, id);
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

    fn enabled(&mut self, at: At, loc: Loc, operand: Operand) -> Node {
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
        let action = self.operand(operand, loc);
        let mut node = one(loc, action, Kind::Enabled);
        node.uses.next = false;
        node.uses.state = true;
        node.uses.heavy = true;
        if at.primed {
            node = one(loc, node, Kind::Prime);
            node.uses.next = true;
        }
        node
    }

    fn call(&mut self, at: At, loc: Loc, function: ExprId, args: &[ExprId]) -> Node {
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

    fn except(&mut self, at: At, loc: Loc, function: ExprId, updates: &[AstUpdate]) -> Node {
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
            // A prime may reach into it.
            let argument = argument_of(node, false);
            slots.push((slot, argument));
        }
        let body = self.expr(at, body);
        if slots.is_empty() {
            return body;
        }
        uses = uses.and(body.uses);
        for (slot, _) in &slots {
            uses = uses.without(*slot);
        }
        Node {
            kind: Kind::Let(slots.into(), Box::new(body)),
            at: loc,
            uses,
        }
    }

    /// The operators of `Naturals` and `Integers`, which have nodes of their own.
    pub(super) fn arithmetic(
        &mut self,
        loc: Loc,
        module: &str,
        name: &str,
        operands: &[Operand],
    ) -> Option<Node> {
        if !matches!(module, "Naturals" | "Integers" | "TLC") {
            return None;
        }
        let calculation = match name {
            "+" => Some(Arithmetic::Plus),
            "-" => Some(Arithmetic::Minus),
            "*" => Some(Arithmetic::Times),
            "\\div" => Some(Arithmetic::Divide),
            "%" => Some(Arithmetic::Modulo),
            "^" => Some(Arithmetic::Power),
            _ => None,
        };
        let comparison = match name {
            "<" => Some(Comparison::Less),
            "<=" | "\\leq" | "=<" => Some(Comparison::LessEqual),
            ">" => Some(Comparison::Greater),
            ">=" | "\\geq" => Some(Comparison::GreaterEqual),
            _ => None,
        };
        let infinite = match name {
            "Nat" => Some(Infinite::Nat),
            "Int" => Some(Infinite::Int),
            "Any" if module == "TLC" => Some(Infinite::Any),
            _ => None,
        };
        if let Some(infinite) = infinite {
            return Some(Node {
                kind: Kind::Infinite(infinite),
                at: loc,
                uses: Uses::default(),
            });
        }
        if module == "TLC" {
            return None;
        }
        match operands {
            [operand] if name == "-." => {
                let operand = self.operand(*operand, loc);
                Some(one(loc, operand, Kind::Negative))
            }
            [left, right] => {
                if calculation.is_none() && comparison.is_none() && name != ".." {
                    return None;
                }
                let (left, right) = (self.operand(*left, loc), self.operand(*right, loc));
                Some(pair(loc, left, right, |two| match (calculation, comparison) {
                    (Some(calculation), _) => Kind::Arithmetic(calculation, two),
                    (None, Some(comparison)) => Kind::Comparison(comparison, two),
                    (None, None) => Kind::Interval(two),
                }))
            }
            _ => None,
        }
    }
}

fn one(at: Loc, operand: Node, make: impl FnOnce(Box<Node>) -> Kind) -> Node {
    let uses = operand.uses;
    Node {
        kind: make(Box::new(operand)),
        at,
        uses,
    }
}

/// What an instance puts in for a variable is perhaps a variable again, or a tuple of them.
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

fn pair(at: Loc, left: Node, right: Node, make: impl FnOnce(Box<(Node, Node)>) -> Kind) -> Node {
    let uses = left.uses.and(right.uses);
    Node {
        kind: make(Box::new((left, right))),
        at,
        uses,
    }
}

/// One more step of a path.
fn stepped(root: Node, step: PathStep, uses: Uses, at: Loc) -> Node {
    let uses = root.uses.and(uses);
    let kind = match root.kind {
        Kind::Path(root, steps) => {
            let mut steps = steps.into_vec();
            steps.push(step);
            Kind::Path(root, steps.into())
        }
        _ => Kind::Path(Box::new(root), Box::new([step])),
    };
    Node { kind, at, uses }
}
