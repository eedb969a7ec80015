//! Names with `!`: through instances to a definition, and from there by labels, numbers and bindings into its body.

use super::analyzer::Analyzer;
use super::application::{Argument, At, Operator, count};
use super::entity::*;
use super::level::LevelOf;
use super::spec::Module;
use crate::diagnostic::{Class, nearest};
use crate::names::Name;
use crate::syntax::ast::*;

/// A definition reached through instances.
struct Target {
    entity: EntityId,
    via: Vec<InstanceStep>,
    /// The segment that names the definition.
    segment: usize,
    /// Levels of what is given for the parameters of instances and bound names.
    given: Vec<(EntityId, LevelOf)>,
    /// Whether arguments may be missing, and what they would have been for.
    lacking: bool,
    missing: Vec<EntityId>,
}

/// What selectors have reached.
#[derive(Clone, Copy)]
enum Selected {
    /// What a definition or a label names. Its labels are next; its LET comes only after `!:`.
    Named(ExprId),
    Expr(ExprId),
    /// The name of a field, as a string; given by the `r.f` it stands in.
    FieldName(ExprId),
    /// An arm of a CASE: two parts.
    Pair(Option<ExprId>, ExprId),
}

impl Analyzer<'_> {
    /// A path as an expression.
    pub(super) fn path(&mut self, id: ExprId, segments: &[Segment]) -> LevelOf {
        let Some(target) = self.reach(segments, false) else {
            return LevelOf::default();
        };
        if target.segment + 1 < segments.len() {
            return self.select(id, segments, target).0;
        }
        let Some(segment) = segments.get(target.segment) else {
            return LevelOf::default();
        };
        let binding = self.note(id, &target);
        if !self.is_applicable(target.entity, segment.span) {
            return LevelOf::default();
        }
        let level = self.apply_args(binding, &segment.args, segment.span);
        self.with_given(level, &target.given)
    }

    /// A path as an argument for a parameter of the given arity; `None` takes anything. Where it gives no arguments at
    /// all, those it lacks are the parameters of the operator that it then is: `I!Op`, `Op!@!1`.
    pub(super) fn path_argument(
        &mut self,
        id: ExprId,
        segments: &[Segment],
        wanted: Option<u32>,
    ) -> Argument {
        if segments.iter().any(|segment| !segment.args.is_empty()) {
            if !self.ends_in_operator(segments) {
                return self.path_value(id, wanted);
            }
            return match self.reach(segments, false) {
                Some(target) => self.operator_path(id, target, wanted),
                None => Argument::value(LevelOf::default()),
            };
        }
        let Some(mut target) = self.reach(segments, true) else {
            return Argument::value(LevelOf::default());
        };
        if target.segment + 1 == segments.len() {
            if target.missing.is_empty() && self.spec.entity(target.entity).arity > 0 {
                return self.operator_path(id, target, wanted);
            }
            let binding = self.note(id, &target);
            if let EntityKind::Operator { params, .. } = &self.spec.entity(target.entity).kind {
                target.missing.extend(params.iter().copied());
            }
            let level = self.level_of(binding);
            return self.abstracted(id, target.missing, level, wanted);
        }
        target.lacking = true;
        let (level, missing) = self.select(id, segments, target);
        self.abstracted(id, missing, level, wanted)
    }

    /// Whether a path with some arguments ends in an operator without its own. Looks at names only: arguments are
    /// resolved once, afterwards.
    fn ends_in_operator(&self, segments: &[Segment]) -> bool {
        let Some((last, before)) = segments.split_last() else {
            return false;
        };
        let SegmentKind::Name(name) = last.kind else {
            return false;
        };
        let mut scope: Option<&Module> = None;
        for segment in before {
            let SegmentKind::Name(name) = segment.kind else {
                return false;
            };
            let Some(binding) = self.name_in(scope, name) else {
                return false;
            };
            let EntityKind::Instance(instance) = self.spec.entity(binding.entity).kind else {
                return false;
            };
            scope = Some(self.spec.module(self.spec.instance(instance).module));
        }
        let target = self.name_in(scope, name);
        last.args.is_empty() && target.is_some_and(|binding| self.spec.entity(binding.entity).arity > 0)
    }

    fn name_in(&self, module: Option<&Module>, name: Name) -> Option<Binding> {
        module.map_or_else(
            || self.scope.get(name),
            |module| module.exported.get(&name).copied(),
        )
    }

    fn operator_path(&mut self, id: ExprId, target: Target, wanted: Option<u32>) -> Argument {
        let binding = self.note(id, &target);
        let mut argument = self.operator_argument(binding, wanted, self.span(id));
        argument.level = self.with_given(argument.level, &target.given);
        argument
    }

    /// What lacks arguments is an operator with those as parameters.
    fn abstracted(
        &mut self,
        id: ExprId,
        missing: Vec<EntityId>,
        level: LevelOf,
        wanted: Option<u32>,
    ) -> Argument {
        let takes = missing.len();
        if let Some(wanted) = wanted
            && wanted as usize != takes
        {
            let (needs, takes) = (count(wanted as usize), count(takes));
            let message = format!("an operator that takes {needs} is needed here, but this takes {takes}");
            self.error(
                Class::Arity,
                self.span(id),
                message,
                "give an operator that fits, or a LAMBDA",
            );
        }
        let level = self
            .spec
            .params
            .substitute(level, |p| missing.contains(&p).then(LevelOf::default));
        let operator = (takes > 0).then(|| Operator::Lambda(missing.into()));
        Argument { level, operator }
    }

    fn path_value(&mut self, id: ExprId, wanted: Option<u32>) -> Argument {
        let level = self.expr(id);
        if let Some(wanted @ 1..) = wanted {
            let needs = count(wanted as usize);
            let message = format!("an operator that takes {needs} is needed here, not a value");
            self.error(
                Class::Arity,
                self.span(id),
                message,
                "give the name of an operator, or a LAMBDA",
            );
        }
        Argument::value(level)
    }

    fn with_given(&mut self, level: LevelOf, given: &[(EntityId, LevelOf)]) -> LevelOf {
        self.spec.params.substitute(level, |param| {
            given.iter().find(|(p, _)| *p == param).map(|(_, level)| *level)
        })
    }

    /// Notes that a node refers to a target, and gives it as something to apply.
    fn note(&mut self, id: ExprId, target: &Target) -> Binding {
        let via = target.via.clone().into();
        let segment = target.segment as u32;
        self.refer_to(
            id,
            Reference {
                via,
                entity: target.entity,
                segment,
                part: None,
            },
        );
        let instances = target.via.iter().map(|step| step.instance).collect();
        Binding {
            entity: target.entity,
            via: self.spec.via_of(instances),
        }
    }

    /// Follows the names of a path through instances.
    fn reach(&mut self, segments: &[Segment], lacking: bool) -> Option<Target> {
        let first = segments.first()?;
        let SegmentKind::Name(name) = first.kind else {
            return None;
        };
        let mut binding = self.lookup(Ident {
            name,
            span: first.span,
        })?;
        let mut target = Target {
            entity: binding.entity,
            via: Vec::new(),
            segment: 0,
            given: Vec::new(),
            lacking,
            missing: Vec::new(),
        };
        loop {
            let through = self.spec.via(binding.via).iter();
            target.via.extend(through.map(|instance| InstanceStep {
                instance: *instance,
                segment: None,
            }));
            target.entity = binding.entity;
            if matches!(self.spec.entity(binding.entity).kind, EntityKind::Unknown) {
                return None;
            }
            let EntityKind::Instance(instance) = self.spec.entity(binding.entity).kind else {
                return Some(target);
            };
            let segment = &segments[target.segment];
            if segments.len() == target.segment + 1 {
                self.is_applicable(binding.entity, segment.span);
                return None;
            }
            self.instance_arguments(binding.entity, instance, segment, &mut target);
            target.via.push(InstanceStep {
                instance,
                segment: Some(target.segment as u32),
            });
            target.segment += 1;
            binding = self.exported(instance, segments.get(target.segment)?)?;
        }
    }

    fn instance_arguments(
        &mut self,
        entity: EntityId,
        instance: InstanceId,
        segment: &Segment,
        target: &mut Target,
    ) {
        let params = self.spec.instance(instance).params.clone();
        if target.lacking && segment.args.is_empty() {
            target.missing.extend(params.iter().copied());
        } else if params.len() != segment.args.len() {
            self.wrong_count(entity, segment.args.len(), segment.span);
        }
        for (param, arg) in params.iter().zip(&segment.args) {
            let wanted = self.spec.entity(*param).arity;
            let argument = self.argument(*arg, Some(wanted));
            let max = self.spec.entity(*param).max_level;
            let at = At {
                whole: segment.span,
                part: self.span(*arg),
            };
            self.check_level(argument.level, max, at, |_| "an argument of the instance".into());
            if let Some(operator) = &argument.operator {
                self.check_uses(*param, operator, |_| None, at);
            }
            target.given.push((*param, argument.level));
        }
    }

    /// What an instance gives by a name.
    fn exported(&mut self, instance: InstanceId, segment: &Segment) -> Option<Binding> {
        let SegmentKind::Name(name) = segment.kind else {
            let message = "the name of a definition is expected after an instance";
            self.error(Class::Label, segment.span, message, "write `Instance!Name`");
            return None;
        };
        let module = self.spec.module(self.spec.instance(instance).module);
        let found = module.exported.get(&name).copied();
        let found = found.filter(|binding| !self.spec.entity(binding.entity).is_declaration());
        if found.is_none() && !module.incomplete {
            let text = self.spec.names.text(name);
            let names = module.exports.iter().map(|(n, _)| self.spec.names.text(*n));
            let home = self.spec.names.text(module.name);
            let help = if module.scope.contains_key(&name) {
                format!(
                    "`{text}` is LOCAL to module {home} or declared there, and not visible through an instance"
                )
            } else {
                match nearest(text, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("look at what module {home} defines"),
                }
            };
            let message = format!("`{text}` is not defined by module {home}");
            self.error(Class::Undefined, segment.span, message, help);
        }
        found
    }

    // Parts of definitions.

    /// Selects a part; gives its level, and what arguments were missing for.
    fn select(&mut self, id: ExprId, segments: &[Segment], mut target: Target) -> (LevelOf, Vec<EntityId>) {
        let named = &segments[target.segment];
        let (formals, body): (Box<[EntityId]>, ExprId) = match &self.spec.entity(target.entity).kind {
            EntityKind::Operator { params, body, .. } => (params.clone(), *body),
            EntityKind::Function { body, .. } => (Box::default(), *body),
            EntityKind::Statement(Some(body)) => (Box::default(), *body),
            _ => {
                let text = self.text(self.spec.entity(target.entity).name);
                let message = format!("`{text}` has no definition to select parts of");
                self.error(
                    Class::Label,
                    named.span,
                    message,
                    "only a defined operator has parts",
                );
                return Default::default();
            }
        };
        let tree_id = self.spec.entity(target.entity).tree;
        let tree = &self.trees[tree_id.0 as usize];
        self.bind(&formals, named, &mut target.given);
        if target.lacking && named.args.is_empty() {
            target.missing.extend(formals.iter().copied());
        } else if formals.len() != named.args.len() {
            self.wrong_count(target.entity, named.args.len(), named.span);
        }
        let mut bound: Vec<(EntityId, u32, u32)> = Vec::new();
        let mut selected = Selected::Named(body);
        for (at, segment) in segments.iter().enumerate().skip(target.segment + 1) {
            let names: Box<[EntityId]>;
            match self.step(tree_id, tree, selected, segment) {
                Ok((next, binds)) => {
                    selected = next;
                    names = binds;
                }
                Err(message) => {
                    let help = "parts are counted from 1; lists, operators and IF have them";
                    self.error(Class::Label, segment.span, message, help);
                    return Default::default();
                }
            }
            if target.lacking && segment.args.is_empty() {
                target.missing.extend(names.iter().copied());
                continue;
            }
            if names.len() != segment.args.len() {
                let message = format!("{} needed here, {} given", count(names.len()), segment.args.len());
                self.error(
                    Class::Label,
                    segment.span,
                    message,
                    "give a value for each bound name",
                );
                return Default::default();
            }
            self.bind(&names, segment, &mut target.given);
            bound.extend(
                names
                    .iter()
                    .enumerate()
                    .map(|(i, name)| (*name, at as u32, i as u32)),
            );
        }
        let (body, field_name) = match selected {
            Selected::Named(expr) | Selected::Expr(expr) | Selected::Pair(_, expr) => (expr, false),
            Selected::FieldName(expr) => (expr, true),
        };
        let part = Part {
            tree: tree_id,
            expr: body,
            bound: bound.into(),
            field_name,
        };
        let via = target.via.clone().into();
        let segment = target.segment as u32;
        self.refer_to(
            id,
            Reference {
                via,
                entity: target.entity,
                segment,
                part: Some(part),
            },
        );
        if field_name {
            return (LevelOf::default(), target.missing);
        }
        let level = self.spec.levels[tree_id.0 as usize][body.0 as usize];
        let instances: Vec<InstanceId> = target.via.iter().map(|step| step.instance).collect();
        let level = self.through_instances(level, &instances);
        (self.with_given(level, &target.given), target.missing)
    }

    fn bind(&mut self, names: &[EntityId], segment: &Segment, given: &mut Vec<(EntityId, LevelOf)>) {
        for (i, arg) in segment.args.iter().enumerate() {
            let wanted = names.get(i).map(|name| self.spec.entity(*name).arity);
            let argument = self.argument(*arg, wanted);
            given.extend(names.get(i).map(|name| (*name, argument.level)));
        }
    }

    /// One selector: what it reaches, and the names that its arguments give values to.
    fn step(
        &self,
        tree_id: TreeId,
        tree: &Tree,
        from: Selected,
        segment: &Segment,
    ) -> Result<(Selected, Box<[EntityId]>), String> {
        let none = Box::default();
        let from = match (from, segment.kind) {
            (Selected::Pair(Some(first), _), SegmentKind::Part(1) | SegmentKind::First) => {
                return Ok((Selected::Expr(first), none));
            }
            (Selected::Pair(_, second), SegmentKind::Part(2) | SegmentKind::Second) => {
                return Ok((Selected::Expr(second), none));
            }
            (Selected::FieldName(_), _) => return Err("the name of a field has no parts".into()),
            (Selected::Pair(..), _) => return Err("an arm has two parts, `!1` and `!2`".into()),
            (Selected::Named(expr), SegmentKind::Name(name)) => {
                return self.labelled_part(tree_id, tree, expr, name);
            }
            (Selected::Named(expr) | Selected::Expr(expr), _) => expr,
        };
        let number = match segment.kind {
            SegmentKind::Body => return Ok((Selected::Expr(from), none)),
            SegmentKind::Name(name) => return self.named_part(tree_id, tree, from, name),
            SegmentKind::Bind | SegmentKind::At => return self.bound_part(tree_id, tree, from),
            SegmentKind::Part(number) => number as usize,
            SegmentKind::First => 1,
            SegmentKind::Second => 2,
        };
        let part = number
            .checked_sub(1)
            .and_then(|index| part(tree, inside(tree, from), index));
        part.map(|selected| (selected, none))
            .ok_or_else(|| format!("there is no part {number} here"))
    }

    /// A label, or a definition of a LET.
    fn named_part(
        &self,
        tree_id: TreeId,
        tree: &Tree,
        from: ExprId,
        name: Name,
    ) -> Result<(Selected, Box<[EntityId]>), String> {
        if let ExprKind::Let(units, _) = &tree.expr(inside(tree, from)).kind {
            for unit in units {
                let entity = self.spec.let_entities.get(&(tree_id, *unit));
                let entity = entity
                    .map(|entity| self.spec.entity(*entity))
                    .filter(|entity| entity.name == name);
                match entity.map(|entity| &entity.kind) {
                    Some(EntityKind::Operator { params, body, .. }) => {
                        return Ok((Selected::Expr(*body), params.clone()));
                    }
                    Some(EntityKind::Function { body, .. }) => {
                        return Ok((Selected::Expr(*body), Box::default()));
                    }
                    _ => {}
                }
            }
        }
        self.labelled_part(tree_id, tree, from, name)
    }

    fn labelled_part(
        &self,
        tree_id: TreeId,
        tree: &Tree,
        from: ExprId,
        name: Name,
    ) -> Result<(Selected, Box<[EntityId]>), String> {
        let text = self.spec.names.text(name);
        let label = find_label(tree, from, name).ok_or_else(|| format!("there is no label `{text}` here"))?;
        let ExprKind::Label(_, _, body) = tree.expr(label).kind else {
            return Err(String::new());
        };
        let params = self
            .spec
            .binders
            .get(&(tree_id, label))
            .cloned()
            .unwrap_or_default();
        Ok((Selected::Named(body), params))
    }

    /// The body of something that binds names, with values for them.
    fn bound_part(
        &self,
        tree_id: TreeId,
        tree: &Tree,
        from: ExprId,
    ) -> Result<(Selected, Box<[EntityId]>), String> {
        let from = inside(tree, from);
        let body = match &tree.expr(from).kind {
            ExprKind::Quantified(_, _, body)
            | ExprKind::TemporalQuantified(_, _, body)
            | ExprKind::Choose(_, body)
            | ExprKind::SetFilter(_, body)
            | ExprKind::SetMap(body, _)
            | ExprKind::Function(_, body)
            | ExprKind::Lambda(_, body) => *body,
            _ => return Err("nothing is bound here".into()),
        };
        let names = self
            .spec
            .binders
            .get(&(tree_id, from))
            .cloned()
            .unwrap_or_default();
        Ok((Selected::Expr(body), names))
    }
}

