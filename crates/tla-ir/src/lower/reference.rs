//! Names: what stands behind them, and applying it.

use omnilink_tla_semantics::entity::{
    Aspect, Binding, BuiltIn, EntityId, EntityKind, InstanceStep, Reference, Resolved,
};
use omnilink_tla_semantics::search_path::built_in_text;
use omnilink_tla_syntax::ast::{ExprId, ExprKind, Segment, SegmentKind};
use omnilink_value::Value;

use super::context::ContextId;
use super::frame::{Frame, Naming};
use super::operand::{Operand, local};
use super::{At, Cell, Key, Lowered, Lowering, Replacement};
use crate::ErrorClass;
use crate::native;
use crate::{Argument, Call, Infinite, Kind, Loc, Node, Operator, Uses, slot_bit};

/// What built-in modules apply where an operator cannot be defined in TLA+: evaluated only if nothing else is known.
const NO_MEANING: &str = "Native";

impl Lowering<'_> {
    pub(super) fn loc(&self, tree: omnilink_tla_semantics::entity::TreeId, expr: ExprId) -> Loc {
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
    fn through(
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
        // What lacks arguments takes them from the operands, in order: instances first.
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
        // A configuration that replaces `Op` leaves `I!Op` alone: that is another name. It replaces what `I!Op` uses.
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

    /// A part of a definition: its parameters and what is bound on the way become LETs around it.
    #[allow(clippy::too_many_arguments)]
    fn part(
        &mut self,
        at: At,
        loc: Loc,
        reference: &Reference,
        part: &omnilink_tla_semantics::entity::Part,
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

    /// What the configuration puts in for an entity that is used in a context. What an INSTANCE puts in for a constant comes
    /// first: the configuration gives a value to the constant of the module that it is declared in.
    fn replacement(&self, entity: EntityId, context: ContextId) -> Option<Replacement> {
        let is_substituted = matches!(self.spec.entity(entity).kind, EntityKind::Constant)
            && !self.replacements.in_module.contains(&entity)
            && self.substituted_operator(entity, context).is_some();
        match self.replacements.everywhere.get(&entity) {
            Some(replacement) if !is_substituted => Some(replacement.clone()),
            _ => self.replacement_through(entity, context),
        }
    }

    /// Whether the configuration puts something in the place of an entity.
    pub(super) fn is_replaced(&self, entity: EntityId, context: ContextId) -> bool {
        self.replacement(entity, context).is_some()
    }

    /// Whether a replacement is not to be made: in `Init <- MyInit`, the `Init` inside the definition of `MyInit` is the
    /// original one.
    fn is_replaced_by_itself(&self, entity: EntityId, by: Binding) -> bool {
        let mut definitions = self.defining.iter().rev();
        let around = definitions.find(|definition| self.of_modules.contains(definition));
        by.entity == entity || around == Some(&by.entity)
    }

    /// What replaces an entity as it is reached through the instances of a context, and only so.
    fn replacement_through(&self, entity: EntityId, context: ContextId) -> Option<Replacement> {
        if self.replacements.through.is_empty() {
            return None;
        }
        let instances: Box<[_]> = self.instances_of(context).into();
        self.replacements.through.get(&(entity, instances)).cloned()
    }

    /// What an entity means, applied to operands. `given` are the parameters of the instances it is reached through.
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
            EntityKind::Variable => match self.substituted(entity, context, at.primed) {
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
                let message = format!("`{}` is no expression", self.text_of(entity));
                self.fail(loc, ErrorClass::Undefined, message)
            }
        }
    }

    fn no_value(&self, loc: Loc, entity: EntityId) -> Node {
        let name = self.text_of(entity);
        let message =
            format!("the constant `{name}` has no value; give it one in the configuration or with --const");
        self.fail(loc, ErrorClass::Undefined, message)
    }

    fn variable(&mut self, loc: Loc, entity: EntityId, primed: bool) -> Node {
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

    fn local_name(&mut self, at: At, loc: Loc, entity: EntityId, operands: &[Operand]) -> Node {
        let Some(place) = self.place_of(entity) else {
            let message = format!("`{}` has no value here", self.text_of(entity));
            return self.fail(loc, ErrorClass::Undefined, message);
        };
        // A prime reaches into what a parameter stands for, unless that was read as primed already.
        let reaches = at.primed && !place.primed && place.naming == Naming::Expression;
        let node = if self.spec.entity(entity).arity == 0 {
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
                // What the operator does with its parameter is not known: it may prime it.
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

    #[allow(clippy::too_many_arguments)]
    fn apply_definition(
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
        if self.let_entities.contains(&entity) && spec.entity(entity).arity == 0 {
            let known = self.frames.iter().any(|frame| frame.place(entity).is_some());
            if known {
                return self.local_name(at, loc, entity, operands);
            }
        }
        if let Some(node) = self.native(at, loc, entity, operands) {
            return node;
        }
        let is_let = self.let_entities.contains(&entity);
        let key = Key {
            entity,
            context,
            primed: at.primed,
            outer_primed: is_let && self.frame().primed,
            action,
        };
        let lowered = self.definition_of(key);
        let mut uses = Uses {
            slots: 0,
            ..lowered.uses
        };
        uses.unfinished |= !lowered.finished;
        uses.heavy = true;
        let params: &[EntityId] = match &spec.entity(entity).kind {
            EntityKind::Operator { params, .. } => params,
            _ => &[],
        };
        let mut arguments = Vec::with_capacity(operands.len() + lowered.captures.len());
        for ((slot, param), operand) in (0..).zip(params).zip(operands) {
            let (argument, of_argument) = self.argument(*operand, Some(*param));
            uses = uses.and(of_argument);
            arguments.push((slot, argument));
        }
        for (captured, slot) in &lowered.captures {
            let operand = given
                .iter()
                .find(|(name, _)| name == captured)
                .map(|(_, operand)| *operand);
            let (argument, of_argument) = match operand {
                Some(operand) => self.instance_argument(operand, *captured),
                None => match self.place_of(*captured) {
                    Some(place) => self.argument(Operand::Slot(place.slot), None),
                    None => continue,
                },
            };
            uses = uses.and(of_argument);
            arguments.push((*slot, argument));
        }
        let is_closed = arguments.is_empty();
        let node = Node {
            kind: Kind::Call(Box::new(Call {
                operator: lowered.index,
                arguments: arguments.into(),
            })),
            at: loc,
            uses,
        };
        match lowered.cell {
            Some(Cell::Once(cell)) if is_closed => Node {
                kind: Kind::Once(cell, Box::new(node)),
                at: loc,
                uses: Uses::default(),
            },
            Some(Cell::PerState(cell)) if is_closed => Node {
                kind: Kind::PerState(cell, Box::new(node)),
                at: loc,
                uses,
            },
            _ => node,
        }
    }

    /// The lowered form of a definition.
    fn definition_of(&mut self, key: Key) -> Lowered {
        if let Some(lowered) = self.lowered.get_mut(&key) {
            if !lowered.finished {
                lowered.recursive = true;
            }
            return lowered.clone();
        }
        let index = self.reserve();
        let pending = Lowered {
            index,
            captures: Vec::new(),
            uses: Uses::default(),
            finished: false,
            recursive: false,
            cell: None,
        };
        self.lowered.insert(key, pending);
        let began = self.order.len();
        self.order.push(key);
        let spec = self.spec;
        let entity = spec.entity(key.entity);
        let params: &[EntityId] = match &entity.kind {
            EntityKind::Operator { params, .. } => params,
            _ => &[],
        };
        let at = At {
            tree: entity.tree,
            context: key.context,
            primed: key.primed,
        };
        let name = self.text_of(key.entity).to_owned();
        let mut known: Vec<(EntityId, super::frame::Place)> = Vec::new();
        self.defining.push(key.entity);
        loop {
            let mut frame = Frame::new(key.primed);
            self.frames.push(frame);
            for param in params {
                self.bind_entity(*param, Naming::Expression, key.primed);
            }
            for (captured, place) in &known {
                let slot = self.bind_entity(*captured, place.naming, place.primed);
                self.frame().captures.push((*captured, slot));
            }
            let mut body = self.definition_body(at, key, &name);
            frame = self.frames.pop().unwrap_or_else(|| Frame::new(key.primed));
            let captures = frame.captures.clone();
            let recursive = self.lowered.get(&key).is_some_and(|lowered| lowered.recursive);
            if recursive && captures.len() > known.len() {
                // It was called without what it turned out to need: once more, with all of that known from the start.
                known = captures
                    .iter()
                    .filter_map(|(entity, _)| Some((*entity, frame.place(*entity)?)))
                    .collect();
                for stale in self.order.split_off(began + 1) {
                    self.lowered.remove(&stale);
                }
                if let Some(lowered) = self.lowered.get_mut(&key) {
                    lowered.captures = (params.len() as u32..)
                        .zip(&known)
                        .map(|(slot, (e, _))| (*e, slot))
                        .collect();
                }
                continue;
            }
            let mut uses = Uses {
                slots: 0,
                ..body.uses
            };
            // What it calls may still be being lowered, and so may use more than is known: then nothing of it is kept.
            uses.unfinished = uses.unfinished && self.is_inside_recursion(key);
            let cell = self.cell_for(params.is_empty() && captures.is_empty(), uses);
            self.frames.push(frame);
            self.hoist(&mut body, cell.is_none() && !params.is_empty());
            let frame = self.frames.pop().unwrap_or_else(|| Frame::new(key.primed));
            self.operators[index as usize] = Some(Operator {
                name: name.into(),
                is_definition: true,
                params: params.len() as u32,
                slots: frame.into_names(),
                body,
            });
            let lowered = Lowered {
                index,
                captures,
                uses,
                finished: true,
                recursive,
                cell,
            };
            self.lowered.insert(key, lowered.clone());
            self.defining.pop();
            return lowered;
        }
    }

    /// Whether another definition is still being lowered that has been called meanwhile.
    fn is_inside_recursion(&self, key: Key) -> bool {
        let mut others = self.lowered.iter().filter(|(other, _)| **other != key);
        others.any(|(_, lowered)| !lowered.finished && lowered.recursive)
    }

    /// Where the value of a definition is kept, if it is worth it.
    fn cell_for(&mut self, is_closed: bool, uses: Uses) -> Option<Cell> {
        if !is_closed || uses.next || uses.unfinished {
            return None;
        }
        if !uses.state {
            self.once_cells += 1;
            return Some(Cell::Once(self.once_cells - 1));
        }
        if uses.impure || !uses.heavy {
            return None;
        }
        self.state_cells += 1;
        Some(Cell::PerState(self.state_cells - 1))
    }

    fn definition_body(&mut self, at: At, key: Key, name: &str) -> Node {
        let spec = self.spec;
        match &spec.entity(key.entity).kind {
            EntityKind::Operator { body, .. } if key.action => self.action(at, *body, name),
            EntityKind::Operator { body, .. } | EntityKind::Statement(Some(body)) => self.expr(at, *body),
            EntityKind::Function { .. } => self.function_definition(at, key.entity),
            _ => {
                let loc = self.entity_loc(key.entity);
                self.fail(loc, ErrorClass::Undefined, format!("`{name}` has no definition"))
            }
        }
    }

    /// `f(1, 2) = 3` of a configuration: the value for the arguments given.
    fn table(&mut self, loc: Loc, rows: &[(Vec<Value>, Value)], operands: &[Operand]) -> Node {
        let mut uses = Uses {
            heavy: true,
            ..Uses::default()
        };
        let mut arms = Vec::new();
        for (arguments, value) in rows {
            let mut conjuncts = Vec::new();
            for (operand, argument) in operands.iter().zip(arguments) {
                let operand = self.operand(*operand, loc);
                uses = uses.and(operand.uses);
                let of_pair = operand.uses;
                conjuncts.push(Node {
                    kind: Kind::Equal(Box::new((operand, self.constant(loc, argument.clone())))),
                    at: loc,
                    uses: of_pair,
                });
            }
            let condition = Node {
                kind: Kind::And(conjuncts.into()),
                at: loc,
                uses,
            };
            arms.push((condition, self.constant(loc, value.clone())));
        }
        Node {
            kind: Kind::Case(arms.into(), None),
            at: loc,
            uses,
        }
    }

    /// An operator that the evaluator knows by itself.
    fn native(&mut self, at: At, loc: Loc, entity: EntityId, operands: &[Operand]) -> Option<Node> {
        let spec = self.spec;
        let of = spec.entity(entity);
        let module = spec.names.text(spec.module(of.module).name);
        built_in_text(module)?;
        if !spec.sources.get(of.source).path().starts_with("<built-in>") {
            return None;
        }
        let name = spec.names.text(of.name);
        if let Some(node) = self.arithmetic(loc, module, name, operands) {
            return Some(node);
        }
        if name == NO_MEANING {
            let message = format!(
                "this operator of module {module} needs a meaning of its own, which this program lacks"
            );
            return Some(self.fail(loc, ErrorClass::Unsupported, message));
        }
        let native = native::lookup(module, name)?;
        let params: &[EntityId] = match &of.kind {
            EntityKind::Operator { params, .. } => params,
            _ => &[],
        };
        let mut uses = native.uses();
        let mut arguments = Vec::with_capacity(operands.len());
        for (param, operand) in params.iter().zip(operands) {
            let (argument, of_argument) = self.argument(*operand, Some(*param));
            uses = uses.and(of_argument);
            // A native operator evaluates its operands itself, unless it says that it wants them as they are.
            arguments.push(match argument {
                Argument::Lazy(node) | Argument::ByName(node) if !native.is_lazy() => Argument::Value(node),
                Argument::Slot(slot) if !native.is_lazy() && spec.entity(*param).arity == 0 => {
                    Argument::Value(local(slot, loc))
                }
                other => other,
            });
        }
        let _ = at;
        Some(Node {
            kind: Kind::Native(native, arguments.into()),
            at: loc,
            uses,
        })
    }

    fn built_in(&mut self, at: At, loc: Loc, built_in: BuiltIn, operands: &[Operand]) -> Node {
        match built_in {
            BuiltIn::True => self.constant(loc, Value::bool(true)),
            BuiltIn::False => self.constant(loc, Value::bool(false)),
            BuiltIn::Boolean => self.constant(loc, Value::set([Value::bool(false), Value::bool(true)])),
            BuiltIn::String => Node {
                kind: Kind::Infinite(Infinite::Strings),
                at: loc,
                uses: Uses::default(),
            },
            BuiltIn::Operator(op) => self.symbol(at, loc, op, operands),
        }
    }

    /// The definition that a name without arguments leads to, for looking into it: where to read its body.
    pub(super) fn body_of(&mut self, at: At, id: ExprId) -> Option<(At, ExprId)> {
        let spec = self.spec;
        let (entity, context) = match spec.resolved(at.tree, id) {
            Resolved::Entity(entity) => (entity, at.context),
            Resolved::Reference(number) => {
                let reference = spec.references.get(number as usize)?;
                let has_params = reference
                    .via
                    .iter()
                    .any(|step| !spec.instance(step.instance).params.is_empty());
                if reference.part.is_some() || has_params {
                    return None;
                }
                let instances: Vec<_> = reference.via.iter().map(|step| step.instance).collect();
                (reference.entity, self.context_through(at.context, &instances))
            }
            Resolved::Nothing => return None,
        };
        self.body_of_entity(entity, context, at.primed)
    }

    pub(super) fn body_of_entity(
        &mut self,
        entity: EntityId,
        context: ContextId,
        primed: bool,
    ) -> Option<(At, ExprId)> {
        let spec = self.spec;
        match self.replacement(entity, context) {
            Some(Replacement::Definition(binding)) if !self.is_replaced_by_itself(entity, binding) => {
                let through = self.context_through(ContextId::ROOT, spec.via(binding.via));
                return self.body_of_entity(binding.entity, through, primed);
            }
            Some(Replacement::Value(_) | Replacement::Table(_)) => return None,
            Some(Replacement::Definition(_)) | None => {}
        }
        match &spec.entity(entity).kind {
            EntityKind::Operator { params, body, .. } if params.is_empty() => Some((
                At {
                    tree: spec.entity(entity).tree,
                    context,
                    primed,
                },
                *body,
            )),
            EntityKind::Variable | EntityKind::Constant => {
                match self.substituted_operator(entity, context)? {
                    (omnilink_tla_semantics::spec::SubstitutedBy::Expr(tree, expr), parent) => Some((
                        At {
                            tree,
                            context: parent,
                            primed,
                        },
                        expr,
                    )),
                    (omnilink_tla_semantics::spec::SubstitutedBy::SameName(binding), parent) => {
                        let through = self.context_through(parent, spec.via(binding.via));
                        self.body_of_entity(binding.entity, through, primed)
                    }
                }
            }
            _ => None,
        }
    }

    /// Whether the last segment of a path names a definition: used where only plain names are looked into.
    pub(super) fn is_plain_path(&self, at: At, id: ExprId) -> bool {
        match &self.spec.tree(at.tree).expr(id).kind {
            ExprKind::Apply(_, args) => args.is_empty(),
            ExprKind::Path(segments) => segments
                .iter()
                .all(|segment| matches!(segment.kind, SegmentKind::Name(_)) && segment.args.is_empty()),
            _ => false,
        }
    }
}
