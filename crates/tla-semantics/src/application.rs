//! Operators applied to arguments: numbers, kinds and levels of arguments.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::source::Span;

use super::analyzer::{Analyzer, ParamUse};
use super::entity::*;
use super::level::{Level, LevelOf};
use super::level_cause::Suspect;
use super::operators::rule;

/// An operator given as an argument.
#[derive(Clone, Debug)]
pub(super) enum Operator {
    /// By name.
    Of(Binding),
    /// A LAMBDA with these parameters.
    Lambda(Box<[EntityId]>),
}

/// An argument: its level, and what operator it is if it is one.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub level: LevelOf,
    pub operator: Option<Operator>,
}

impl Argument {
    pub fn value(level: LevelOf) -> Self {
        Self {
            level,
            operator: None,
        }
    }
}

/// Where something of the wrong level stands, and the expression that cannot have it there.
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
    /// `F(a, b)` or `x`: resolves the node and gives its level.
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

    /// Notes what a node refers to.
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

    /// Reports names that stand for no value.
    pub(super) fn is_applicable(&mut self, entity: EntityId, span: Span) -> bool {
        let name = self.spec.entity(entity).name;
        match self.spec.entity(entity).kind {
            EntityKind::Instance(_) | EntityKind::Statement(None) if self.is_contested(entity) => {
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
            // Of `F(ab)` for `F(a, b)` the unknown name has been reported.
            let is_consequence = (args.len() < wanted || wanted == 0) && self.reported.errors > errors;
            if !is_consequence {
                self.wrong_count(binding.entity, args.len(), span);
            }
            return LevelOf::default();
        }
        if args.is_empty() {
            return self.level_of(binding);
        }
        // What a definition with errors says about its parameters may be one of them.
        let announced = matches!(entity.kind, EntityKind::Announced) || self.is_doubtful(binding.entity);
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

    /// The arity of an operator's parameter, the highest level it takes, and whether equals may be put in for equals.
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
            Some(param) if self.is_weightless(*param) => {
                (self.spec.entity(*param).arity, Level::Temporal, true)
            }
            Some(param) => {
                let param = self.spec.entity(*param);
                (param.arity, param.max_level, param.leibniz)
            }
            None => (0, Level::Temporal, true),
        }
    }

    /// The parameter that limits the level of an argument: the operator's own, or one that it is put in for.
    fn limiting(&self, operator: EntityId, index: usize) -> Option<EntityId> {
        let EntityKind::Operator { params, .. } = &self.spec.entity(operator).kind else {
            return None;
        };
        let own = *params.get(index)?;
        Some(self.limited_by.get(&own).copied().unwrap_or(own))
    }

    /// Applies an operator to arguments that are resolved and right in number.
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
                self.uses.entry(binding.entity).or_default().extend(uses);
                Box::new([])
            }
            _ => Box::new([]),
        };
        for (i, arg) in args.iter().enumerate() {
            if let (Some(operator), Some(formal)) = (&arg.operator, formals.get(i))
                && !self.is_weightless(*formal)
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
        let (built_in, weightless) = (self.is_built_in(), &self.weightless);
        self.spec.params.substitute(own, |param| {
            let at = formals.iter().position(|formal| *formal == param)?;
            if !built_in && weightless.contains(&param) {
                return Some(LevelOf::default());
            }
            args.get(at).map(|arg| arg.level)
        })
    }

    /// Checks an operator put in for a parameter against the way the parameter is applied. `given` says what is put in
    /// for the other parameters.
    pub(super) fn check_uses(
        &mut self,
        formal: EntityId,
        operator: &Operator,
        given: impl Fn(EntityId) -> Option<LevelOf>,
        at: At,
    ) {
        let uses = self.uses.get(&formal).cloned().unwrap_or_default();
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
                self.uses
                    .entry(binding.entity)
                    .or_default()
                    .push(ParamUse { argument, level });
            }
        }
    }

    /// Reports a level that is too high, and passes the limit on to the parameters it depends on.
    pub(super) fn check_level(
        &mut self,
        of: LevelOf,
        max: Level,
        at: impl Into<At>,
        what: impl FnOnce(&Self) -> String,
    ) -> bool {
        self.constrain(of.params, max);
        let fits = of.level <= max;
        // A prime too many in an operator makes all its arguments wrong.
        let known = self
            .formal
            .and_then(|formal| self.reported.narrowed.get(&formal).copied());
        if let Some(known) = known.filter(|_| !fits) {
            let At { whole, part } = at.into();
            let span = part.map_or(whole, |part| self.span(part));
            self.add_place(known, span, "and here");
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
                (Level::Temporal, _) => "a temporal formula may stand only inside temporal formulas",
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

    /// The level of a built-in operator applied to operands of the given levels. `operand` says which expression an
    /// operand is, where something is wrong with it.
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
                let help = "only state predicates and temporal formulas may stand here";
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

    /// Reports that an operand may not be an action, unless a mistake in the same unit may have made it one.
    fn action_operand(
        &mut self,
        message: String,
        help: &str,
        (action, temporal): (Option<ExprId>, Option<ExprId>),
        span: Span,
    ) {
        let is_wrong = |part: ExprId, level: Level| {
            let causes = self.causes_from(self.tree, Some(part), None, level);
            causes.iter().any(|cause| self.is_doubtful(*cause))
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

    /// Resolves an argument for a parameter of the given arity; `None` takes anything.
    pub(super) fn argument(&mut self, id: ExprId, arity: Option<u32>) -> Argument {
        let span = self.span(id);
        self.argument_of(id, arity, span)
    }

    fn argument_of(&mut self, id: ExprId, arity: Option<u32>, operator_span: Span) -> Argument {
        let tree = self.tree();
        match (&tree.expr(id).kind, arity) {
            (ExprKind::Lambda(params, body), wanted) => self.lambda(id, params, *body, wanted, operator_span),
            (ExprKind::Apply(ident, none), wanted) if none.is_empty() => {
                let operator = self
                    .scope
                    .get(ident.name)
                    .filter(|b| self.spec.entity(b.entity).arity > 0);
                match operator {
                    Some(binding) if wanted != Some(0) => self.named_operator(id, binding, wanted),
                    _ => self.plain_argument(id, wanted),
                }
            }
            (ExprKind::Path(segments), wanted) if wanted != Some(0) => {
                self.path_argument(id, segments, wanted)
            }
            (_, wanted) => self.plain_argument(id, wanted),
        }
    }

    /// An argument that is an expression, where perhaps an operator is needed.
    fn plain_argument(&mut self, id: ExprId, wanted: Option<u32>) -> Argument {
        let errors = self.reported.errors;
        let level = self.expr(id);
        if let Some(wanted @ 1..) = wanted
            && self.reported.errors == errors
        {
            let message = format!(
                "an operator that takes {} is needed here, not a value",
                count(wanted as usize)
            );
            let diagnostic = Diagnostic::error(Class::Arity, self.source(), self.span(id), message)
                .help("give the name of an operator, or a LAMBDA");
            match self.spec.resolved(self.tree, id) {
                Resolved::Entity(named) if self.is_defined(named) => {
                    self.miscounted(named, diagnostic);
                }
                _ => self.report(diagnostic),
            }
        }
        Argument::value(level)
    }

    /// An operator given by name.
    fn named_operator(&mut self, id: ExprId, binding: Binding, wanted: Option<u32>) -> Argument {
        self.refer(id, binding, 0);
        let level = self.level_of(binding);
        self.record(id, level);
        self.operator_argument(binding, wanted, self.span(id))
    }

    pub(super) fn operator_argument(
        &mut self,
        binding: Binding,
        wanted: Option<u32>,
        span: Span,
    ) -> Argument {
        let entity = self.spec.entity(binding.entity);
        let (takes, name) = (entity.arity, entity.name);
        if !self.is_applicable(binding.entity, span) {
            return Argument::value(LevelOf::default());
        }
        if let Some(wanted) = wanted
            && wanted != takes
        {
            let text = self.text(name);
            let message = format!(
                "an operator that takes {} is needed here, but `{text}` takes {}",
                count(wanted as usize),
                count(takes as usize)
            );
            let diagnostic = Diagnostic::error(Class::Arity, self.source(), span, message);
            let diagnostic = diagnostic.help("give an operator that fits, or a LAMBDA");
            self.miscounted(binding.entity, diagnostic);
            return Argument::value(LevelOf::default());
        }
        let level = self.level_of(binding);
        let formals = match &self.spec.entity(binding.entity).kind {
            EntityKind::Operator { params, .. } => params.clone(),
            _ => Box::new([]),
        };
        let takes_operator = formals.iter().any(|formal| self.spec.entity(*formal).arity > 0);
        if takes_operator && !self.is_contested(binding.entity) {
            let message = format!(
                "`{}` takes an operator itself and cannot be an argument",
                self.text(name)
            );
            self.error(
                Class::Arity,
                span,
                message,
                "an operator argument takes values only",
            );
        }
        let level = self
            .spec
            .params
            .substitute(level, |p| formals.contains(&p).then(LevelOf::default));
        Argument {
            level,
            operator: Some(Operator::Of(binding)),
        }
    }

    fn lambda(
        &mut self,
        id: ExprId,
        params: &[Ident],
        body: ExprId,
        wanted: Option<u32>,
        operator_span: Span,
    ) -> Argument {
        match wanted {
            Some(0) => {
                let message = "a value is needed here, not a LAMBDA";
                self.error(
                    Class::Arity,
                    self.span(id),
                    message,
                    "a LAMBDA may only be put in for an operator",
                );
            }
            Some(wanted) if wanted as usize != params.len() => {
                let message = format!(
                    "an operator that takes {} is needed, but this LAMBDA takes {}",
                    count(wanted as usize),
                    count(params.len())
                );
                let span = self.span(id);
                let diagnostic = Diagnostic::error(Class::Arity, self.source(), operator_span, message)
                    .label(self.source(), span, "this LAMBDA");
                self.report(diagnostic);
            }
            _ => {}
        }
        let mark = self.scope.mark();
        let mut entities = Vec::with_capacity(params.len());
        for param in params {
            let entity = self.open_entity(*param, EntityKind::Parameter, 0);
            self.declare(entity, param.span);
            entities.push(entity);
        }
        let entities: Box<[EntityId]> = entities.into();
        self.spec.binders.insert((self.tree, id), entities.clone());
        let level = self.expr(body);
        self.record(id, level);
        self.scope.release(mark);
        let level = self
            .spec
            .params
            .substitute(level, |p| entities.contains(&p).then(LevelOf::default));
        Argument {
            level,
            operator: Some(Operator::Lambda(entities)),
        }
    }
}
