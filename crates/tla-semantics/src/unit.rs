//! Modules and definitions.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::Span;
use rustc_hash::FxHashMap;

use super::analyzer::Analyzer;
use super::entity::*;
use super::level::{Level, LevelOf};
use super::level_cause::Suspect;
use super::scope::Mark;
use super::spec::Module;

impl Analyzer<'_> {
    /// Resolves the units of a module of the current tree; what is in scope is around it.
    pub(super) fn module_units(&mut self, index: ModuleIndex) -> ModuleId {
        let syntax = self.tree().module(index);
        self.incomplete &= index != ModuleIndex(0);
        let id = ModuleId(self.spec.modules.len() as u32);
        self.module = id;
        self.spec.modules.push(Module {
            name: syntax.name.name,
            tree: self.tree,
            index,
            extends: Vec::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            definitions: Vec::new(),
            assumptions: Vec::new(),
            exports: Vec::new(),
            exported: FxHashMap::default(),
            scope: FxHashMap::default(),
            inner: FxHashMap::default(),
            is_constant: true,
            incomplete: false,
        });
        let outer_local = std::mem::take(&mut self.scope.local);
        let outer_modules = self.scope.modules.clone();
        let mark = self.scope.mark();
        let errors = self.reported.errors;
        for extended in &syntax.extends {
            if let Some(module) = self.module_named(*extended) {
                self.extend(module, extended.span);
            }
        }
        for unit in &syntax.units {
            self.module_unit(*unit);
        }
        self.close_section(0);
        if self.reported.errors > errors {
            self.reported.erroneous_modules.insert(id);
        }
        self.finish_module(id, mark);
        self.scope.release(mark);
        self.scope.local = outer_local;
        self.scope.modules = outer_modules;
        id
    }

    fn finish_module(&mut self, id: ModuleId, mark: Mark) {
        let mut exports = Vec::new();
        let mut is_constant = self.spec.module(id).variables.is_empty();
        for name in self.scope.since(mark) {
            let Some(binding) = self.scope.get(*name) else {
                continue;
            };
            let entity = self.spec.entity(binding.entity);
            is_constant &= entity.level.level == Level::Constant || entity.is_declaration();
            if !self.scope.local.contains(name) {
                exports.push((*name, binding));
            }
        }
        if !is_constant {
            for constant in self.spec.module(id).constants.clone() {
                self.spec.entities[constant.0 as usize].max_level = Level::Constant;
            }
        }
        let scope = self.scope.table();
        let module = &mut self.spec.modules[id.0 as usize];
        module.exported = exports.iter().copied().collect();
        module.exports = exports;
        module.scope = scope;
        module.is_constant = is_constant;
        module.incomplete = self.incomplete;
    }

    /// Takes over everything that an extended module gives.
    fn extend(&mut self, module: ModuleId, span: Span) {
        let given = self.spec.module(module);
        self.incomplete |= given.incomplete;
        let exports = given.exports.clone();
        let (constants, variables) = (given.constants.clone(), given.variables.clone());
        let assumptions = given.assumptions.clone();
        let inner: Vec<_> = given.inner.iter().map(|(name, id)| (*name, *id)).collect();
        for (name, binding) in exports {
            match self.scope.get(name) {
                None => self.scope.bind(name, binding),
                Some(known) if known == binding => {}
                Some(known) => self.clash(binding.entity, known.entity, span),
            }
        }
        self.scope.modules.extend(inner.iter().copied());
        let current = &mut self.spec.modules[self.module.0 as usize];
        current.extends.push(module);
        current.inner.extend(inner);
        for constant in constants {
            if !current.constants.contains(&constant) {
                current.constants.push(constant);
            }
        }
        for variable in variables {
            if !current.variables.contains(&variable) {
                current.variables.push(variable);
            }
        }
        for assumption in assumptions {
            if !current.assumptions.contains(&assumption) {
                current.assumptions.push(assumption);
            }
        }
    }

    /// Two imported things of one name: the first stays.
    pub(super) fn clash(&mut self, new: EntityId, known: EntityId, span: Span) {
        let (a, b) = (self.spec.entity(known), self.spec.entity(new));
        if a.module == b.module {
            return;
        }
        if self.is_contested(known) {
            self.reported.errors += 1;
            return;
        }
        let name = self.spec.names.text(a.name);
        let same_kind = a.is_declaration() == b.is_declaration();
        let (at, other) = ((a.source, a.span), (b.source, b.span));
        let source = self.source();
        let diagnostic = if same_kind {
            let message = format!("`{name}` comes from two modules; the first one counts");
            Diagnostic::warning(Class::Redefined, source, span, message)
        } else {
            let message = format!("`{name}` is declared by one module and defined by another");
            let number = self.diagnostics.len();
            self.reported.redefined.insert((self.module, a.name), number);
            self.reported.contested.insert(known);
            Diagnostic::error(Class::Redefined, source, span, message).help("rename one of the two")
        };
        let diagnostic =
            diagnostic
                .label(at.0, at.1, "one is here")
                .label(other.0, other.1, "the other is here");
        self.report(diagnostic);
    }

    fn module_unit(&mut self, id: UnitId) {
        let unit = self.tree().unit(id);
        self.unit = id;
        self.reported.before_unit = self.reported.errors;
        self.check_section(unit);
        match &unit.kind {
            UnitKind::Constants(decls) => {
                for decl in decls {
                    if self.declared_again(decl.ident, decl.arity, |kind| {
                        matches!(kind, EntityKind::Constant)
                    }) {
                        continue;
                    }
                    let entity = self.open_entity(decl.ident, EntityKind::Constant, decl.arity);
                    if self.declare(entity, decl.ident.span) {
                        self.current().constants.push(entity);
                    }
                }
            }
            UnitKind::Variables(idents) => {
                for ident in idents {
                    if self.declared_again(*ident, 0, |kind| matches!(kind, EntityKind::Variable)) {
                        continue;
                    }
                    let level = LevelOf::fixed(Level::State);
                    let entity = self.entity(*ident, EntityKind::Variable, 0, level);
                    self.spec.entities[entity.0 as usize].max_level = Level::State;
                    if self.declare(entity, ident.span) {
                        self.current().variables.push(entity);
                    }
                }
            }
            UnitKind::Assume { name, body, is_axiom } => {
                let level = self.body(*body, name.is_none().then_some("an assumption without a name"));
                if level.level > Level::Constant {
                    let message = format!(
                        "an assumption is constant, but this one is of {} level",
                        level.level.word()
                    );
                    let help = "a formula with variables belongs into Init, an invariant or a theorem";
                    let diagnostic = Diagnostic::error(Class::Level, self.source(), unit.span, message);
                    self.report_level(diagnostic.help(help), Some(*body), level.level, Suspect::All);
                }
                let tree = self.tree;
                if !is_axiom {
                    self.current().assumptions.push((tree, *body));
                }
                if let Some(name) = name {
                    let entity = self.entity(*name, EntityKind::Statement(Some(*body)), 0, level);
                    self.define_statement(entity, unit, *name);
                }
            }
            UnitKind::Theorem { name, statement, .. } => self.theorem(id, *name, statement),
            UnitKind::Module(index) => self.inner_module(*index),
            UnitKind::Instance(instance) => {
                if let Some(instance) = self.instance(instance, unit.span, Box::new([])) {
                    self.import(instance, unit.local, unit.span);
                }
            }
            UnitKind::Separator | UnitKind::UseOrHide => {}
            UnitKind::Recursive(_)
            | UnitKind::Operator { .. }
            | UnitKind::Function { .. }
            | UnitKind::NamedInstance { .. } => {
                self.definition(id);
            }
        }
    }

    /// Between RECURSIVE and the definitions it announces, only definitions may stand.
    fn check_section(&mut self, unit: &Unit) {
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
            self.add_place(known, unit.span, format!("nor can {what}"));
            return;
        }
        self.reported.between.insert(announced, self.diagnostics.len());
        let open = self.spec.entity(announced);
        let (name, place) = (self.text(open.name), (open.source, open.span));
        let message = format!("{what} cannot stand between RECURSIVE and the definition of `{name}`");
        let diagnostic = Diagnostic::error(Class::Semantic, self.source(), unit.span, message)
            .label(place.0, place.1, "announced here")
            .help("move it before the RECURSIVE");
        self.report(diagnostic);
    }

    /// Whether a name already stands for the same kind of thing: saying so twice changes nothing.
    fn declared_again(&mut self, ident: Ident, arity: u32, same: impl Fn(&EntityKind) -> bool) -> bool {
        let Some(binding) = self.scope.get(ident.name) else {
            return false;
        };
        let earlier = self.spec.entity(binding.entity);
        if !same(&earlier.kind) || earlier.arity != arity {
            return false;
        }
        let place = (earlier.source, earlier.span);
        let message = format!("`{}` is declared twice", self.text(ident.name));
        let diagnostic = Diagnostic::warning(Class::Redefined, self.source(), ident.span, message).label(
            place.0,
            place.1,
            "it is declared here already",
        );
        self.report(diagnostic);
        true
    }

    fn current(&mut self) -> &mut Module {
        &mut self.spec.modules[self.module.0 as usize]
    }

    fn inner_module(&mut self, index: ModuleIndex) {
        let syntax = self.tree().module(index);
        let name = syntax.name.name;
        if let Some(earlier) = self.scope.modules.get(&name) {
            let earlier = self.spec.module(*earlier);
            let tree = &self.trees[earlier.tree.0 as usize];
            let (source, span) = (tree.source, tree.module(earlier.index).name.span);
            let message = format!("there already is a module {} here", self.text(name));
            let diagnostic = Diagnostic::error(Class::Redefined, self.source(), syntax.span, message)
                .label(source, span, "it is here")
                .help("rename one of the two");
            self.report(diagnostic);
            return;
        }
        let module = self.isolated(self.tree, index);
        self.scope.modules.insert(name, module);
        self.current().inner.insert(name, module);
    }

    /// Brings a definition of the module or of a LET into scope.
    fn define(&mut self, entity: EntityId, unit: &Unit, span: Span) {
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

    /// Brings a named assumption or theorem into scope, unless one of that name is there.
    pub(super) fn define_statement(&mut self, entity: EntityId, unit: &Unit, name: Ident) {
        if !self.declared_again(name, 0, |kind| matches!(kind, EntityKind::Statement(_))) {
            self.define(entity, unit, unit.span);
        }
    }

    /// Resolves a definition, or an announcement of some.
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

    /// Brings the parameters of a definition into scope; none may have the definition's own name.
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

    fn parameters(&mut self, params: &[OpDecl]) -> Box<[EntityId]> {
        let mut entities = Vec::with_capacity(params.len());
        for param in params {
            let entity = self.open_entity(param.ident, EntityKind::Parameter, param.arity);
            self.declare(entity, param.ident.span);
            entities.push(entity);
        }
        entities.into()
    }

    /// The level of a body, in which labels start afresh.
    pub(super) fn definition_body(&mut self, body: ExprId) -> LevelOf {
        self.body(body, None)
    }

    fn body(&mut self, body: ExprId, no_labels: Option<&'static str>) -> LevelOf {
        let no_labels = std::mem::replace(&mut self.no_labels, no_labels);
        let bound = std::mem::take(&mut self.bound);
        let labels = std::mem::take(&mut self.labels);
        let level = self.expr(body);
        self.bound = bound;
        self.labels = labels;
        self.no_labels = no_labels;
        level
    }

    /// The announcement that a definition fulfils, if there is one at this depth.
    fn fulfil(&mut self, ident: Ident, arity: u32, span: Span) -> Option<EntityId> {
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
            self.reported.contested.insert(known);
        }
        self.announced.swap_remove(at);
        Some(known)
    }

    fn operator(&mut self, id: UnitId, unit: &Unit, name: &OpDecl, params: &[OpDecl], body: ExprId) {
        if self.is_language(name.ident, params, unit.span) {
            return;
        }
        let before = self.reported.errors;
        let announced = self.fulfil(name.ident, params.len() as u32, unit.span);
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
            self.note_weightless(name.ident.name, &params);
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

    /// Reports that a recursive operator primes a parameter, unless errors made it do so, or it only puts the parameter
    /// in for one of which that has been reported.
    fn check_recursive(&mut self, param: EntityId, span: Span, errors_before: usize) {
        let is_doubtful = self.section.iter().any(|entity| self.is_doubtful(*entity));
        let limiting = self.limited_by.get(&param).copied().unwrap_or(param);
        if self.reported.errors > errors_before
            || is_doubtful
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

    /// Reports a definition of what the language defines. Probably something else was to be defined, most likely what
    /// looks like a parameter now (`Init' == …`), so those names are not unknown and no other is missing.
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

    /// While its own body is resolved, a recursive operator has its parameters, and each may raise its level.
    fn open_recursion(&mut self, entity: EntityId, params: &[EntityId], body: ExprId) {
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

    fn function(&mut self, id: UnitId, unit: &Unit, name: Ident, bounds: &[Bound], body: ExprId) {
        let before = self.reported.errors;
        let announced = self.fulfil(name, 0, unit.span);
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

    fn close_if_complete(&mut self) {
        if self.announced.iter().all(|(_, depth)| *depth < self.let_depth) {
            self.level_section();
        }
    }

    /// Gives the operators of a recursive section one level: each may reach all others.
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

    /// Reports what was announced at this depth or deeper and never defined.
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
