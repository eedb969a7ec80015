//! The analyzer: the state of the traversal that resolves a spec.

use omnilink_tla_syntax::ast::{ExprId, Ident, ModuleIndex, Tree, UnitId};
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::source::{SourceId, Span};
use rustc_hash::FxHashSet;

use super::entity::*;
use super::level::{Level, LevelOf, ParamSet};
use super::reported::Reported;
use super::resolution::{Progress, Resolution};
use super::scope::Scope;
use super::spec::Spec;

pub(super) struct Analyzer<'t> {
    pub trees: &'t [Tree],
    pub spec: Spec,
    pub diagnostics: Vec<Diagnostic>,
    pub resolution: Resolution,
    /// The names of operator symbols, by operator.
    symbols: Vec<Name>,
    pub scope: Scope,
    /// The tree and the module being resolved.
    pub tree: TreeId,
    pub module: ModuleId,
    /// The level of `@`, for each enclosing EXCEPT.
    pub except: Vec<LevelOf>,
    /// The parameter whose argument is being checked.
    pub formal: Option<EntityId>,
    /// Names bound between the enclosing definition or label and the current expression.
    pub bound: Vec<EntityId>,
    /// Labels of the enclosing definition or label.
    pub labels: FxHashSet<Name>,
    /// A description of the enclosing construct, if it may not contain labels.
    pub no_labels: Option<&'static str>,
    /// Operators that RECURSIVE announced and that are not defined yet, with the LET depth of the announcement.
    pub announced: Vec<(EntityId, u32)>,
    /// Recursive operators of the open section, which get one common level.
    pub section: Vec<EntityId>,
    pub let_depth: u32,
    /// Outer operators of the current expression; see [`Analyzer::expr`].
    pub spine: Vec<ExprId>,
    /// Recursive definitions whose bodies are being resolved.
    pub unfinished: Vec<EntityId>,
    /// What has been reported already.
    pub reported: Reported,
    /// The unit of a module that is being resolved.
    pub unit: UnitId,
    /// Whether a module that the current one uses is missing, so that unknown names may be correct.
    pub incomplete: bool,
}

impl<'t> Analyzer<'t> {
    /// An analyzer of the trees of a spec, of which some may be resolved already.
    pub fn new(trees: &'t [Tree], mut spec: Spec, diagnostics: Vec<Diagnostic>) -> Self {
        for tree in &trees[spec.resolved.len()..] {
            spec.resolved.push(vec![Resolved::Nothing; tree.exprs.len()]);
            spec.levels.push(vec![LevelOf::default(); tree.exprs.len()]);
        }
        let resolution = std::mem::take(&mut spec.resolution);
        spec.via_of(Vec::new());
        let symbols = Op::ALL.iter().map(|op| spec.names.intern(op.text())).collect();
        let mut analyzer = Self {
            trees,
            spec,
            diagnostics,
            resolution,
            symbols,
            scope: Scope::default(),
            tree: TreeId(0),
            module: ModuleId(0),
            except: Vec::new(),
            formal: None,
            bound: Vec::new(),
            labels: FxHashSet::default(),
            no_labels: None,
            announced: Vec::new(),
            section: Vec::new(),
            let_depth: 0,
            spine: Vec::new(),
            unfinished: Vec::new(),
            reported: Reported::default(),
            unit: UnitId(0),
            incomplete: false,
        };
        if analyzer.resolution.built_in_scope.is_none() {
            analyzer.declare_built_in();
        }
        analyzer
    }

    fn declare_built_in(&mut self) {
        let operators = Op::ALL.iter().filter(|op| op.is_built_in());
        let words = [
            ("TRUE", BuiltIn::True),
            ("FALSE", BuiltIn::False),
            ("BOOLEAN", BuiltIn::Boolean),
            ("STRING", BuiltIn::String),
        ];
        let all = operators
            .map(|op| (op.text(), BuiltIn::Operator(*op), op.arity() as u32))
            .chain(words.map(|(text, built_in)| (text, built_in, 0)));
        for (text, built_in, arity) in all {
            let ident = Ident {
                name: self.spec.names.intern(text),
                span: Span::default(),
            };
            let entity = self.entity(ident, EntityKind::BuiltIn(built_in), arity, LevelOf::default());
            self.scope.bind(
                ident.name,
                Binding {
                    entity,
                    via: Via::NONE,
                },
            );
        }
        self.resolution.built_in_scope = Some(self.scope.clone());
    }

    pub fn finish(mut self) -> (Spec, Vec<Diagnostic>) {
        self.merge_diagnostics();
        self.spec.resolution = self.resolution;
        (self.spec, self.diagnostics)
    }

    // Modules.

    /// Resolves the module of a file.
    pub fn file(&mut self, tree: TreeId) -> Option<ModuleId> {
        let root = self.trees[tree.0 as usize].root?;
        self.resolution.progress.insert(tree, Progress::Started);
        let built_in = self.resolution.built_in_scope.clone().unwrap_or_default();
        let scope = std::mem::replace(&mut self.scope, built_in);
        let module = self.isolated(tree, root);
        self.scope = scope;
        self.resolution.progress.insert(tree, Progress::Done(module));
        Some(module)
    }

