//! Names and paths: the entity they refer to, applied to operands.

use omnilink_tla_semantics::entity::{
    Aspect, EntityId, EntityKind, InstanceStep, Part, Reference, Resolved, TreeId,
};
use omnilink_tla_syntax::ast::{ExprId, ExprKind, Segment};
use omnilink_value::Value;

use super::context::ContextId;
use super::enabled::next_value;
use super::frame::Naming;
use super::node::let_in;
use super::operand::{Operand, local};
use super::{At, Lowering, Replacement};
use crate::{Argument, ErrorClass, Kind, Loc, Node, Uses, slot_bit};

impl Lowering<'_> {
    pub(super) fn loc(&self, tree: TreeId, expr: ExprId) -> Loc {
        let tree = self.spec.tree(tree);
        Loc {
            source: tree.source,
            span: tree.expr(expr).span,
        }
    }

    pub(super) fn entity_loc(&self, entity: EntityId) -> Loc {
        let entity = self.spec.entity(entity);
        Loc {
            source: entity.source,
            span: entity.span,
        }
    }

    pub(super) fn text_of(&self, entity: EntityId) -> &str {
        self.spec.names.text(self.spec.entity(entity).name)
    }

    /// A name or path with its own arguments, or with the given operands in their place.
    pub(super) fn named(&mut self, at: At, id: ExprId, operands: Option<&[Operand]>, action: bool) -> Node {
        let loc = self.loc(at.tree, id);
        let own =
            |args: &[ExprId]| -> Vec<Operand> { args.iter().map(|arg| Operand::Expr(at, *arg)).collect() };
        let tree = self.spec.tree(at.tree);
        match self.spec.resolved(at.tree, id) {
            Resolved::Nothing => self.fail(loc, ErrorClass::Undefined, "this name has no meaning".into()),
            Resolved::Entity(entity) => {
                let args = match &tree.expr(id).kind {
                    ExprKind::Apply(_, args) => own(args),
                    ExprKind::Infix(_, _, left, right) => own(&[*left, *right]),
                    ExprKind::Prefix(_, operand) | ExprKind::Postfix(_, operand) => own(&[*operand]),
                    ExprKind::Path(segments) => segments.last().map(|s| own(&s.args)).unwrap_or_default(),
                    _ => Vec::new(),
                };
                let operands = operands.unwrap_or(&args);
                self.apply_entity(at, loc, entity, at.context, operands, &[], action)
            }
            Resolved::Reference(number) => {
                let spec = self.spec;
                let Some(reference) = spec.references.get(number as usize) else {
                    return self.fail(loc, ErrorClass::Undefined, "this name has no meaning".into());
                };
                self.through(at, id, reference, operands, action)
            }
        }
    }

    /// A reference through instances or into a definition.
    pub(super) fn through(
        &mut self,
        at: At,
        id: ExprId,
        reference: &Reference,
        operands: Option<&[Operand]>,
        action: bool,
    ) -> Node {
        let loc = self.loc(at.tree, id);
        let spec = self.spec;
        let tree = spec.tree(at.tree);
        let instances: Vec<_> = reference.via.iter().map(|step| step.instance).collect();
        let context = self.context_through(at.context, &instances);
        let segment_args = |segment: u32| -> Vec<Operand> {
            match &tree.expr(id).kind {
                ExprKind::Path(segments) => segments
                    .get(segment as usize)
                    .map(|segment| segment.args.iter().map(|arg| Operand::Expr(at, *arg)).collect())
                    .unwrap_or_default(),
                ExprKind::Apply(_, args) => args.iter().map(|arg| Operand::Expr(at, *arg)).collect(),
                ExprKind::Infix(_, _, left, right) => {
                    vec![Operand::Expr(at, *left), Operand::Expr(at, *right)]
                }
                ExprKind::Prefix(_, operand) | ExprKind::Postfix(_, operand) => {
                    vec![Operand::Expr(at, *operand)]
                }
                _ => Vec::new(),
            }
        };
        // Segments without arguments take them from the operands, in order, instances first.
        let mut spare = operands.unwrap_or_default().iter().copied();
        let mut given: Vec<(EntityId, Operand)> = Vec::new();
        for InstanceStep { instance, segment } in &reference.via {
            let params = &spec.instance(*instance).params;
            let args = segment.map(segment_args).unwrap_or_default();
            if args.is_empty() && operands.is_some() && segment.is_some() {
                given.extend(params.iter().copied().zip(spare.by_ref()));
            } else {
                given.extend(params.iter().copied().zip(args));
            }
        }
        let mut args = segment_args(reference.segment);
        let entity = spec.entity(reference.entity);
        if let Some(part) = &reference.part {
            let segments: &[Segment] = match &tree.expr(id).kind {
                ExprKind::Path(segments) => segments,
                _ => &[],
            };
            let spare = spare.collect();
            return self.part(at, loc, reference, part, context, given, args, spare, segments);
        }
        if args.is_empty() && entity.arity > 0 {
            args = spare.collect();
        }
        // A configuration that replaces `Op` does not replace `I!Op`, which is another name, but what `I!Op` uses.
        let is_named = reference.via.iter().any(|step| step.segment.is_some());
        let is_definition = matches!(
            entity.kind,
            EntityKind::Operator { .. } | EntityKind::Function { .. }
        );
        let is_replaced = self.replacements.in_module.contains(&reference.entity)
            || self.replacement_through(reference.entity, context).is_some();
        if is_named && is_definition && !is_replaced {
            return self.apply_definition(at, loc, reference.entity, context, &args, &given, action);
        }
        self.apply_entity(at, loc, reference.entity, context, &args, &given, action)
    }

    /// A part of a definition. The definition's parameters and the names bound around the part become LETs.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn part(
        &mut self,
        at: At,
        loc: Loc,
        reference: &Reference,
        part: &Part,
        context: ContextId,
        given: Vec<(EntityId, Operand)>,
        args: Vec<Operand>,
        spare: Vec<Operand>,
        segments: &[Segment],
    ) -> Node {
        let spec = self.spec;
        if part.aspect == Aspect::FieldName {
            if let ExprKind::Field(_, field) = &spec.tree(part.tree).expr(part.expr).kind {
                let name = Value::str(spec.names.text(field.name));
                return self.constant(loc, name);
            }
            return self.fail(
                loc,
                ErrorClass::Unsupported,
                "this names a field of nothing".into(),
            );
        }
        let mut bound = given;
        let mut spare = spare.into_iter();
        if let EntityKind::Operator { params, .. } = &spec.entity(reference.entity).kind {
            if args.is_empty() && !params.is_empty() {
                bound.extend(params.iter().copied().zip(spare.by_ref()));
            } else {
                bound.extend(params.iter().copied().zip(args));
            }
        }
        for (name, segment, argument) in &part.bound {
            let segment = segments.get(*segment as usize);
            let expr = segment.and_then(|segment| segment.args.get(*argument as usize).copied());
            match expr {
                Some(expr) => bound.push((*name, Operand::Expr(at, expr))),
                None => bound.extend(spare.next().map(|operand| (*name, operand))),
            }
        }
        let mut slots = Vec::new();
        let mut uses = Uses::default();
        for (name, operand) in bound {
            let (argument, of_argument) = self.argument(operand, Some(name));
            uses = uses.and(of_argument);
            let slot = self.bind_entity(name, Naming::Expression, at.primed);
            slots.push((slot, argument));
        }
        let inner = At {
            tree: part.tree,
            context,
            primed: at.primed,
        };
        let body = match &spec.tree(part.tree).expr(part.expr).kind {
            ExprKind::Call(_, args) if part.aspect == Aspect::Arguments => {
                self.many(inner, loc, args, Kind::Tuple)
            }
            _ => match part.aspect {
                Aspect::Function(entity) => self.apply_entity(inner, loc, entity, context, &[], &[], false),
                _ => self.expr(inner, part.expr),
            },
        };
        let_in(slots, uses, body, loc)
    }

    /// A name without arguments.
    pub(super) fn reference_by_name(
        &mut self,
        at: At,
        entity: EntityId,
        context: ContextId,
        action: bool,
    ) -> Node {
        let loc = self.entity_loc(entity);
        self.apply_entity(at, loc, entity, context, &[], &[], action)
    }

    pub(super) fn constant(&self, at: Loc, value: Value) -> Node {
        Node {
            kind: Kind::Const(value),
            at,
            uses: Uses::default(),
        }
    }

    /// An entity applied to operands. `given` are the arguments of the instances it is reached through.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn apply_entity(
        &mut self,
        at: At,
        loc: Loc,
        entity: EntityId,
        context: ContextId,
        operands: &[Operand],
        given: &[(EntityId, Operand)],
        action: bool,
    ) -> Node {
        let spec = self.spec;
        match self.replacement(entity, context) {
            Some(Replacement::Value(value)) => return self.constant(loc, value),
            Some(Replacement::Definition(binding)) if !self.is_replaced_by_itself(entity, binding) => {
                let through = self.context_through(ContextId::ROOT, spec.via(binding.via));
                return self.apply_entity(at, loc, binding.entity, through, operands, &[], action);
            }
            Some(Replacement::Table(rows)) => return self.table(loc, &rows, operands),
            _ => {}
        }
        match &spec.entity(entity).kind {
            EntityKind::BuiltIn(built_in) => self.built_in(at, loc, *built_in, operands),
            EntityKind::Constant => {
                if spec.entity(entity).arity > 0 {
                    return match self.substituted_operator(entity, context) {
                        Some((by, parent)) => self.apply_substituted(by, parent, at.primed, operands),
                        None => self.no_value(loc, entity),
                    };
                }
                match self.substituted(entity, context, at.primed) {
                    Some(node) => node,
                    None => self.no_value(loc, entity),
                }
            }
            EntityKind::Variable => match self.substituted_or_hidden(entity, context, at.primed, loc) {
                Some(node) => node,
                None => self.variable(loc, entity, at.primed),
            },
            EntityKind::Parameter | EntityKind::Bound | EntityKind::Declared => {
                self.local_name(at, loc, entity, operands)
            }
            EntityKind::Operator { .. } | EntityKind::Function { .. } | EntityKind::Statement(Some(_)) => {
                self.apply_definition(at, loc, entity, context, operands, given, action)
            }
            EntityKind::Announced => {
                let message = format!(
                    "`{}` is announced by RECURSIVE and not defined",
                    self.text_of(entity)
                );
                self.fail(loc, ErrorClass::Undefined, message)
            }
            EntityKind::Instance(_) | EntityKind::Statement(None) | EntityKind::Unknown => {
                let message = format!("`{}` is not an expression", self.text_of(entity));
                self.fail(loc, ErrorClass::Undefined, message)
            }
        }
    }

    /// What an instance substitutes for a variable. Inside ENABLED its next value may be that of a hidden variable.
    fn substituted_or_hidden(
        &mut self,
        entity: EntityId,
        context: ContextId,
        primed: bool,
        loc: Loc,
    ) -> Option<Node> {
        match self.hidden_variable(entity, context).filter(|_| primed) {
            Some(hidden) => Some(next_value(hidden, loc)),
            None => self.substituted(entity, context, primed),
        }
    }

    fn no_value(&self, loc: Loc, entity: EntityId) -> Node {
        let name = self.text_of(entity);
        let message =
            format!("the constant `{name}` has no value; give it one in the configuration or with --const");
        self.fail(loc, ErrorClass::Undefined, message)
    }

    pub(super) fn variable(&mut self, loc: Loc, entity: EntityId, primed: bool) -> Node {
        let Some(slot) = self.variables.get(&entity).copied() else {
            let message = format!(
                "`{}` is a variable that the spec has no value for",
                self.text_of(entity)
            );
            return self.fail(loc, ErrorClass::Undefined, message);
        };
        let (kind, uses) = if primed {
            (
                Kind::Next(slot),
                Uses {
                    next: true,
                    ..Uses::default()
                },
            )
        } else {
            (
                Kind::Var(slot),
                Uses {
                    state: true,
                    ..Uses::default()
                },
            )
        };
        Node { kind, at: loc, uses }
    }

    pub(super) fn local_name(&mut self, at: At, loc: Loc, entity: EntityId, operands: &[Operand]) -> Node {
        let Some(place) = self.slot_of(entity) else {
            let message = format!("`{}` has no value here", self.text_of(entity));
            return self.fail(loc, ErrorClass::Undefined, message);
        };
        // A prime applies to the argument of a parameter, unless that was lowered as primed already.
        let reaches = at.primed && !place.primed && place.naming == Naming::Expression;
        let mut node = if self.spec.entity(entity).arity == 0 {
            local(place.slot, loc)
        } else {
            let mut uses = Uses {
                slots: slot_bit(place.slot),
                heavy: true,
                opaque: true,
                ..Uses::default()
            };
            let mut arguments = Vec::with_capacity(operands.len());
            for operand in operands {
                let operand = match operand {
                    Operand::Expr(from, expr) if reaches => Operand::Expr(
                        At {
                            primed: false,
                            ..*from
                        },
                        *expr,
                    ),
                    other => *other,
                };
                let (argument, of_argument) = self.argument(operand, None);
                // The operator may prime its parameter.
                let argument = match argument {
                    Argument::Value(node) if !node.uses.is_constant() => Argument::Lazy(node),
                    other => other,
                };
                uses = uses.and(of_argument);
                arguments.push(argument);
            }
            Node {
                kind: Kind::CallSlot(place.slot, arguments.into()),
                at: loc,
                uses,
            }
        };
        node.uses.of_next |= place.primed && !at.primed && place.naming == Naming::Expression;
        if reaches {
            let uses = Uses {
                next: true,
                ..node.uses
            };
            return Node {
                kind: Kind::Prime(Box::new(node)),
                at: loc,
                uses,
            };
        }
        node
    }
}
