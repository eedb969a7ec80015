//! Symmetry reduction: states that differ only by a permutation of model values count as one.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use omnilink_value::{ImageHashes, RenamedHashes, Renaming, RenamingError, Value};

use crate::fingerprint::Fingerprint;
use crate::transition_system::State;

/// A group of renamings, without the identity.
#[derive(Debug, Default)]
pub struct Symmetry {
    renamings: Arc<[Renaming]>,
    cache: CanonicalCache,
    /// Hashes that no worker is using now; each worker takes some while it needs them.
    idle_hashes: Mutex<Vec<RenamedHashes>>,
}

/// Why a SYMMETRY set is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymmetryError {
    /// The value is not a set.
    #[error("{0} is not a set of permutations; write Permutations(S), or a union of such")]
    NotASet(Value),
    /// A member is not a permutation of model values.
    #[error("{0}; write Permutations(S) for a set S of model values, or a union of such")]
    Member(#[from] RenamingError),
    /// The group is too large to try every renaming on each state.
    #[error(
        "the permutations generate more than {SIZE_MAX} renamings, each of which would be tried on each state; leave some out"
    )]
    TooLarge,
}

/// Slightly more than 8!: nine interchangeable values cost more than they save.
const SIZE_MAX: usize = 50_000;

impl Symmetry {
    /// The group that a set of permutations generates.
    ///
    /// # Errors
    /// When the value is not a set of permutations of model values, or the group is too large.
    pub fn generated_by(permutations: &Value) -> Result<Self, SymmetryError> {
        let members = permutations
            .as_set()
            .ok_or_else(|| SymmetryError::NotASet(permutations.clone()))?;
        let mut generators = members
            .iter()
            .map(Renaming::from_function)
            .collect::<Result<Vec<_>, _>>()?;
        generators.retain(|renaming| !renaming.is_identity());
        let mut group: BTreeSet<Renaming> = BTreeSet::new();
        let mut pending = generators.clone();
        while let Some(renaming) = pending.pop() {
            if renaming.is_identity() || !group.insert(renaming.clone()) {
                continue;
            }
            if group.len() > SIZE_MAX {
                return Err(SymmetryError::TooLarge);
            }
            pending.extend(generators.iter().map(|generator| renaming.then(generator)));
        }
        Ok(Self {
            renamings: group.into_iter().collect(),
            cache: CanonicalCache::new(),
            idle_hashes: Mutex::default(),
        })
    }

    /// Whether the group contains only the identity.
    pub fn is_trivial(&self) -> bool {
        self.renamings.is_empty()
    }

    /// Whether a renaming moves a model value in this value.
    pub fn moves(&self, value: &Value) -> bool {
        if value.as_model().is_some() {
            let mut renamings = self.renamings.iter();
            return renamings.any(|renaming| renaming.apply(value).is_some_and(|image| image != *value));
        }
        let mut parts = value.as_set().into_iter().chain(value.as_tuple()).flatten();
        let mut entries = value.as_entries().into_iter().flatten();
        parts.any(|part| self.moves(part)) || entries.any(|(key, part)| self.moves(key) || self.moves(part))
    }

    /// The state and its images under the renamings.
    pub fn images(&self, state: &[Value]) -> impl Iterator<Item = State> {
        let renamed = self.renamings.iter().map(|renaming| {
            let rename = |value: &Value| renaming.apply(value).unwrap_or_else(|| value.clone());
            state.iter().map(rename).collect()
        });
        std::iter::once(State::from(state)).chain(renamed)
    }

    /// The canonical fingerprint of a state: the least fingerprint of its images.
    pub fn fingerprint(&self, state: &[Value]) -> Fingerprint {
        let plain = Fingerprint::of_state(state);
        if let Some(canonical) = self.cache.get(plain) {
            return canonical;
        }
        let idle = || self.idle_hashes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let mut known = known.unwrap_or_else(|| RenamedHashes::new(self.renamings.clone()));
        let hashes: Vec<ImageHashes> = state.iter().map(|value| known.of(value)).collect();
        idle().push(known);
        let renamed = (0..self.renamings.len())
            .map(|number| Fingerprint::of_hashes(hashes.iter().map(|hashes| hashes.under(number))));
        let least = renamed.fold(plain, Fingerprint::min);
        self.cache.set(plain, least);
        least
    }
}

/// Direct-mapped cache of canonical fingerprints: most steps lead to a state that was generated before.
///
/// All workers share it without a lock. A slot holds the canonical fingerprint, and the XOR of plain and canonical fingerprint. A
/// slot with a torn write matches a lookup with probability 2^-64.
#[derive(Debug, Default)]
struct CanonicalCache {
    slots: Box<[(AtomicU64, AtomicU64)]>,
}

const CACHE_SLOTS: usize = 1 << 16;

impl CanonicalCache {
    fn new() -> Self {
        Self {
            slots: (0..CACHE_SLOTS).map(|_| Default::default()).collect(),
        }
    }

    fn slot(&self, plain: Fingerprint) -> Option<&(AtomicU64, AtomicU64)> {
        self.slots.get(plain.word() as usize % CACHE_SLOTS)
    }

    fn get(&self, plain: Fingerprint) -> Option<Fingerprint> {
        let (check, canonical) = self.slot(plain)?;
        let canonical = canonical.load(Ordering::Relaxed);
        let key = check.load(Ordering::Relaxed) ^ canonical;
        (key == plain.word()).then(|| Fingerprint::new(canonical))
    }

    fn set(&self, plain: Fingerprint, least: Fingerprint) {
        if let Some((check, canonical)) = self.slot(plain) {
            canonical.store(least.word(), Ordering::Relaxed);
            check.store(least.word() ^ plain.word(), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> Value {
        Value::model(name)
    }

    fn swap(left: &str, right: &str) -> Value {
        Value::function([(model(left), model(right)), (model(right), model(left))])
            .unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn two_swaps_generate_all_six_permutations_of_three() {
        let swaps = Value::set([swap("a", "b"), swap("b", "c")]);
        let symmetry = Symmetry::generated_by(&swaps);
        assert_eq!(symmetry.map(|symmetry| symmetry.renamings.len()), Ok(5));
    }

    #[test]
    fn renamed_states_have_one_fingerprint() {
        let swaps = Value::set([swap("a", "b"), swap("b", "c")]);
        let Ok(symmetry) = Symmetry::generated_by(&swaps) else {
            panic!("these are permutations")
        };
        let of = |owner: &str, queued: &[&str]| {
            let queued = Value::set(queued.iter().map(|name| model(name)));
            symmetry.fingerprint(&[model(owner), queued])
        };
        assert_eq!(of("a", &["b"]), of("c", &["a"]));
        assert_eq!(of("a", &["b", "c"]), of("b", &["a", "c"]));
        assert_ne!(of("a", &["b"]), of("a", &["a"]));
        assert_ne!(of("a", &["b"]), of("a", &["b", "c"]));
    }

    #[test]
    fn a_value_that_is_not_a_set_of_permutations_is_rejected() {
        assert!(matches!(
            Symmetry::generated_by(&3.into()),
            Err(SymmetryError::NotASet(_))
        ));
        assert!(matches!(
            Symmetry::generated_by(&Value::set([3.into()])),
            Err(SymmetryError::Member(_))
        ));
    }
}
