//! Operator application: the number, kinds and levels of arguments.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::source::Span;

use super::analyzer::Analyzer;
use super::argument::{Argument, Operator};
use super::entity::*;
use super::level::{Level, LevelOf};
use super::level_cause::Suspect;
use super::level_rule::rule;
use super::resolution::ParamUse;

/// The position of an expression of the wrong level: the enclosing expression and the part itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub whole: Span,
    pub part: Option<ExprId>,
}

impl From<Span> for At {
    fn from(span: Span) -> Self {
        Self {
            whole: span,
            part: None,
        }
    }
}

/// A number of arguments in words.
pub(super) fn count(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        n => format!("{n} arguments"),
    }
}

impl Analyzer<'_> {
    /// `F(a, b)` or `x`: resolves the node and returns its level.
    pub(super) fn applied(&mut self, id: ExprId, ident: Ident, args: &[ExprId]) -> LevelOf {
        let Some(binding) = self.lookup_given(ident, args.len()) else {
            for arg in args {
                self.argument(*arg, None);
            }
            return LevelOf::default();
        };
        self.refer(id, binding, 0);
        if !self.is_applicable(binding.entity, ident.span) {
            return LevelOf::default();
        }
        self.apply_args(binding, args, ident.span)
    }

    /// Records what a node refers to.
    pub(super) fn refer(&mut self, id: ExprId, binding: Binding, segment: u32) {
        if binding.via == Via::NONE && segment == 0 {
            self.resolve(id, Resolved::Entity(binding.entity));
            return;
        }
        let via = self.spec.via(binding.via).iter();
        let via = via
            .map(|instance| InstanceStep {
                instance: *instance,
                segment: None,
            })
            .collect();
        self.refer_to(
            id,
            Reference {
                via,
                entity: binding.entity,
                segment,
                part: None,
            },
        );
    }

    pub(super) fn refer_to(&mut self, id: ExprId, reference: Reference) {
        let number = self.spec.references.len() as u32;
        self.spec.references.push(reference);
        self.resolve(id, Resolved::Reference(number));
    }

    /// Whether an entity is a value or operator; if not, reports its use.
    pub(super) fn is_applicable(&mut self, entity: EntityId, span: Span) -> bool {
        let name = self.spec.entity(entity).name;
        match self.spec.entity(entity).kind {
            EntityKind::Instance(_) | EntityKind::Statement(None) if self.is_conflicting(entity) => {
                self.reported.errors += 1;
                false
            }
            EntityKind::Instance(_) => {
                let text = self.text(name);
                let message = format!("`{text}` is an instance, not an expression");
                self.error(
                    Class::Arity,
                    span,
                    message,
                    format!("name one of its definitions: `{text}!Name`"),
                );
                false
            }
            EntityKind::Statement(None) => {
                let text = self.text(name);
                let message = format!("`{text}` is an ASSUME/PROVE, not an expression");
                self.error(
                    Class::Semantic,
                    span,
                    message,
                    "only a theorem that is a formula can be used as one",
                );
                false
            }
            EntityKind::Unknown => {
                self.reported.errors += 1;
                false
            }
            _ => true,
        }
    }

    /// Checks the number of arguments, resolves them and applies.
    pub(super) fn apply_args(&mut self, binding: Binding, args: &[ExprId], span: Span) -> LevelOf {
        let entity = self.spec.entity(binding.entity);
        let wanted = entity.arity as usize;
        if wanted != args.len() {
            let errors = self.reported.errors;
            for arg in args {
                self.argument(*arg, None);
            }
            // In `F(ab)` for `F(a, b)` the undefined name has been reported.
            let is_consequence = (args.len() < wanted || wanted == 0) && self.reported.errors > errors;
            if !is_consequence {
                self.wrong_count(binding.entity, args.len(), span);
            }
            return LevelOf::default();
        }
        if args.is_empty() {
            return self.level_of(binding);
        }
        // A definition with errors may have the wrong parameters.
        let announced = matches!(entity.kind, EntityKind::Announced) || self.is_unreliable(binding.entity);
        let given: Vec<Argument> = (0..wanted)
            .map(|i| {
                let arity = if announced {
                    None
                } else {
                    Some(self.formal(&Operator::Of(binding), i).0)
                };
                self.argument_of(args[i], arity, span)
            })
            .collect();
        self.apply(binding, &given, args, span)
    }

    /// The arity of an operator's parameter, the highest level it takes, and whether the operator is Leibniz in it.
    pub(super) fn formal(&self, operator: &Operator, index: usize) -> (u32, Level, bool) {
        let params = match operator {
            Operator::Lambda(params) => params,
            Operator::Of(binding) => match &self.spec.entity(binding.entity).kind {
                EntityKind::Operator { params, .. } => params,
                EntityKind::BuiltIn(BuiltIn::Operator(op)) => return (0, rule(*op).max, rule(*op).passes),
                _ => return (0, Level::Temporal, true),
            },
        };
        match params.get(index) {
            Some(param) if self.is_level_exempt(*param) => {
                (self.spec.entity(*param).arity, Level::Temporal, true)
            }
            Some(param) => {
                let param = self.spec.entity(*param);
                (param.arity, param.max_level, param.leibniz)
            }
            None => (0, Level::Temporal, true),
        }
    }

    /// The parameter that limits the level of an argument: the operator's own, or one for which that is substituted.
    pub(super) fn limiting(&self, operator: EntityId, index: usize) -> Option<EntityId> {
        let EntityKind::Operator { params, .. } = &self.spec.entity(operator).kind else {
            return None;
        };
        let own = *params.get(index)?;
        Some(self.resolution.limited_by.get(&own).copied().unwrap_or(own))
    }

    /// Applies an operator to the right number of resolved arguments.
    pub(super) fn apply(
        &mut self,
        binding: Binding,
        args: &[Argument],
        ids: &[ExprId],
        span: Span,
    ) -> LevelOf {
        if let EntityKind::BuiltIn(BuiltIn::Operator(op)) = self.spec.entity(binding.entity).kind {
            let levels: Vec<LevelOf> = args.iter().map(|arg| arg.level).collect();
            return self.built_in(op, &levels, |_, i| ids.get(i).copied(), span);
        }
        let operator = Operator::Of(binding);
        let text = self.spec.entity(binding.entity).name;
        for (i, arg) in args.iter().enumerate() {
            if self.reported.raised.contains_key(&binding.entity) {
                break;
            }
            let (_, max, leibniz) = self.formal(&operator, i);
            let at = At {
                whole: span,
                part: ids.get(i).copied(),
            };
            self.formal = self.limiting(binding.entity, i);
            self.check_level(arg.level, max, at, |a| {
                format!("argument {} of `{}`", i + 1, a.text(text))
            });
            self.formal = None;
            if !leibniz {
                self.break_leibniz(arg.level.params);
            }
        }
        let formals: Box<[EntityId]> = match &self.spec.entity(binding.entity).kind {
            EntityKind::Operator { params, .. } => params.clone(),
            EntityKind::Parameter | EntityKind::Constant => {
                let uses = args.iter().enumerate();
                let uses = uses.map(|(i, arg)| ParamUse {
                    argument: i as u32,
                    level: arg.level,
                });
                self.resolution
                    .uses
                    .entry(binding.entity)
                    .or_default()
                    .extend(uses);
                Box::new([])
            }
            _ => Box::new([]),
        };
        for (i, arg) in args.iter().enumerate() {
            if let (Some(operator), Some(formal)) = (&arg.operator, formals.get(i))
                && !self.is_level_exempt(*formal)
            {
                let at = At {
                    whole: span,
                    part: ids.get(i).copied(),
                };
                let given = |p: EntityId| {
                    formals
                        .iter()
                        .position(|f| *f == p)
                        .and_then(|at| args.get(at))
                        .map(|a| a.level)
                };
                self.check_uses(*formal, operator, given, at);
            }
        }
        let own = self.spec.entity(binding.entity).level;
        let instances = self.spec.via(binding.via).to_vec();
        let own = self.through_instances(own, &instances);
        if formals.is_empty() {
            return args.iter().fold(own, |level, arg| self.join(level, arg.level));
        }
        let (built_in, level_exempt) = (self.is_built_in(), &self.resolution.level_exempt);
        self.spec.params.substitute(own, |param| {
            let at = formals.iter().position(|formal| *formal == param)?;
            if !built_in && level_exempt.contains(&param) {
                return Some(LevelOf::default());
            }
            args.get(at).map(|arg| arg.level)
        })
    }

    /// Checks an operator argument against the applications of its parameter. `given` returns the levels of the other
    /// arguments.
    pub(super) fn check_uses(
        &mut self,
        formal: EntityId,
        operator: &Operator,
        given: impl Fn(EntityId) -> Option<LevelOf>,
        at: At,
    ) {
        let uses = self.resolution.uses.get(&formal).cloned().unwrap_or_default();
        for ParamUse { argument, level } in uses {
            let level = self.spec.params.substitute(level, &given);
            let (_, max, _) = self.formal(operator, argument as usize);
            let name = self.spec.entity(formal).name;
            self.check_level(level, max, at, |a| {
                format!("what `{}` is applied to", a.text(name))
            });
            if let Operator::Of(binding) = operator
                && matches!(
                    self.spec.entity(binding.entity).kind,
                    EntityKind::Parameter | EntityKind::Constant
                )
            {
                self.resolution
                    .uses
                    .entry(binding.entity)
                    .or_default()
                    .push(ParamUse { argument, level });
            }
        }
    }

    /// Reports a level that is too high, and limits the parameters it depends on.
    pub(super) fn check_level(
        &mut self,
        of: LevelOf,
        max: Level,
        at: impl Into<At>,
        what: impl FnOnce(&Self) -> String,
    ) -> bool {
        self.constrain(of.params, max);
        let fits = of.level <= max;
        // One prime too many in an operator makes all its arguments wrong.
        let known = self
            .formal
            .and_then(|formal| self.reported.narrowed.get(&formal).copied());
        if let Some(known) = known.filter(|_| !fits) {
            let At { whole, part } = at.into();
            let span = part.map_or(whole, |part| self.span(part));
            self.add_label(known, span, "and here");
            return fits;
        }
        if !fits {
            let number = self.diagnostics.len();
            let what = what(self);
            let message = format!(
                "{what} is of {} level; at most {} level is allowed",
                of.level.word(),
                max.word()
            );
            let help = match (of.level, max) {
                (Level::Temporal, _) => "a temporal formula is allowed only inside temporal formulas",
                (_, Level::State) => "a primed expression cannot be primed again",
                _ => "take the primes out",
            };
            let At { whole, part } = at.into();
            let mut diagnostic = Diagnostic::error(Class::Level, self.source(), whole, message).help(help);
            if let Some(part) = part.filter(|part| self.span(*part) != whole) {
                let level = format!("this is of {} level", of.level.word());
                diagnostic = diagnostic.label(self.source(), self.span(part), level);
            }
            self.report_level(diagnostic, part, of.level, Suspect::Values);
            let formal = self.formal.filter(|formal| !self.is_library(*formal));
            if let Some(formal) = formal.filter(|_| self.diagnostics.len() > number) {
                self.reported.narrowed.insert(formal, number);
            }
        }
        fits
    }

    /// The level of a built-in operator applied to operands of the given levels. `operand` returns the expression of an operand, for
    /// error messages.
    pub(super) fn built_in(
        &mut self,
        op: Op,
        levels: &[LevelOf],
        operand: impl Fn(&Self, usize) -> Option<ExprId>,
        span: Span,
    ) -> LevelOf {
        let rule = rule(op);
        let mut result = LevelOf::fixed(rule.level);
        for (i, level) in levels.iter().enumerate() {
            let fits = level.level <= rule.max;
            let at = At {
                whole: span,
                part: if fits { None } else { operand(self, i) },
            };
            self.check_level(*level, rule.max, at, |_| format!("an operand of `{}`", op.text()));
            if !fits {
                return result;
            }
            if !rule.passes {
                self.break_leibniz(level.params);
            }
        }
        if rule.passes {
            let all = self.spec.params.join_all(levels);
            result = self.join(result, all);
        }
        let has = |wanted: Level| levels.iter().any(|l| l.level == wanted);
        match op {
            Op::LeadsTo | Op::PlusArrow if has(Level::Action) => {
                let message = format!("an operand of `{}` is an action", op.text());
                let help = "only state predicates and temporal formulas are allowed here";
                let action = levels.iter().position(|l| l.level == Level::Action);
                let action = action.and_then(|i| operand(self, i));
                self.action_operand(message, help, (action, None), span);
            }
            Op::And | Op::Or | Op::Implies | Op::Equiv if has(Level::Action) && has(Level::Temporal) => {
                let message = format!("`{}` joins an action and a temporal formula", op.text());
                let help = "make the action temporal: `[][A]_v`";
                let action = levels.iter().position(|l| l.level == Level::Action);
                let action = action.and_then(|i| operand(self, i));
                let temporal = levels.iter().position(|l| l.level == Level::Temporal);
                let temporal = temporal.and_then(|i| operand(self, i));
                self.action_operand(message, help, (action, temporal), span);
            }
            _ => {}
        }
        result
    }

    /// Reports that an operand may not be an action, unless that may follow from another error in the same unit.
    fn action_operand(
        &mut self,
        message: String,
        help: &str,
        (action, temporal): (Option<ExprId>, Option<ExprId>),
        span: Span,
    ) {
        let is_wrong = |part: ExprId, level: Level| {
            let causes = self.causes_from(self.tree, Some(part), None, level);
            causes.iter().any(|cause| self.is_unreliable(*cause))
        };
        let is_consequence = temporal.is_some_and(|part| is_wrong(part, Level::Temporal));
        if is_consequence || self.reported.errors > self.reported.before_unit {
            self.reported.errors += 1;
            return;
        }
        let mut diagnostic = Diagnostic::error(Class::Level, self.source(), span, message).help(help);
        if let Some(action) = action.map(|id| self.span(id)) {
            diagnostic = diagnostic.label(self.source(), action, "this is of action level");
        }
        self.report_level(diagnostic, action, Level::Action, Suspect::All);
    }
}
