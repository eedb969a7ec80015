//! Arguments: expressions, named operators and LAMBDAs.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::Span;

use super::analyzer::Analyzer;
use super::application::count;
use super::entity::*;
use super::level::LevelOf;

/// An operator given as an argument.
#[derive(Clone, Debug)]
pub(super) enum Operator {
    /// By name.
    Of(Binding),
    /// A LAMBDA with these parameters.
    Lambda(Box<[EntityId]>),
}

/// An argument: its level, and the operator if it is one.
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

impl Analyzer<'_> {
    /// Resolves an argument for a parameter of the given arity; `None` takes anything.
    pub(super) fn argument(&mut self, id: ExprId, arity: Option<u32>) -> Argument {
        let span = self.span(id);
        self.argument_of(id, arity, span)
    }

    pub(super) fn argument_of(&mut self, id: ExprId, arity: Option<u32>, operator_span: Span) -> Argument {
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

    /// An argument that is an expression; reports it where an operator is needed.
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
                    self.wrong_arity(named, diagnostic);
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
            self.wrong_arity(binding.entity, diagnostic);
            return Argument::value(LevelOf::default());
        }
        let level = self.level_of(binding);
        let formals = match &self.spec.entity(binding.entity).kind {
            EntityKind::Operator { params, .. } => params.clone(),
            _ => Box::new([]),
        };
        let takes_operator = formals.iter().any(|formal| self.spec.entity(*formal).arity > 0);
        if takes_operator && !self.is_conflicting(binding.entity) {
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
