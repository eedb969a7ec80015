//! A cache of instances: equal operations share one instance, and with it what was computed for it.

use hashbrown::HashTable;

use crate::instance::Instance;

/// Two generations of instances. When the young one is full it replaces the old one, so instances that were not used since the
/// last time are dropped. The engine keeps its own references to those it still uses.
#[derive(Debug, Default)]
pub(crate) struct InstanceCache {
    young: HashTable<Instance>,
    old: HashTable<Instance>,
}

/// The size of a generation.
const GENERATION: usize = 1 << 13;

impl InstanceCache {
    /// The instance with this hash for which `is_it` holds.
    pub(crate) fn find(&mut self, hash: u64, is_it: impl Fn(&Instance) -> bool) -> Option<Instance> {
        if let Some(known) = self.young.find(hash, &is_it) {
            return Some(known.clone());
        }
        let known = self.old.find(hash, &is_it)?.clone();
        self.add(known.clone());
        Some(known)
    }

    /// Adds an instance.
    pub(crate) fn add(&mut self, instance: Instance) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young
            .insert_unique(instance.0.hash, instance, |known| known.0.hash);
    }
}