    /// Resolves a module inside the current scope and restores the state of the traversal.
    pub fn isolated(&mut self, tree: TreeId, index: ModuleIndex) -> ModuleId {
        let around = (self.tree, self.module, self.let_depth, self.incomplete, self.unit);
        let before_unit = self.reported.before_unit;
        let except = std::mem::take(&mut self.except);
        let bound = std::mem::take(&mut self.bound);
        let labels = std::mem::take(&mut self.labels);
        let announced = std::mem::take(&mut self.announced);
        let section = std::mem::take(&mut self.section);
        let spine = std::mem::take(&mut self.spine);
        self.tree = tree;
        self.let_depth = 0;
        let module = self.module_units(index);
        (self.tree, self.module, self.let_depth, self.incomplete, self.unit) = around;
        self.reported.before_unit = before_unit;
        self.except = except;
        self.bound = bound;
        self.labels = labels;
        self.announced = announced;
        self.section = section;
        self.spine = spine;
        module
    }

    /// The module with a name: one inside this or an extended module, or a file.
    pub fn module_named(&mut self, ident: Ident) -> Option<ModuleId> {
        if let Some(module) = self.scope.modules.get(&ident.name) {
            return Some(*module);
        }
        if let Some(tree) = self.resolution.files.get(self.tree, ident.name) {
            match self.resolution.progress.get(&tree) {
                Some(Progress::Done(module)) => return Some(*module),
                None => return self.file(tree),
                Some(Progress::Started) => {
                    let name = self.text(ident.name);
                    let message = format!("module {name} uses itself, directly or through others");
                    self.error(
                        Class::Module,
                        ident.span,
                        message,
                        "remove one of the EXTENDS or INSTANCEs",
                    );
                    self.incomplete = true;
                    return None;
                }
            }
        }
        self.incomplete = true;
        self.no_module(ident);
        None
    }

    // The current text.

    pub fn tree(&self) -> &'t Tree {
        &self.trees[self.tree.0 as usize]
    }

    pub fn source(&self) -> SourceId {
        self.tree().source
    }

    /// Whether the current text is a built-in module.
    pub fn is_built_in(&self) -> bool {
        self.resolution.files.is_library.get(self.tree.0 as usize) == Some(&true)
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.tree().expr(id).span
    }

    pub fn text(&self, name: Name) -> String {
        self.spec.names.text(name).to_owned()
    }

    pub fn symbol(&self, op: Op) -> Name {
        self.symbols[op as usize]
    }

    pub fn resolve(&mut self, id: ExprId, resolved: Resolved) {
        self.spec.resolved[self.tree.0 as usize][id.0 as usize] = resolved;
    }

    // Entities.

    pub fn entity(&mut self, ident: Ident, kind: EntityKind, arity: u32, level: LevelOf) -> EntityId {
        self.spec.entities.push(Entity {
            name: ident.name,
            kind,
            arity,
            source: self.source(),
            tree: self.tree,
            span: ident.span,
            module: self.module,
            local: false,
            level,
            max_level: Level::Temporal,
            leibniz: true,
        });
        EntityId(self.spec.entities.len() as u32 - 1)
    }

    /// An entity that takes the level of what is substituted for it.
    pub fn open_entity(&mut self, ident: Ident, kind: EntityKind, arity: u32) -> EntityId {
        let id = self.entity(ident, kind, arity, LevelOf::default());
        let params = self.spec.params.of(vec![id]);
        self.spec.entities[id.0 as usize].level = LevelOf {
            level: Level::Constant,
            params,
        };
        id
    }

    /// Brings an entity into scope, unless its name is taken, which is reported at `span`.
    pub fn declare(&mut self, entity: EntityId, span: Span) -> bool {
        let name = self.spec.entity(entity).name;
        if let Some(taken) = self.scope.get(name) {
            self.redefined(name, span, taken.entity);
            return false;
        }
        self.scope.bind(
            name,
            Binding {
                entity,
                via: Via::NONE,
            },
        );
        true
    }

    // Levels.

    pub fn join(&mut self, a: LevelOf, b: LevelOf) -> LevelOf {
        self.spec.params.join(a, b)
    }

    /// Limits the level of what may be substituted for the parameters of an expression.
    pub fn constrain(&mut self, params: ParamSet, max: Level) {
        let is_known = self
            .resolution
            .limited
            .get(&params)
            .is_some_and(|known| *known <= max);
        if max < Level::Temporal && params != ParamSet::EMPTY && !is_known {
            let (entities, limited) = (&mut self.spec.entities, &mut self.resolution.limited);
            let (formal, limited_by) = (self.formal, &mut self.resolution.limited_by);
            self.spec.params.walk(
                params,
                |set| {
                    let known = limited.entry(set).or_insert(Level::Temporal);
                    let is_new = max < *known;
                    *known = max.min(*known);
                    is_new
                },
                |param| {
                    let entity = &mut entities[param.0 as usize];
                    if let Some(formal) = formal.filter(|formal| entity.max_level > max && *formal != param) {
                        limited_by.insert(param, formal);
                    }
                    entity.max_level = entity.max_level.min(max);
                },
            );
        }
    }

    /// Records that an expression is not Leibniz in some parameters.
    pub fn break_leibniz(&mut self, params: ParamSet) {
        if params == ParamSet::EMPTY || self.resolution.unequal.contains(&params) {
            return;
        }
        let (entities, unequal) = (&mut self.spec.entities, &mut self.resolution.unequal);
        self.spec.params.walk(
            params,
            |set| unequal.insert(set),
            |param| entities[param.0 as usize].leibniz = false,
        );
    }
}
