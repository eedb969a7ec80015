//! Modules: EXTENDS, declarations, assumptions and the units of a module.

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
    /// Resolves the units of a module of the current tree, inside the current scope.
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

    /// Adds everything that an extended module exports.
    pub(super) fn extend(&mut self, module: ModuleId, span: Span) {
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

    /// Reports two imported entities with one name. The first one stays in scope.
    pub(super) fn clash(&mut self, new: EntityId, known: EntityId, span: Span) {
        let (a, b) = (self.spec.entity(known), self.spec.entity(new));
        if a.module == b.module {
            return;
        }
        if self.is_conflicting(known) {
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
            self.reported.conflicting.insert(known);
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
                    let help = "a formula with variables belongs in Init, an invariant or a theorem";
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

    /// Whether a name is already declared in the same way, which is only a warning.
    pub(super) fn declared_again(
        &mut self,
        ident: Ident,
        arity: u32,
        same: impl Fn(&EntityKind) -> bool,
    ) -> bool {
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

    pub(super) fn current(&mut self) -> &mut Module {
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
}
