//! The cause of a level error.
//!
//! If `vars` is defined with a prime in it, every `[Next]_vars` is wrong. That is one mistake, reported at its first consequence
//! together with its cause. A formula such as `Next` has action level on purpose; where it is not allowed, its use is the
//! mistake.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::Diagnostic;
use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::source::Span;

use super::analyzer::Analyzer;
use super::entity::*;
use super::level::Level;

/// Which definitions may be the mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Suspect {
    /// Any definition.
    All,
    /// Only definitions that are not formulas.
    Values,
}

impl Analyzer<'_> {
    /// Reports that the expression `part` has too high a level, once per definition that causes it.
    pub(super) fn report_level(
        &mut self,
        diagnostic: Diagnostic,
        part: Option<ExprId>,
        level: Level,
        suspect: Suspect,
    ) {
        let part = part.filter(|_| self.is_advice_wanted());
        let causes = part.map_or_else(Vec::new, |part| {
            self.causes_from(self.tree, Some(part), None, level)
        });
        let span = part.map_or(diagnostic.span, |part| self.span(part));
        self.report_caused(diagnostic, span, causes, level, suspect);
    }

    /// Reports that an entity has too high a level, once per definition that causes it.
    pub(super) fn report_level_of(&mut self, diagnostic: Diagnostic, entity: EntityId, level: Level) {
        let causes = self.causes_from(self.tree, None, Some(entity), level);
        let span = diagnostic.span;
        self.report_caused(diagnostic, span, causes, level, Suspect::All);
    }

    fn report_caused(
        &mut self,
        diagnostic: Diagnostic,
        span: Span,
        causes: Vec<EntityId>,
        level: Level,
        suspect: Suspect,
    ) {
        let is_value = |cause: &&EntityId| suspect == Suspect::All || !self.is_formula(**cause);
        let suspected = causes.iter().rev().find(is_value).copied();
        let Some(cause) = suspected.or_else(|| causes.last().copied()) else {
            self.report(diagnostic);
            return;
        };
        // A definition that is temporal by mistake makes every action that uses it temporal.
        let is_consequence =
            level == Level::Temporal && causes.iter().any(|cause| self.is_unreliable(*cause));
        let is_unreliable =
            self.is_conflicting(cause) || (suspect == Suspect::All && self.is_unreliable(cause));
        if is_consequence || is_unreliable {
            self.reported.errors += 1;
            return;
        }
        let is_suspect = suspected.is_some();
        if let Some(known) = self.reported.raised.get(&cause).filter(|_| is_suspect).copied() {
            self.add_label(known, span, "and here");
            return;
        }
        if is_suspect {
            self.reported.raised.insert(cause, self.diagnostics.len());
        }
        let entity = self.spec.entity(cause);
        let message = format!(
            "`{}` is of {} level",
            self.spec.names.text(entity.name),
            level.word()
        );
        let (source, span) = (entity.source, entity.span);
        self.report(diagnostic.label(source, span, message));
    }

    /// The chain of definitions that give an expression or an entity its level. The last is the cause. Empty if an operator of the
    /// expression is the cause.
    pub(super) fn causes_from(
        &self,
        mut tree: TreeId,
        expr: Option<ExprId>,
        entity: Option<EntityId>,
        level: Level,
    ) -> Vec<EntityId> {
        let mut met = Vec::new();
        let mut next = entity.or_else(|| self.raised_in(tree, expr?, level));
        while let Some(entity) = next.filter(|entity| !met.contains(entity)) {
            if self.is_conflicting(entity) {
                met.push(entity);
                break;
            }
            let known = self.spec.entity(entity);
            let (body, unit) = match known.kind {
                EntityKind::Operator { body, .. } => (body, None),
                EntityKind::Function { body, unit, .. } => (body, Some(unit)),
                _ => break,
            };
            met.push(entity);
            tree = known.tree;
            let domain = unit.and_then(|unit| self.raised_domain(tree, unit, level));
            next = self.raised_in(tree, domain.unwrap_or(body), level);
        }
        met
    }

    /// The first set that a function ranges over which is of the given level.
    fn raised_domain(&self, tree: TreeId, function: UnitId, level: Level) -> Option<ExprId> {
        let UnitKind::Function { bounds, .. } = &self.trees.get(tree.0 as usize)?.unit(function).kind else {
            return None;
        };
        let mut sets = bounds.iter().filter_map(|bound| bound.set);
        sets.find(|set| self.spec.level(tree, *set) >= level)
    }

    /// The first definition of the given level used in an expression; `None` if an operator of the expression itself has that
    /// level.
    fn raised_in(&self, tree: TreeId, expr: ExprId, level: Level) -> Option<EntityId> {
        let syntax = &self.trees[tree.0 as usize];
        let mut pending = vec![expr];
        let mut first: Option<(Span, EntityId)> = None;
        while let Some(id) = pending.pop() {
            if self.spec.level(tree, id) < level {
                continue;
            }
            let node = syntax.expr(id);
            if raises(&node.kind) {
                return None;
            }
            syntax.for_each_child(id, |child| pending.push(child));
            let Some(entity) = self.spec.entity_at(tree, id) else {
                continue;
            };
            if self.is_conflicting(entity) {
                return Some(entity);
            }
            let is_first = first.is_none_or(|(span, _)| node.span.start < span.start);
            if self.is_defined(entity) && self.spec.entity(entity).level.level >= level && is_first {
                first = Some((node.span, entity));
            }
        }
        first.map(|(_, entity)| entity)
    }

    /// Whether an entity is a defined operator or function.
    pub(super) fn is_defined(&self, entity: EntityId) -> bool {
        matches!(
            self.spec.entity(entity).kind,
            EntityKind::Operator { .. } | EntityKind::Function { .. }
        )
    }

    /// Whether a definition is a formula, judging by its outermost operator.
    fn is_formula(&self, entity: EntityId) -> bool {
        let entity = self.spec.entity(entity);
        let EntityKind::Operator { mut body, .. } = entity.kind else {
            return false;
        };
        let tree = &self.trees[entity.tree.0 as usize];
        loop {
            match &tree.expr(body).kind {
                ExprKind::Paren(inner)
                | ExprKind::Label(_, _, inner)
                | ExprKind::Let(_, inner)
                | ExprKind::If(_, inner, _) => body = *inner,
                ExprKind::Junction(..)
                | ExprKind::Quantified(..)
                | ExprKind::TemporalQuantified(..)
                | ExprKind::Action(..)
                | ExprKind::Fairness(..) => return true,
                ExprKind::Infix(op, ..) | ExprKind::Prefix(op, _) => return op.gives_truth(),
                _ => return false,
            }
        }
    }
}

/// Whether an expression has a higher level than its operands.
fn raises(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Prefix(op, _) | ExprKind::Postfix(op, _) | ExprKind::Infix(op, ..) => matches!(
            op,
            Op::Prime
                | Op::Unchanged
                | Op::Enabled
                | Op::Cdot
                | Op::Always
                | Op::Eventually
                | Op::LeadsTo
                | Op::PlusArrow
        ),
        ExprKind::Action(..) | ExprKind::Fairness(..) | ExprKind::TemporalQuantified(..) => true,
        _ => false,
    }
}
