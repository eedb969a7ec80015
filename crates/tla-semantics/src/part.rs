//! Parts of definitions named by a path: their resolution and level.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::Class;

use super::analyzer::Analyzer;
use super::application::count;
use super::entity::*;
use super::level::LevelOf;
use super::path::Target;
use super::selection::Selected;

impl<'t> Analyzer<'t> {
    /// Selects a part. Returns its level and the parameters without arguments.
    pub(super) fn select(
        &mut self,
        id: ExprId,
        segments: &[Segment],
        mut target: Target,
    ) -> (LevelOf, Vec<EntityId>) {
        let named = &segments[target.segment];
        let mut tree_id = self.spec.entity(target.entity).tree;
        let mut tree = &self.trees[tree_id.0 as usize];
        let text = self.text(self.spec.entity(target.entity).name);
        if self.is_unreliable(target.entity) {
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
                bound.extend(numbered(&names, at));
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

    /// Enters an instance named by a LET, at the target's segment, to a definition of its module.
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

    /// The parameters of an operator argument; `None` for an expression.
    fn operator_params(&self, tree: TreeId, expr: ExprId) -> Option<Box<[EntityId]>> {
        match &self.trees[tree.0 as usize].expr(expr).kind {
            ExprKind::Lambda(..) => self.spec.binders.get(&(tree, expr)).cloned(),
            ExprKind::Apply(_, args) if args.is_empty() => {
                let entity = self.spec.entity_at(tree, expr)?;
                match &self.spec.entity(entity).kind {
                    EntityKind::Operator { params, .. } if !params.is_empty() => Some(params.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn bind(
        &mut self,
        names: &[EntityId],
        segment: &Segment,
        given: &mut Vec<(EntityId, LevelOf)>,
    ) {
        for (i, arg) in segment.args.iter().enumerate() {
            let wanted = names.get(i).map(|name| self.spec.entity(*name).arity);
            let argument = self.argument(*arg, wanted);
            given.extend(names.get(i).map(|name| (*name, argument.level)));
        }
    }
}

/// Pairs names with the arguments of a segment.
fn numbered(names: &[EntityId], segment: usize) -> impl Iterator<Item = (EntityId, u32, u32)> {
    let numbers = names.iter().enumerate();
    numbers.map(move |(i, name)| (*name, segment as u32, i as u32))
}
