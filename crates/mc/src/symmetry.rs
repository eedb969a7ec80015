//! Symmetry: states that differ only in which model value is which are one.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use omnilink_value::{Renaming, RenamingError, Value};

use crate::fingerprint::Fingerprint;
use crate::machine::State;

/// A group of renamings, without the one that renames nothing.
#[derive(Debug, Default)]
pub struct Symmetry {
    renamings: Vec<Renaming>,
    known: Known,
}

/// Why there is no group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymmetryError {
    /// The definition is no set.
    #[error("{0} is not a set of permutations; write Permutations(S), or a union of such")]
    NotASet(Value),
    /// A member is no renaming.
    #[error("{0}; write Permutations(S) for a set S of model values, or a union of such")]
    Member(#[from] RenamingError),
    /// More renamings than are worth trying on each state.
    #[error(
        "the permutations generate more than {SIZE_MAX} renamings, each of which would be tried on each state; leave some out"
    )]
    TooLarge,
}

/// 8! and a bit; nine interchangeable values cost more than they save.
const SIZE_MAX: usize = 50_000;

impl Symmetry {
    /// The group that a set of permutations generates.
    ///
    /// # Errors
    /// When the value is no set of permutations of model values, or the group is too large.
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
        let mut fresh = generators.clone();
        while let Some(renaming) = fresh.pop() {
            if renaming.is_identity() || !group.insert(renaming.clone()) {
                continue;
            }
            if group.len() > SIZE_MAX {
                return Err(SymmetryError::TooLarge);
            }
            fresh.extend(generators.iter().map(|generator| renaming.then(generator)));
        }
        Ok(Self {
            renamings: group.into_iter().collect(),
            known: Known::new(),
        })
    }

    /// Whether nothing is interchangeable.
    pub fn is_trivial(&self) -> bool {
        self.renamings.is_empty()
    }

    /// The state itself, and the state under each other name.
    pub fn images(&self, state: &[Value]) -> impl Iterator<Item = State> {
        let renamed = self.renamings.iter().map(|renaming| {
            let rename = |value: &Value| renaming.apply(value).unwrap_or_else(|| value.clone());
            state.iter().map(rename).collect()
        });
        std::iter::once(State::from(state)).chain(renamed)
    }

    /// The fingerprint of all states that are this one under another name: the least of their fingerprints.
    pub fn fingerprint(&self, state: &[Value]) -> Fingerprint {
        let plain = Fingerprint::of_state(state);
        if let Some(known) = self.known.get(plain) {
            return known;
        }
        let renamed = self.renamings.iter().map(|renaming| {
            let hashes = state.iter().map(|value| renaming.hash64(value));
            Fingerprint::of_hashes(hashes)
        });
        let least = renamed.fold(plain, Fingerprint::min);
        self.known.set(plain, least);
        least
    }
}

/// The least fingerprints of states met lately: most steps lead to a state that was met before.
///
/// Shared by all workers without a lock. A slot holds the answer, and question and answer combined; a slot in which two
/// writers met combines to no question that is asked, but for one chance in 2^64.
#[derive(Debug, Default)]
struct Known {
    slots: Box<[(AtomicU64, AtomicU64)]>,
}

const KNOWN_SLOTS: usize = 1 << 16;

impl Known {
    fn new() -> Self {
        Self {
            slots: (0..KNOWN_SLOTS).map(|_| Default::default()).collect(),
        }
    }

    fn slot(&self, plain: Fingerprint) -> Option<&(AtomicU64, AtomicU64)> {
        self.slots.get(plain.word() as usize % KNOWN_SLOTS)
    }

    fn get(&self, plain: Fingerprint) -> Option<Fingerprint> {
        let (combined, answer) = self.slot(plain)?;
        let answer = answer.load(Ordering::Relaxed);
        let question = combined.load(Ordering::Relaxed) ^ answer;
        (question == plain.word()).then(|| Fingerprint::new(answer))
    }

    fn set(&self, plain: Fingerprint, least: Fingerprint) {
        if let Some((combined, answer)) = self.slot(plain) {
            answer.store(least.word(), Ordering::Relaxed);
            combined.store(least.word() ^ plain.word(), Ordering::Relaxed);
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
        let of = |owner: &str, waiting: &[&str]| {
            let waiting = Value::set(waiting.iter().map(|name| model(name)));
            symmetry.fingerprint(&[model(owner), waiting])
        };
        assert_eq!(of("a", &["b"]), of("c", &["a"]));
        assert_eq!(of("a", &["b", "c"]), of("b", &["a", "c"]));
        assert_ne!(of("a", &["b"]), of("a", &["a"]));
        assert_ne!(of("a", &["b"]), of("a", &["b", "c"]));
    }

    #[test]
    fn what_is_no_set_of_permutations_is_refused() {
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
