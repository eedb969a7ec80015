//! Names with `!`: through instances to a definition, and from there by labels, numbers and bindings into its body.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::Class;
use omnilink_tla_syntax::names::Name;

use super::analyzer::Analyzer;
use super::application::{At, count};
use super::argument::{Argument, Operator};
use super::entity::*;
use super::level::LevelOf;
use super::spec::Module;

/// A definition reached through instances.
pub(super) struct Target {
    pub entity: EntityId,
    pub via: Vec<InstanceStep>,
    /// The segment that names the definition.
    pub segment: usize,
    /// Levels of the arguments for parameters of instances and bound names.
    pub given: Vec<(EntityId, LevelOf)>,
    /// Whether arguments may be missing, and the parameters without arguments.
    pub lacking: bool,
    pub missing: Vec<EntityId>,
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

    /// A path as an argument for a parameter of the given arity; `None` takes anything. A path without any arguments is an operator
    /// whose parameters are the missing ones: `I!Op`, `Op!@!1`.
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

    /// Whether a path with some arguments ends in an operator without its own. Uses names only, because arguments are resolved
    /// once, afterwards.
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

    /// An operator whose parameters are those without arguments.
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

    pub(super) fn with_given(&mut self, level: LevelOf, given: &[(EntityId, LevelOf)]) -> LevelOf {
        self.spec.params.substitute(level, |param| {
            given.iter().find(|(p, _)| *p == param).map(|(_, level)| *level)
        })
    }

    pub(super) fn refer_to_target(&mut self, id: ExprId, target: &Target, part: Option<Part>) {
        let reference = Reference {
            via: target.via.clone().into(),
            entity: target.entity,
            segment: target.segment as u32,
            part,
        };
        self.refer_to(id, reference);
    }

    /// Records that a node refers to a target, and returns the target's binding.
    pub(super) fn note(&mut self, id: ExprId, target: &Target) -> Binding {
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

    /// Follows instances from the target's segment on, as far as there are names.
    pub(super) fn follow(
        &mut self,
        mut binding: Binding,
        segments: &[Segment],
        target: &mut Target,
    ) -> Option<()> {
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

    /// The binding that an instance exports under a name.
    pub(super) fn exported(&mut self, instance: InstanceId, segment: &Segment) -> Option<Binding> {
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
}