/// The expression without the parentheses and labels around it.
fn inside(tree: &Tree, mut id: ExprId) -> ExprId {
    while let ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) = tree.expr(id).kind {
        id = inner;
    }
    id
}

/// The numbered parts of an expression.
fn part(tree: &Tree, id: ExprId, index: usize) -> Option<Selected> {
    let of = |parts: &[ExprId]| parts.get(index).copied().map(Selected::Expr);
    match &tree.expr(id).kind {
        ExprKind::Prefix(_, operand) | ExprKind::Postfix(_, operand) => of(&[*operand]),
        ExprKind::Field(record, _) => match index {
            0 => Some(Selected::Expr(*record)),
            1 => Some(Selected::FieldName(id)),
            _ => None,
        },
        ExprKind::Infix(_, _, left, right) => of(&[*left, *right]),
        ExprKind::FunctionSet(a, b) | ExprKind::Action(_, a, b) | ExprKind::Fairness(_, a, b) => {
            of(&[*a, *b])
        }
        ExprKind::Junction(_, parts)
        | ExprKind::Times(parts)
        | ExprKind::Tuple(parts)
        | ExprKind::SetEnum(parts)
        | ExprKind::Apply(_, parts) => of(parts),
        ExprKind::Path(segments) => of(&segments.last()?.args),
        ExprKind::If(a, b, c) => of(&[*a, *b, *c]),
        ExprKind::Let(_, body) => of(&[*body]),
        ExprKind::Call(function, args) => match index {
            0 => Some(Selected::Expr(*function)),
            _ => args.get(index - 1).copied().map(Selected::Expr),
        },
        ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
            fields.get(index).map(|(_, value)| Selected::Expr(*value))
        }

        ExprKind::Case(arms, other) => match arms.get(index) {
            Some((condition, value)) => Some(Selected::Pair(Some(*condition), *value)),
            None => other
                .filter(|_| index == arms.len())
                .map(|value| Selected::Pair(None, value)),
        },
        ExprKind::Quantified(_, bounds, _) | ExprKind::SetMap(_, bounds) | ExprKind::Function(bounds, _) => {
            bounds.get(index)?.set.map(Selected::Expr)
        }
        ExprKind::Choose(bound, _) | ExprKind::SetFilter(bound, _) => {
            bound.set.filter(|_| index == 0).map(Selected::Expr)
        }
        ExprKind::Except(function, updates) => match index {
            0 => Some(Selected::Expr(*function)),
            _ => updates.get(index - 1).map(|update| Selected::Expr(update.value)),
        },
        _ => None,
    }
}

/// A label inside an expression, not inside another label or a definition.
fn find_label(tree: &Tree, from: ExprId, wanted: Name) -> Option<ExprId> {
    let mut pending = vec![from];
    while let Some(id) = pending.pop() {
        if let ExprKind::Label(label, ..) = &tree.expr(id).kind {
            if label.name == wanted {
                return Some(id);
            }
            continue;
        }
        tree.for_each_child(id, |child| pending.push(child));
    }
    None
}
