//! Expressions in their scope: what the names around an expression stand for, without a frame.
//!
//! Temporal formulas are unfolded through definitions, their parameters and quantifiers. The names met on the way form the scope, the
//! outermost first. Only when a part about states or steps is reached is it lowered: parameters become LETs, bound names either
//! parameters of an operation or a quantifier around the whole.

use omnilink_tla_semantics::entity::{EntityId, EntityKind, Resolved, TreeId};
use omnilink_tla_semantics::level::Level;
use omnilink_tla_syntax::ast::{Bound, ExprId, ExprKind};
use omnilink_tla_syntax::operators::Op;
use rustc_hash::FxHashSet;

use super::context::ContextId;
use super::frame::{Frame, NameSlot, Naming};
use super::node::let_in;
use super::operand::Operand;
use super::{At, Lowering, Mode, Replacement};
use crate::{Formula, Kind, Node, Operator, OperatorId, Uses};

/// A name around an expression.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// A parameter stands for an argument. `outside` is how much of the scope the argument is in.
    Argument {
        param: EntityId,
        at: At,
        expr: ExprId,
        outside: usize,
    },
    /// The names that a quantifier binds.
    Bound { at: At, quantifier: ExprId },
}

/// An expression with its context and the meanings of the names around it.
#[derive(Clone, Debug)]
pub struct ScopedExpr {
    pub(super) at: At,
    pub(super) expr: ExprId,
    pub(super) scope: Vec<Meaning>,
}

impl ScopedExpr {
    /// The tree it is in.
    pub fn tree(&self) -> TreeId {
        self.at.tree
    }

    /// Which expression it is.
    pub fn expr(&self) -> ExprId {
        self.expr
    }

    /// Another expression in the same scope.
    pub(super) fn with(&self, at: At, expr: ExprId) -> Self {
        Self {
            at,
            expr,
            scope: self.scope.clone(),
        }
    }

    /// The argument that a parameter stands for, and how much of the scope that is in.
    fn argument_of(&self, entity: EntityId) -> Option<(At, ExprId, usize)> {
        self.scope.iter().rev().find_map(|meaning| match *meaning {
            Meaning::Argument {
                param,
                at,
                expr,
                outside,
            } if param == entity => Some((at, expr, outside)),
            _ => None,
        })
    }

    /// The body of a quantifier at this expression.
    pub(super) fn bound_by(&self, at: At, quantifier: ExprId, body: ExprId) -> Self {
        let mut inner = self.with(at, body);
        inner.scope.push(Meaning::Bound { at, quantifier });
        inner
    }

    fn with_arguments(
        mut self,
        at: At,
        body: ExprId,
        arguments: impl Iterator<Item = (EntityId, At, ExprId)>,
    ) -> Self {
        let outside = self.scope.len();
        self.scope
            .extend(arguments.map(|(param, at, expr)| Meaning::Argument {
                param,
                at,
                expr,
                outside,
            }));
        Self {
            at,
            expr: body,
            ..self
        }
    }
}

