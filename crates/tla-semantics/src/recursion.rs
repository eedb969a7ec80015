//! Recursive operators: RECURSIVE declarations, the definitions that complete them, and their common level.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::Span;

use super::analyzer::Analyzer;
use super::entity::*;
use super::level::{Level, LevelOf};

impl Analyzer<'_> {
    /// Checks that only definitions stand between RECURSIVE and the definitions it announces.
    pub(super) fn check_section(&mut self, unit: &Unit) {
        let what = match &unit.kind {
            UnitKind::Constants(_) | UnitKind::Variables(_) => "a declaration",
            UnitKind::Theorem { .. } => "a theorem",
            UnitKind::Module(_) => "a module",
            UnitKind::UseOrHide => "USE or HIDE",
            _ => return,
        };
        let Some((announced, _)) = self.announced.first().copied() else {
            return;
        };
        if let Some(known) = self.reported.between.get(&announced).copied() {
            self.add_label(known, unit.span, format!("nor is {what}"));
            return;
        }
        self.reported.between.insert(announced, self.diagnostics.len());
        let open = self.spec.entity(announced);
        let (name, place) = (self.text(open.name), (open.source, open.span));
        let message = format!("{what} is not allowed between RECURSIVE and the definition of `{name}`");
        let diagnostic = Diagnostic::error(Class::Semantic, self.source(), unit.span, message)
            .label(place.0, place.1, "announced here")
            .help("move it before the RECURSIVE");
        self.report(diagnostic);
    }

    /// The entity that RECURSIVE announced for a definition, if there is one at this depth. It is announced no longer.
    pub(super) fn take_announced(&mut self, ident: Ident, arity: u32, span: Span) -> Option<EntityId> {
        let known = self.scope.get(ident.name)?.entity;
        if !matches!(self.spec.entity(known).kind, EntityKind::Announced) {
            return None;
        }
        let at = self.announced.iter().position(|(entity, _)| *entity == known)?;
        let text = self.text(ident.name);
        if self.announced[at].1 != self.let_depth {
            let message = format!("`{text}` was announced by RECURSIVE outside this LET");
            let place = self.spec.entity(known);
            let diagnostic = Diagnostic::error(Class::Redefined, self.source(), span, message)
                .label(place.source, place.span, "announced here")
                .help("define it where RECURSIVE announces it");
            self.report(diagnostic);
        }
        let announced = self.spec.entity(known);
        if announced.arity != arity {
            let takes = announced.arity;
            let place = (announced.source, announced.span);
            let message = format!("`{text}` is defined with {arity} parameters but announced with {takes}");
            let diagnostic = Diagnostic::error(Class::Arity, self.source(), span, message)
                .label(place.0, place.1, "announced here")
                .help("give both the same number of parameters");
            self.report(diagnostic);
            self.reported.conflicting.insert(known);
        }
        self.announced.swap_remove(at);
        Some(known)
    }

    /// Reports that a recursive operator primes a parameter, unless that follows from other errors or has been reported for the
    /// parameter that imposes the limit.
    pub(super) fn check_recursive(&mut self, param: EntityId, span: Span, errors_before: usize) {
        let is_unreliable = self.section.iter().any(|entity| self.is_unreliable(*entity));
        let limiting = self.resolution.limited_by.get(&param).copied().unwrap_or(param);
        if self.reported.errors > errors_before
            || is_unreliable
            || self.reported.narrowed.contains_key(&limiting)
        {
            return;
        }
        self.reported.narrowed.insert(limiting, self.diagnostics.len());
        let text = self.text(self.spec.entity(param).name);
        let message = format!("a recursive operator may not prime its parameter `{text}`");
        let help = "prime the argument where the operator is used";
        self.error(Class::Level, span, message, help);
    }

    /// Gives a recursive operator its parameters before its body is resolved; each may raise its level.
    pub(super) fn open_recursion(&mut self, entity: EntityId, params: &[EntityId], body: ExprId) {
        let raised_by = self.spec.params.of(params.to_vec());
        let known = &mut self.spec.entities[entity.0 as usize];
        known.kind = EntityKind::Operator {
            params: params.into(),
            body,
            recursive: true,
        };
        known.arity = params.len() as u32;
        known.level = LevelOf {
            level: Level::Constant,
            params: raised_by,
        };
    }

    pub(super) fn close_if_complete(&mut self) {
        if self.announced.iter().all(|(_, depth)| *depth < self.let_depth) {
            self.level_section();
        }
    }

    /// Gives the operators of a recursive section one level, because each may reach all others.
    fn level_section(&mut self) {
        let section = std::mem::take(&mut self.section);
        let mut all = LevelOf::default();
        for entity in &section {
            all = self.join(all, self.spec.entity(*entity).level);
        }
        for entity in section {
            self.spec.entities[entity.0 as usize].level = all;
        }
    }

    /// Reports operators announced at this depth or deeper and never defined.
    pub(super) fn close_section(&mut self, depth: u32) {
        let open: Vec<EntityId> = self
            .announced
            .iter()
            .filter(|(_, d)| *d >= depth)
            .map(|(entity, _)| *entity)
            .collect();
        self.announced.retain(|(_, d)| *d < depth);
        for entity in open {
            let (name, span) = (self.spec.entity(entity).name, self.spec.entity(entity).span);
            if self.is_missed(name) || self.reported.redefined.contains_key(&(self.module, name)) {
                continue;
            }
            let text = self.text(name);
            let message = format!("`{text}` is announced by RECURSIVE but not defined");
            let diagnostic = Diagnostic::error(Class::Undefined, self.source(), span, message)
                .help(format!("define `{text}`, or take it out of RECURSIVE"));
            self.unknown(Ident { name, span }, false, diagnostic);
        }
    }
}
