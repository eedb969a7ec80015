//! A spec: all its modules, parsed and resolved.

use omnilink_tla_syntax::ast::{ExprId, ModuleIndex, Tree, UnitId};
use omnilink_tla_syntax::names::{Name, Names};
use omnilink_tla_syntax::source::{SourceId, Sources, Span};
use rustc_hash::FxHashMap;

use super::entity::*;
use super::level::{Level, LevelOf, ParamSets};
use super::resolution::Resolution;

/// A module with everything in it resolved.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// The tree it is in.
    pub tree: TreeId,
    /// Which module of the tree it is.
    pub index: ModuleIndex,
    /// The modules it extends directly.
    pub extends: Vec<ModuleId>,
    /// Its constants, those of extended modules first.
    pub constants: Vec<EntityId>,
    /// Its variables, those of extended modules first.
    pub variables: Vec<EntityId>,
    /// What it defines itself, in order.
    pub definitions: Vec<EntityId>,
    /// Its assumptions and those of extended modules: the tree and the formula.
    pub assumptions: Vec<(TreeId, ExprId)>,
    /// Its exports, in order.
    pub exports: Vec<(Name, Binding)>,
    /// The same, by name.
    pub exported: FxHashMap<Name, Binding>,
    /// Everything in scope at its end, LOCAL or not.
    pub scope: FxHashMap<Name, Binding>,
    /// Modules inside it that others can see.
    pub inner: FxHashMap<Name, ModuleId>,
    /// Whether it has neither variables nor definitions above the constant level.
    pub is_constant: bool,
    /// Whether a module that it uses is missing.
    pub incomplete: bool,
}

/// A substitution of an instance for a constant or variable.
#[derive(Clone, Debug)]
pub struct Substituted {
    /// The constant or variable.
    pub target: EntityId,
    /// What is substituted.
    pub value: SubstitutedBy,
    /// Its level.
    pub level: LevelOf,
}

/// The forms of substitutions.
#[derive(Clone, Copy, Debug)]
pub enum SubstitutedBy {
    /// By WITH: the tree and the expression.
    Expr(TreeId, ExprId),
    /// By the same name in the scope of the instance.
    SameName(Binding),
}

/// A resolved INSTANCE.
#[derive(Debug)]
pub struct InstanceInfo {
    /// The module that is instantiated.
    pub module: ModuleId,
    /// The instance's parameters.
    pub params: Box<[EntityId]>,
    /// The substitutions for all constants and variables of the module.
    pub substitutions: Vec<Substituted>,
    /// The text it is in.
    pub source: SourceId,
    /// Its span.
    pub span: Span,
}

/// All modules of a spec, read and resolved.
#[derive(Debug, Default)]
pub struct Spec {
    /// All texts.
    pub sources: Sources,
    /// All names.
    pub names: Names,
    /// All syntax trees.
    pub trees: Vec<Tree>,
    /// What every expression node refers to, by tree and expression.
    pub resolved: Vec<Vec<Resolved>>,
    /// The level of every expression, by tree and expression.
    pub levels: Vec<Vec<LevelOf>>,
    /// All references that are more than an entity.
    pub references: Vec<Reference>,
    /// The names that an expression binds, in order, by tree and expression: quantifiers, constructors, CHOOSE, LAMBDA
    /// and labels.
    pub binders: FxHashMap<(TreeId, ExprId), Box<[EntityId]>>,
    /// What each definition of a LET defines, by tree and unit.
    pub let_entities: FxHashMap<(TreeId, UnitId), EntityId>,
    /// Module-level instances without a name: in which module, and which.
    pub unnamed_instances: Vec<(ModuleId, InstanceId)>,
    /// Everything that names stand for.
    pub entities: Vec<Entity>,
    /// All modules.
    pub modules: Vec<Module>,
    /// All instances.
    pub instances: Vec<InstanceInfo>,
    /// The root module; `None` only while loading.
    pub root: Option<ModuleId>,
    /// Sets of parameters that levels refer to.
    pub params: ParamSets,
    pub(super) resolution: Resolution,
    pub(super) vias: Vec<Box<[InstanceId]>>,
    pub(super) via_numbers: FxHashMap<Box<[InstanceId]>, Via>,
}

impl Spec {
    /// An entity of this spec.
    pub fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.0 as usize]
    }

    /// A module of this spec.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }

    /// An instance of this spec.
    pub fn instance(&self, id: InstanceId) -> &InstanceInfo {
        &self.instances[id.0 as usize]
    }

    /// A tree of this spec.
    pub fn tree(&self, id: TreeId) -> &Tree {
        &self.trees[id.0 as usize]
    }

    /// The root module.
    pub fn root(&self) -> Option<&Module> {
        self.root.map(|id| self.module(id))
    }

    /// What an expression refers to.
    pub fn resolved(&self, tree: TreeId, expr: ExprId) -> Resolved {
        self.resolved
            .get(tree.0 as usize)
            .and_then(|r| r.get(expr.0 as usize))
            .copied()
            .unwrap_or_default()
    }

    /// The entity that an expression refers to, directly, through instances, or into its definition.
    pub fn entity_at(&self, tree: TreeId, expr: ExprId) -> Option<EntityId> {
        match self.resolved(tree, expr) {
            Resolved::Entity(entity) => Some(entity),
            Resolved::Reference(number) => Some(self.references.get(number as usize)?.entity),
            Resolved::Nothing => None,
        }
    }

    /// The level of an expression, with every parameter and bound name taken as constant.
    pub fn level(&self, tree: TreeId, expr: ExprId) -> Level {
        let levels = self.levels.get(tree.0 as usize);
        levels
            .and_then(|l| l.get(expr.0 as usize))
            .copied()
            .unwrap_or_default()
            .level
    }

    /// The instances of a [`Via`], outermost first.
    pub fn via(&self, via: Via) -> &[InstanceId] {
        self.vias.get(via.0 as usize).map_or(&[], |list| list)
    }

    /// The binding of a name of the root module, or of a path such as `Inst!Op`.
    pub fn find(&self, path: &str) -> Option<Binding> {
        let mut module = self.root()?;
        let mut parts = path.split('!');
        let first = self.names.find(parts.next()?)?;
        let mut binding = *module.scope.get(&first)?;
        for part in parts {
            let EntityKind::Instance(instance) = self.entity(binding.entity).kind else {
                return None;
            };
            module = self.module(self.instance(instance).module);
            binding = *module.exported.get(&self.names.find(part)?)?;
        }
        Some(binding)
    }

    pub(super) fn extend_via(&mut self, outer: Via, inner: Via) -> Via {
        if outer == Via::NONE {
            return inner;
        }
        let mut list = self.via(outer).to_vec();
        list.extend_from_slice(self.via(inner));
        self.via_of(list)
    }

    pub(super) fn via_of(&mut self, list: Vec<InstanceId>) -> Via {
        let list: Box<[InstanceId]> = list.into();
        if let Some(via) = self.via_numbers.get(&list) {
            return *via;
        }
        let via = Via(self.vias.len() as u32);
        self.vias.push(list.clone());
        self.via_numbers.insert(list, via);
        via
    }
}
