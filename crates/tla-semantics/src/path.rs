//! Names with `!`: through instances to a definition, and from there by labels, numbers and bindings into its body.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::Class;
use omnilink_tla_syntax::names::Name;

use super::analyzer::Analyzer;
use super::application::{Argument, At, Operator, count};
use super::entity::*;
use super::level::LevelOf;
use super::selection::Selected;
use super::spec::Module;

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

/// Names with the arguments of a segment that give them values.
fn numbered(names: &[EntityId], segment: usize) -> impl Iterator<Item = (EntityId, u32, u32)> {
    let numbers = names.iter().enumerate();
    numbers.map(move |(i, name)| (*name, segment as u32, i as u32))
}

impl<'t> Analyzer<'t> {
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
        let errors = self.reported.errors;
        let level = self.expr(id);
        if let Some(wanted @ 1..) = wanted
            && self.reported.errors == errors
        {
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

    fn refer_to_target(&mut self, id: ExprId, target: &Target, part: Option<Part>) {
        let reference = Reference {
            via: target.via.clone().into(),
            entity: target.entity,
            segment: target.segment as u32,
            part,
        };
        self.refer_to(id, reference);
    }

    /// Notes that a node refers to a target, and gives it as something to apply.
    fn note(&mut self, id: ExprId, target: &Target) -> Binding {
        self.refer_to_target(id, target, None);
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
        let binding = self.lookup(Ident {
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
        self.follow(binding, segments, &mut target)?;
        Some(target)
    }

    /// Goes from what the target's segment names through instances, as far as names go.
    fn follow(&mut self, mut binding: Binding, segments: &[Segment], target: &mut Target) -> Option<()> {
        loop {
            let through = self.spec.via(binding.via).iter();
            target.via.extend(through.map(|instance| InstanceStep {
                instance: *instance,
                segment: None,
            }));
            target.entity = binding.entity;
            if matches!(self.spec.entity(binding.entity).kind, EntityKind::Unknown) {
                self.reported.errors += 1;
                return None;
            }
            let EntityKind::Instance(instance) = self.spec.entity(binding.entity).kind else {
                return Some(());
            };
            let segment = segments.get(target.segment)?;
            if segments.len() == target.segment + 1 {
                self.is_applicable(binding.entity, segment.span);
                return None;
            }
            let errors = self.reported.errors;
            self.instance_arguments(binding.entity, instance, segment, target);
            if self.reported.errors > errors
                && self.spec.instance(instance).params.len() != segment.args.len()
            {
                return None;
            }
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
            for arg in &segment.args {
                self.argument(*arg, None);
            }
            return;
        }
        for (param, arg) in params.iter().zip(&segment.args) {
            let wanted = self.spec.entity(*param).arity;
            let argument = self.argument(*arg, Some(wanted));
            let max = self.spec.entity(*param).max_level;
            let at = At {
                whole: segment.span,
                part: Some(*arg),
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
        let module = self.spec.instance(instance).module;
        let found = self.spec.module(module).exported.get(&name).copied();
        let found = found.filter(|binding| !self.spec.entity(binding.entity).is_declaration());
        if found.is_none() {
            self.not_exported(module, name, segment.span);
        }
        found
    }

    // Parts of definitions.

    /// Selects a part; gives its level, and what arguments were missing for.
    fn select(&mut self, id: ExprId, segments: &[Segment], mut target: Target) -> (LevelOf, Vec<EntityId>) {
        let named = &segments[target.segment];
        let mut tree_id = self.spec.entity(target.entity).tree;
        let mut tree = &self.trees[tree_id.0 as usize];
        let text = self.text(self.spec.entity(target.entity).name);
        if self.is_doubtful(target.entity) {
            self.reported.errors += 1;
            return Default::default();
        }
        if self.unfinished.contains(&target.entity) {
            let message = format!("parts of `{text}` cannot be named inside its own definition");
            self.error(
                Class::Label,
                named.span,
                message,
                "define what is meant before it",
            );
            return Default::default();
        }
        let Some((formals, mut selected)) = self.definition_parts(tree, target.entity) else {
            let message = format!("`{text}` has no definition to select parts of");
            let help = "only a defined operator has parts";
            self.error(Class::Label, named.span, message, help);
            return Default::default();
        };
        self.bind(&formals, named, &mut target.given);
        if target.lacking && named.args.is_empty() {
            target.missing.extend(formals.iter().copied());
        } else if formals.len() != named.args.len() {
            self.wrong_count(target.entity, named.args.len(), named.span);
            return Default::default();
        }
        let mut bound: Vec<(EntityId, u32, u32)> = Vec::new();
        let mut formals = formals;
        for (at, segment) in segments.iter().enumerate().skip(target.segment + 1) {
            if at <= target.segment {
                continue;
            }
            let instance = self.let_instance(tree_id, tree, selected, segment);
            if let Some(entity) = instance.filter(|_| !target.lacking) {
                bound.extend(numbered(&formals, target.segment));
                target.segment = at;
                let Some(reached) = self.enter(entity, segments, &mut target) else {
                    return Default::default();
                };
                (tree_id, formals, selected) = reached;
                tree = &self.trees[tree_id.0 as usize];
                continue;
            }
            let names: Box<[EntityId]>;
            match self.step(tree_id, tree, selected, segment, segments.get(at + 1)) {
                Ok((next, binds)) => {
                    selected = next;
                    names = binds;
                }
                Err(message) => {
                    let help = "parts are counted from 1; lists, operators and IF have them";
                    self.error(Class::Label, segment.span, message, help);
                    if let SegmentKind::Name(name) = segment.kind {
                        self.note_undefined(name);
                    }
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
            bound.extend(numbered(&names, at));
        }
        let (expr, aspect) = match selected {
            Selected::Body(expr) | Selected::Label(expr) | Selected::Expr(expr) => (expr, Aspect::Whole),
            Selected::FieldName(expr) => (expr, Aspect::FieldName),
            Selected::Arguments(expr) => (expr, Aspect::Arguments),
            Selected::Function(function) if function.entity == target.entity && bound.is_empty() => {
                let binding = self.note(id, &target);
                let level = self.level_of(binding);
                return (self.with_given(level, &target.given), target.missing);
            }
            Selected::Function(function) => (function.body, Aspect::Function(function.entity)),
            Selected::Pair(..) | Selected::Statement(..) => {
                let (message, help) = if matches!(selected, Selected::Pair(..)) {
                    (
                        "this selects an arm of a CASE, not an expression",
                        "go on with `!1` or `!2`",
                    )
                } else {
                    let help = "select one of its clauses: `!1`, `!2`, …";
                    ("this selects an ASSUME/PROVE, not an expression", help)
                };
                self.error(Class::Label, self.span(id), message, help);
                return Default::default();
            }
        };
        let operator = self.operator_params(tree_id, expr);
        if let (Some(_), false) = (&operator, target.lacking) {
            let message = "this selects an operator that is an argument, not an expression";
            let help = "select a part of it: `!(x)` gives a LAMBDA its arguments";
            self.error(Class::Label, self.span(id), message, help);
            return Default::default();
        }
        let part = Part {
            tree: tree_id,
            expr,
            bound: bound.into(),
            aspect,
        };
        self.refer_to_target(id, &target, Some(part));
        if aspect == Aspect::FieldName {
            return (LevelOf::default(), target.missing);
        }
        target
            .missing
            .extend(operator.iter().flat_map(|params| params.iter().copied()));
        let levels = &self.spec.levels[tree_id.0 as usize];
        let level = match (&tree.expr(expr).kind, aspect) {
            (ExprKind::Call(_, args), Aspect::Arguments) => {
                let args: Vec<LevelOf> = args.iter().map(|arg| levels[arg.0 as usize]).collect();
                self.spec.params.join_all(&args)
            }
            (_, Aspect::Function(function)) => self.spec.entity(function).level,
            _ => levels[expr.0 as usize],
        };
        let instances: Vec<InstanceId> = target.via.iter().map(|step| step.instance).collect();
        let level = self.through_instances(level, &instances);
        (self.with_given(level, &target.given), target.missing)
    }

    /// Goes through an instance that a LET names, at the target's segment, to what its module defines.
    fn enter(
        &mut self,
        entity: EntityId,
        segments: &[Segment],
        target: &mut Target,
    ) -> Option<(TreeId, Box<[EntityId]>, Selected<'t>)> {
        let binding = Binding {
            entity,
            via: Via::NONE,
        };
        self.follow(binding, segments, target)?;
        let named = segments.get(target.segment)?;
        let tree_id = self.spec.entity(target.entity).tree;
        let tree = &self.trees[tree_id.0 as usize];
        let (formals, selected) = self.definition_parts(tree, target.entity)?;
        self.bind(&formals, named, &mut target.given);
        if formals.len() != named.args.len() {
            self.wrong_count(target.entity, named.args.len(), named.span);
            return None;
        }
        Some((tree_id, formals, selected))
    }

    /// The parameters of an operator that stands as an argument; `None` for an expression.
    fn operator_params(&self, tree: TreeId, expr: ExprId) -> Option<Box<[EntityId]>> {
        match &self.trees[tree.0 as usize].expr(expr).kind {
            ExprKind::Lambda(..) => self.spec.binders.get(&(tree, expr)).cloned(),
            ExprKind::Apply(_, args) if args.is_empty() => {
                let entity = match self.spec.resolved(tree, expr) {
                    Resolved::Entity(entity) => entity,
                    Resolved::Reference(number) => self.spec.references.get(number as usize)?.entity,
                    Resolved::Nothing => return None,
                };
                match &self.spec.entity(entity).kind {
                    EntityKind::Operator { params, .. } if !params.is_empty() => Some(params.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn bind(&mut self, names: &[EntityId], segment: &Segment, given: &mut Vec<(EntityId, LevelOf)>) {
        for (i, arg) in segment.args.iter().enumerate() {
            let wanted = names.get(i).map(|name| self.spec.entity(*name).arity);
            let argument = self.argument(*arg, wanted);
            given.extend(names.get(i).map(|name| (*name, argument.level)));
        }
    }
}
