//! The names in scope.
//!
//! TLA+ has no shadowing: a name in scope cannot be introduced again. So one table suffices, and leaving a scope removes the names
//! added since entering it.

use omnilink_tla_syntax::names::Name;
use rustc_hash::{FxHashMap, FxHashSet};

use super::entity::{Binding, ModuleId};

/// The names in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: FxHashMap<Name, Binding>,
    log: Vec<Name>,
    /// Modules that can be instantiated without a file.
    pub modules: FxHashMap<Name, ModuleId>,
    /// LOCAL names of the current module.
    pub local: FxHashSet<Name>,
}

/// A point to which a scope can be restored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Scope {
    pub fn get(&self, name: Name) -> Option<Binding> {
        self.names.get(&name).copied()
    }

    pub fn bind(&mut self, name: Name, binding: Binding) {
        if self.names.insert(name, binding).is_none() {
            self.log.push(name);
        }
    }

    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Leaves the scope entered at the mark.
    pub fn release(&mut self, mark: Mark) {
        for name in self.log.drain(mark.0..) {
            self.names.remove(&name);
        }
    }

    /// Names bound since the mark, in order.
    pub fn since(&self, mark: Mark) -> &[Name] {
        self.log.get(mark.0..).unwrap_or(&[])
    }

    pub fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.names.keys().copied()
    }

    pub fn table(&self) -> FxHashMap<Name, Binding> {
        self.names.clone()
    }
}
