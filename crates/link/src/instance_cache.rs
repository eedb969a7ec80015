//! The instances that were met lately: equal operations are one instance, and what was found out about it is not lost.

use hashbrown::HashTable;

use crate::instance::Instance;

/// Two generations of instances. Once the younger one is full it becomes the older one, and whatever was not asked for since
/// the last time is forgotten. What the engine still uses it holds on to itself.
#[derive(Debug, Default)]
pub(crate) struct InstanceCache {
    young: HashTable<Instance>,
    old: HashTable<Instance>,
}

/// How many instances a generation has.
const GENERATION: usize = 1 << 13;

impl InstanceCache {
    /// The instance of this hash that is the one.
    pub(crate) fn find(&mut self, hash: u64, is_it: impl Fn(&Instance) -> bool) -> Option<Instance> {
        if let Some(known) = self.young.find(hash, &is_it) {
            return Some(known.clone());
        }
        let known = self.old.find(hash, &is_it)?.clone();
        self.add(known.clone());
        Some(known)
    }

    /// Remembers an instance.
    pub(crate) fn add(&mut self, instance: Instance) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young
            .insert_unique(instance.0.hash, instance, |known| known.0.hash);
    }
}
