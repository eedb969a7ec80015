//! What is known of resolved modules besides the spec: modules that are added later need it.

use omnilink_tla_syntax::ast::UnitId;
use omnilink_tla_syntax::names::Name;
use rustc_hash::{FxHashMap, FxHashSet};

use super::entity::{EntityId, ModuleId, TreeId};
use super::level::{Level, LevelOf, ParamSet};
use super::scope::Scope;

/// What is known of resolved modules.
#[derive(Debug, Default)]
pub(super) struct Resolution {
    pub files: Files,
    pub progress: FxHashMap<TreeId, Progress>,
    /// The names that need no module, once they are declared.
    pub built_in_scope: Option<Scope>,
    /// How operator parameters are applied.
    pub uses: FxHashMap<EntityId, Vec<ParamUse>>,
    /// The lowest level to which sets of parameters were limited.
    pub limited: FxHashMap<ParamSet, Level>,
    /// For parameters whose limit comes from another definition: the parameter there that imposes it.
    pub limited_by: FxHashMap<EntityId, EntityId>,
    /// Sets of parameters that are not Leibniz: equal arguments may give different results.
    pub unequal: FxHashSet<ParamSet>,
    /// The units of named theorems that are ASSUME/PROVEs.
    pub assume_proves: FxHashMap<EntityId, UnitId>,
    /// Level-exempt parameters of operators of built-in modules.
    pub level_exempt: FxHashSet<EntityId>,
}

/// Whether a file's module is being resolved or finished.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress {
    Started,
    Done(ModuleId),
}

/// An operator parameter applied in the body of its definition: which argument, of which level.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParamUse {
    pub argument: u32,
    pub level: LevelOf,
}

/// The file of each module name. Built-in modules use each other, even if modules of the same name are next to the spec.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// For modules of the user.
    pub user: FxHashMap<Name, TreeId>,
    /// For built-in modules.
    pub library: FxHashMap<Name, TreeId>,
    /// Which trees are built-in modules.
    pub is_library: Vec<bool>,
}

impl Files {
    /// The file that a name means in a tree.
    pub fn get(&self, from: TreeId, name: Name) -> Option<TreeId> {
        let library = self.is_library.get(from.0 as usize).copied().unwrap_or(false);
        if library {
            self.library.get(&name).copied()
        } else {
            self.user.get(&name).copied()
        }
    }
}
