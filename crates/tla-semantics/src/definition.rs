//! Definitions: operators, functions, named instances, and their parameters.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::source::Span;

use super::analyzer::Analyzer;
use super::entity::*;
use super::level::{Level, LevelOf};

impl Analyzer<'_> {
    /// Brings a definition of the module or of a LET into scope.
    pub(super) fn define(&mut self, entity: EntityId, unit: &Unit, span: Span) {
        self.spec.entities[entity.0 as usize].local = unit.local;
        let declared = self.declare(entity, span);
        if declared && self.let_depth == 0 {
            let name = self.spec.entity(entity).name;
            if unit.local {
                self.scope.local.insert(name);
            }
            self.current().definitions.push(entity);
        }
    }

    /// Brings a named assumption or theorem into scope, unless there is one with that name.
    pub(super) fn define_statement(&mut self, entity: EntityId, unit: &Unit, name: Ident) {
        if !self.declared_again(name, 0, |kind| matches!(kind, EntityKind::Statement(_))) {
            self.define(entity, unit, unit.span);
        }
    }

    /// Resolves a definition or a RECURSIVE.
    pub(super) fn definition(&mut self, id: UnitId) {
        let unit = self.tree().unit(id);
        match &unit.kind {
            UnitKind::Recursive(decls) => {
                for decl in decls {
                    let entity =
                        self.entity(decl.ident, EntityKind::Announced, decl.arity, LevelOf::default());
                    if self.declare(entity, decl.ident.span) {
                        self.announced.push((entity, self.let_depth));
                        self.section.push(entity);
                    }
                }
            }
            UnitKind::Operator { name, params, body } => self.operator(id, unit, name, params, *body),
            UnitKind::Function { name, bounds, body } => self.function(id, unit, *name, bounds, *body),
            UnitKind::NamedInstance {
                name,
                params,
                instance,
            } => {
                let mark = self.scope.mark();
                let before = self.reported.errors;
                let params = self.named_parameters(*name, params, unit.span);
                let resolved = if self.is_hidden_from_let(instance.module) {
                    None
                } else {
                    self.instance(instance, unit.span, params)
                };
                self.scope.release(mark);
                let (kind, arity) = match resolved {
                    Some(instance) => (
                        EntityKind::Instance(instance),
                        self.spec.instance(instance).params.len() as u32,
                    ),
                    None => (EntityKind::Unknown, 0),
                };
                let entity = self.entity(*name, kind, arity, LevelOf::default());
                self.note_errors(entity, before);
                self.spec.let_entities.insert((self.tree, id), entity);
                self.define(entity, unit, unit.span);
            }
            _ => {}
        }
    }

    /// Brings the parameters of a definition into scope. None may have the definition's own name.
    fn named_parameters(&mut self, name: Ident, params: &[OpDecl], span: Span) -> Box<[EntityId]> {
        let entities = self.parameters(params);
        let own = entities
            .iter()
            .zip(params)
            .find(|(_, param)| param.ident.name == name.name);
        if let Some((entity, _)) = own {
            let announced = self
                .scope
                .get(name.name)
                .is_some_and(|binding| binding.entity != *entity);
            if !announced {
                self.redefined(name.name, span, *entity);
            }
        }
        entities
    }

    pub(super) fn parameters(&mut self, params: &[OpDecl]) -> Box<[EntityId]> {
        let mut entities = Vec::with_capacity(params.len());
        for param in params {
            let entity = self.open_entity(param.ident, EntityKind::Parameter, param.arity);
            self.declare(entity, param.ident.span);
            entities.push(entity);
        }
        entities.into()
    }

    /// The level of a body, which has its own labels.
    pub(super) fn definition_body(&mut self, body: ExprId) -> LevelOf {
        self.body(body, None)
    }

    pub(super) fn body(&mut self, body: ExprId, no_labels: Option<&'static str>) -> LevelOf {
        let no_labels = std::mem::replace(&mut self.no_labels, no_labels);
        let bound = std::mem::take(&mut self.bound);
        let labels = std::mem::take(&mut self.labels);
        let level = self.expr(body);
        self.bound = bound;
        self.labels = labels;
        self.no_labels = no_labels;
        level
    }

    pub(super) fn operator(
        &mut self,
        id: UnitId,
        unit: &Unit,
        name: &OpDecl,
        params: &[OpDecl],
        body: ExprId,
    ) {
        if self.is_language(name.ident, params, unit.span) {
            return;
        }
        let before = self.reported.errors;
        let announced = self.take_announced(name.ident, params.len() as u32, unit.span);
        let mark = self.scope.mark();
        let params = self.named_parameters(name.ident, params, unit.span);
        if let Some(entity) = announced {
            self.open_recursion(entity, &params, body);
            self.unfinished.push(entity);
        }
        let level = self.definition_body(body);
        if announced.is_some() {
            self.unfinished.pop();
        }
        self.scope.release(mark);
        if self.is_built_in() && self.let_depth == 0 {
            self.note_level_exempt(name.ident.name, &params);
        }
        let arity = params.len() as u32;
        let recursive = announced.is_some();
        let primed = params
            .iter()
            .find(|param| self.spec.entity(**param).max_level < Level::Action);
        if recursive && let Some(param) = primed.copied() {
            self.check_recursive(param, unit.span, before);
        }
        let kind = EntityKind::Operator {
            params,
            body,
            recursive,
        };
        match announced {
            Some(entity) => {
                let known = &mut self.spec.entities[entity.0 as usize];
                known.kind = kind;
                known.arity = arity;
                known.level = level;
                known.local = unit.local;
                self.spec.let_entities.insert((self.tree, id), entity);
                if self.let_depth == 0 {
                    if unit.local {
                        self.scope.local.insert(name.ident.name);
                    }
                    self.current().definitions.push(entity);
                }
                self.note_errors(entity, before);
                self.close_if_complete();
            }
            None => {
                let entity = self.entity(name.ident, kind, arity, level);
                self.note_errors(entity, before);
                self.spec.let_entities.insert((self.tree, id), entity);
                self.define(entity, unit, unit.span);
            }
        }
    }

    /// Reports a definition of a name that the language defines. Probably the apparent parameter was meant (`Init' == …`), so
    /// uses of it are not reported as undefined.
    fn is_language(&mut self, name: Ident, params: &[OpDecl], span: Span) -> bool {
        let Some(known) = self.scope.get(name.name) else {
            return false;
        };
        if !matches!(self.spec.entity(known.entity).kind, EntityKind::BuiltIn(_)) {
            return false;
        }
        self.redefined(name.name, span, known.entity);
        let is_word = self.spec.names.text(name.name).starts_with(char::is_alphabetic);
        for param in params.iter().filter(|_| !is_word) {
            if self.scope.get(param.ident.name).is_none() {
                let entity = self.entity(param.ident, EntityKind::Unknown, 0, LevelOf::default());
                self.declare(entity, param.ident.span);
                self.reported.redefined.remove(&(self.module, name.name));
            }
        }
        true
    }

    pub(super) fn function(&mut self, id: UnitId, unit: &Unit, name: Ident, bounds: &[Bound], body: ExprId) {
        let before = self.reported.errors;
        let announced = self.take_announced(name, 0, unit.span);
        let arguments = bounds
            .iter()
            .map(|b| if b.tuple { 1 } else { b.names.len() as u32 })
            .sum();
        let entity = match announced {
            Some(entity) => entity,
            None => {
                let kind = EntityKind::Function {
                    params: Box::new([]),
                    unit: id,
                    body,
                    arguments,
                    recursive: true,
                };
                let entity = self.entity(name, kind, 0, LevelOf::default());
                self.spec.let_entities.insert((self.tree, id), entity);
                self.define(entity, unit, unit.span);
                entity
            }
        };
        let mark = self.scope.mark();
        let bound = std::mem::take(&mut self.bound);
        let labels = std::mem::take(&mut self.labels);
        let (params, sets) = self.bounds(bounds, unit.span);
        self.unfinished.push(entity);
        let level = self.expr(body);
        self.unfinished.pop();
        let level = self.join(level, sets);
        self.bound = bound;
        self.labels = labels;
        self.scope.release(mark);
        let recursive = self.mentions(body, entity);
        let known = &mut self.spec.entities[entity.0 as usize];
        known.kind = EntityKind::Function {
            params,
            unit: id,
            body,
            arguments,
            recursive,
        };
        known.level = level;
        self.note_errors(entity, before);
        if announced.is_some() {
            self.spec.let_entities.insert((self.tree, id), entity);
            if self.let_depth == 0 {
                self.current().definitions.push(entity);
            }
            self.close_if_complete();
        }
    }

    /// Whether an expression just resolved refers to an entity.
    fn mentions(&self, body: ExprId, entity: EntityId) -> bool {
        let wanted = Resolved::Entity(entity);
        let span = self.span(body);
        let resolved = &self.spec.resolved[self.tree.0 as usize];
        // Children come before parents in the arena, and a body's nodes lie inside its span.
        resolved[..=body.0 as usize]
            .iter()
            .zip(&self.tree().exprs)
            .rev()
            .take_while(|(_, expr)| expr.span.end > span.start)
            .any(|(resolved, expr)| *resolved == wanted && expr.span.start >= span.start)
    }
}