impl Lowering<'_> {
    /// The argument of a parameter, if the expression is one.
    pub(super) fn argument_at(&self, here: &ScopedExpr) -> Option<ScopedExpr> {
        let Resolved::Entity(entity) = self.spec.resolved(here.at.tree, here.expr) else {
            return None;
        };
        if self.spec.entity(entity).arity > 0 {
            return None;
        }
        let (at, expr, outside) = here.argument_of(entity)?;
        Some(ScopedExpr {
            at,
            expr,
            scope: here.scope[..outside].to_vec(),
        })
    }

    /// The level of an expression with its arguments.
    pub(super) fn level_of(&self, here: &ScopedExpr) -> Level {
        let spec = self.spec;
        let written = spec.level(here.at.tree, here.expr);
        if written == Level::Temporal || here.scope.is_empty() {
            return written;
        }
        if let Some(argument) = self.argument_at(here) {
            return self.level_of(&argument);
        }
        let tree = spec.tree(here.at.tree);
        if let ExprKind::Prefix(Op::Enabled, _) = tree.expr(here.expr).kind {
            return written;
        }
        let mut level = written;
        if let Resolved::Entity(entity) = spec.resolved(here.at.tree, here.expr) {
            let operator = here.argument_of(entity);
            if let Some((at, expr, outside)) = operator.filter(|_| spec.entity(entity).arity > 0) {
                let mut argument = here.with(at, expr);
                argument.scope.truncate(outside);
                level = level.max(self.level_of(&argument));
                if let Some(of_operator) = spec.entity_at(at.tree, expr) {
                    level = level.max(spec.entity(of_operator).level.level);
                }
            }
            // A definition of a module cannot refer to what is around the expression; one of a LET can.
            if let EntityKind::Operator {
                body,
                recursive: false,
                ..
            } = spec.entity(entity).kind
                && !self.of_modules.contains(&entity)
            {
                let at = At {
                    tree: spec.entity(entity).tree,
                    ..here.at
                };
                level = level.max(self.level_of(&here.with(at, body)));
            }
        }
        tree.for_each_child(here.expr, |child| {
            level = level.max(self.level_of(&here.with(here.at, child)));
        });
        level
    }

    /// The body of the definition or operator argument that an expression applies. `None` if it applies neither, or the definition is
    /// recursive.
    pub(super) fn inside(&mut self, here: &ScopedExpr) -> Option<ScopedExpr> {
        let (at, id) = (here.at, here.expr);
        if self.is_plain_path(at, id)
            && let Some((inside, body)) = self.body_of(at, id)
        {
            return Some(here.with(inside, body));
        }
        let spec = self.spec;
        let own = |args: &[ExprId]| args.iter().map(|arg| (at, *arg)).collect::<Vec<_>>();
        let kind = &spec.tree(at.tree).expr(id).kind;
        let args_of = |segment: u32| match kind {
            ExprKind::Path(segments) => segments
                .get(segment as usize)
                .map(|segment| own(&segment.args))
                .unwrap_or_default(),
            ExprKind::Apply(_, args) => own(args),
            ExprKind::Infix(_, _, left, right) => own(&[*left, *right]),
            ExprKind::Prefix(_, operand) | ExprKind::Postfix(_, operand) => own(&[*operand]),
            _ => Vec::new(),
        };
        if let Resolved::Entity(entity) = spec.resolved(at.tree, id)
            && let Some((operator_at, operator, _)) = here.argument_of(entity)
        {
            return self.apply_argument(here, operator_at, operator, args_of(0));
        }
        let mut given: Vec<(EntityId, At, ExprId)> = Vec::new();
        let (entity, context, args) = match spec.resolved(at.tree, id) {
            Resolved::Entity(entity) => (entity, at.context, args_of(0)),
            Resolved::Reference(number) => {
                let reference = spec.references.get(number as usize)?;
                for step in &reference.via {
                    let args = step.segment.map(args_of).unwrap_or_default();
                    let params = spec.instance(step.instance).params.iter().copied();
                    given.extend(params.zip(args).map(|(param, (at, expr))| (param, at, expr)));
                }
                let instances: Vec<_> = reference.via.iter().map(|step| step.instance).collect();
                let context = self.context_through(at.context, &instances);
                if reference.part.is_some() {
                    return None;
                }
                (reference.entity, context, args_of(reference.segment))
            }
            Resolved::Nothing => return None,
        };
        self.apply_operator(here, entity, context, given, args)
    }

    /// An operator argument, applied.
    fn apply_argument(
        &mut self,
        here: &ScopedExpr,
        at: At,
        operator: ExprId,
        args: Vec<(At, ExprId)>,
    ) -> Option<ScopedExpr> {
        let spec = self.spec;
        match &spec.tree(at.tree).expr(operator).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => {
                self.apply_argument(here, at, *inner, args)
            }
            ExprKind::Lambda(_, body) => {
                let params = spec.binders.get(&(at.tree, operator))?;
                let arguments = params.iter().zip(args);
                let arguments = arguments.map(|(param, (at, expr))| (*param, at, expr));
                Some(here.clone().with_arguments(at, *body, arguments))
            }
            _ => match spec.resolved(at.tree, operator) {
                Resolved::Entity(entity) => match here.argument_of(entity) {
                    Some((at, operator, _)) => self.apply_argument(here, at, operator, args),
                    None => self.apply_operator(here, entity, at.context, Vec::new(), args),
                },
                _ => None,
            },
        }
    }

    fn apply_operator(
        &mut self,
        here: &ScopedExpr,
        entity: EntityId,
        context: ContextId,
        mut given: Vec<(EntityId, At, ExprId)>,
        args: Vec<(At, ExprId)>,
    ) -> Option<ScopedExpr> {
        let spec = self.spec;
        if let Some(replacement) = self.replacement(entity, context) {
            match replacement {
                Replacement::Definition(binding) if !self.is_replaced_by_itself(entity, binding) => {
                    let through = self.context_through(ContextId::ROOT, spec.via(binding.via));
                    return self.apply_operator(here, binding.entity, through, given, args);
                }
                Replacement::Definition(_) => {}
                Replacement::Value(_) | Replacement::Table(_) => return None,
            }
        }
        let EntityKind::Operator {
            params,
            body,
            recursive: false,
        } = &spec.entity(entity).kind
        else {
            return None;
        };
        if params.len() != args.len() {
            return None;
        }
        let own = params.iter().zip(args);
        given.extend(own.map(|(param, (at, expr))| (*param, at, expr)));
        let inside = At {
            tree: spec.entity(entity).tree,
            context,
            primed: here.at.primed,
        };
        Some(here.clone().with_arguments(inside, *body, given.into_iter()))
    }

    /// The bounds of a quantifier and the names they bind.
    pub(super) fn quantifier_bounds(&self, at: At, quantifier: ExprId) -> (&[Bound], &[EntityId]) {
        let spec = self.spec;
        let bounds: &[Bound] = match &spec.tree(at.tree).expr(quantifier).kind {
            ExprKind::Quantified(_, bounds, _) => bounds,
            _ => &[],
        };
        let names = spec.binders.get(&(at.tree, quantifier));
        (bounds, names.map_or(&[], |names| names))
    }

    /// The part of the scope that an expression depends on. Quantifiers stay.
    fn relevant(&self, here: &ScopedExpr) -> Vec<Meaning> {
        let spec = self.spec;
        let mut needed = FxHashSet::default();
        self.find_names(here.at.tree, here.expr, &mut needed);
        let of_instance = |param: &EntityId| {
            spec.instances
                .iter()
                .any(|instance| instance.params.contains(param))
        };
        let mut kept = Vec::with_capacity(here.scope.len());
        for meaning in here.scope.iter().rev() {
            match meaning {
                Meaning::Bound { at, quantifier } => {
                    for bound in self.quantifier_bounds(*at, *quantifier).0 {
                        if let Some(set) = bound.set {
                            self.find_names(at.tree, set, &mut needed);
                        }
                    }
                }
                // Substitutions of an instance refer to its parameters, wherever it is used.
                Meaning::Argument { param, at, expr, .. } if needed.contains(param) || of_instance(param) => {
                    self.find_names(at.tree, *expr, &mut needed);
                }
                Meaning::Argument { .. } => continue,
            }
            kept.push(*meaning);
        }
        kept.reverse();
        kept
    }

    /// All that an expression and the LET definitions in it refer to.
    fn find_names(&self, tree: TreeId, expr: ExprId, found: &mut FxHashSet<EntityId>) {
        let spec = self.spec;
        if let Some(entity) = spec.entity_at(tree, expr)
            && found.insert(entity)
            && self.let_entities.contains(&entity)
            && let EntityKind::Operator { body, .. } | EntityKind::Function { body, .. } =
                &spec.entity(entity).kind
        {
            self.find_names(spec.entity(entity).tree, *body, found);
        }
        spec.tree(tree)
            .for_each_child(expr, |child| self.find_names(tree, child, found));
    }

    /// A node inside its scope: LETs for arguments, and for bound names the given parameters of an operation, or else `\A`.
    fn within(
        &mut self,
        scope: &[Meaning],
        primed: bool,
        mut params: Option<u32>,
        lower: &mut dyn FnMut(&mut Self) -> Node,
    ) -> Node {
        let Some((meaning, inner)) = scope.split_first() else {
            return lower(self);
        };
        match *meaning {
            Meaning::Argument {
                param,
                at,
                expr,
                outside: _,
            } => {
                let operand = Operand::Expr(At { primed, ..at }, expr);
                let (argument, uses) = self.instance_argument(operand, param);
                let slot = self.bind_entity(param, Naming::Expression, primed);
                let body = self.within(inner, primed, params, lower);
                let loc = body.at;
                let_in(vec![(slot, argument)], uses, body, loc)
            }
            Meaning::Bound { at, quantifier } => {
                let at = At { primed, ..at };
                let spec = self.spec;
                let Some(first) = params else {
                    let bounds: &[Bound] = match &spec.tree(at.tree).expr(quantifier).kind {
                        ExprKind::Quantified(_, bounds, _) => bounds,
                        _ => &[],
                    };
                    return self.binder_with(
                        at,
                        quantifier,
                        bounds,
                        |this| this.within(inner, primed, None, lower),
                        Kind::ForAll,
                    );
                };
                let names = self.quantifier_bounds(at, quantifier).1.to_vec();
                for (slot, entity) in (first..).zip(&names) {
                    let place = NameSlot {
                        slot,
                        naming: Naming::Value,
                        primed,
                    };
                    self.frame().set_slot(*entity, place);
                }
                params = Some(first + names.len() as u32);
                self.within(inner, primed, params, lower)
            }
        }
    }

    /// An operation whose parameters are the names that quantifiers bind around the expression.
    pub(super) fn operation_of(
        &mut self,
        here: &ScopedExpr,
        name: &str,
        mut lower: impl FnMut(&mut Self, At, ExprId) -> Node,
    ) -> OperatorId {
        let index = self.reserve();
        let mut frame = Frame::new(false);
        for meaning in &here.scope {
            if let Meaning::Bound { at, quantifier } = *meaning {
                for entity in self.quantifier_bounds(at, quantifier).1 {
                    frame.slot(self.text_of(*entity));
                }
            }
        }
        let params = frame.size();
        let scope = self.relevant(here);
        self.frames.push(frame);
        let at = At {
            primed: false,
            ..here.at
        };
        let mut body = self.within(&scope, false, Some(0), &mut |this| lower(this, at, here.expr));
        self.hoist(&mut body, true);
        if let Some(frame) = self.frames.pop() {
            self.operators[index as usize] = Some(Operator {
                name: name.into(),
                is_definition: false,
                params,
                slots: frame.into_names(),
                body,
            });
        }
        OperatorId {
            operator: index,
            params,
        }
    }

    /// What an operation depends on.
    pub(super) fn uses_of(&self, operation: OperatorId) -> Uses {
        let operator = self.operators.get(operation.operator as usize);
        operator
            .and_then(Option::as_ref)
            .map_or_else(Uses::default, |operator| operator.body.uses)
    }

    /// An expression as a formula to be evaluated. Names bound around it are bound by `\A`.
    pub fn plain_of(&mut self, here: &ScopedExpr, name: &str) -> Formula {
        let scope = self.relevant(here);
        self.standalone(name, Mode::Plain, |this, primed| {
            this.within(&scope, primed, None, &mut |this| {
                this.expr(At { primed, ..here.at }, here.expr)
            })
        })
    }

    /// The next-state relation of `[Next]_v`.
    pub fn next_of(&mut self, here: &ScopedExpr) -> Formula {
        let action = match &self.spec.tree(here.at.tree).expr(here.expr).kind {
            ExprKind::Action(true, action, _) => *action,
            _ => here.expr,
        };
        self.standalone("Next", Mode::Next, |this, primed| {
            this.within(&here.scope, primed, None, &mut |this| {
                this.action(At { primed, ..here.at }, action, "Next")
            })
        })
    }

    /// The conjunction of expressions as an initial condition.
    pub fn init_of(&mut self, conjuncts: &[ScopedExpr]) -> Option<Formula> {
        let first = conjuncts.first()?;
        let loc = self.loc(first.at.tree, first.expr);
        Some(self.standalone("Init", Mode::Init, |this, primed| {
            let parts: Box<[Node]> = conjuncts
                .iter()
                .map(|conjunct| {
                    this.within(&conjunct.scope, primed, None, &mut |this| {
                        this.expr(
                            At {
                                primed,
                                ..conjunct.at
                            },
                            conjunct.expr,
                        )
                    })
                })
                .collect();
            let uses = parts
                .iter()
                .fold(Uses::default(), |uses, part| uses.and(part.uses));
            Node {
                kind: Kind::And(parts),
                at: loc,
                uses,
            }
        }))
    }
}
