//! 64-bit fingerprints of states.
//!
//! States with equal fingerprints count as one, so part of the state space may be missed. With `n` distinct states the
//! probability is about `n² / 2^65`: one in two million for four million states. TLC makes the same trade-off.

use omnilink_value::Value;
use omnilink_value::hash::of_variable;

/// A 64-bit hash of a state. The upper half, the [`Tag`], is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u64);

/// The upper half of a fingerprint: enough to find the candidates for a parent, see [`FingerprintSet`](crate::FingerprintSet).
/// Zero means no state.
pub type Tag = u32;

const LEFT: u64 = 0xa076_1d64_78bd_642f;
const RIGHT: u64 = 0xe703_7ed1_a0b4_28db;

impl Fingerprint {
    /// The fingerprint for a word that is already well mixed.
    pub fn new(word: u64) -> Self {
        // Tag 0 marks initial states and empty slots, so words with tag 0 get tag 1.
        Self(if word >> 32 == 0 { word | 1 << 32 } else { word })
    }

    /// The fingerprint of a state: a sum over the variables, independent of how the values are stored.
    #[inline]
    pub fn of_state(state: &[Value]) -> Self {
        Self::of_hashes(state.iter().map(Value::hash64))
    }

    /// The fingerprint of a state, from the hashes of its variables' values.
    #[inline]
    pub fn of_hashes(hashes: impl Iterator<Item = u64>) -> Self {
        let terms = hashes
            .enumerate()
            .map(|(position, value)| of_variable(position, value));
        Self::of_sum(terms.fold(0, u64::wrapping_add))
    }

    /// The fingerprint of a state, from the sum over its variables.
    #[inline]
    pub fn of_sum(sum: u64) -> Self {
        Self::new(mix(sum ^ LEFT, RIGHT))
    }

    /// The fingerprint of one value, such as the value of a VIEW.
    pub fn of_value(value: &Value) -> Self {
        Self::of_state(std::slice::from_ref(value))
    }

    /// All bits.
    pub fn word(self) -> u64 {
        self.0
    }

    /// The half that is stored beside each successor.
    pub fn tag(self) -> Tag {
        (self.0 >> 32) as Tag
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[inline]
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn small_states_have_distinct_fingerprints() {
        let mut seen = HashSet::new();
        for a in -300..300 {
            for b in 0..300 {
                assert!(seen.insert(Fingerprint::of_state(&[a.into(), b.into()])));
            }
        }
        let tags: HashSet<Tag> = seen.iter().map(|fingerprint| fingerprint.tag()).collect();
        // About four of 180,000 random words share their upper half with another.
        assert!(tags.len() > seen.len() - 40, "{}", seen.len() - tags.len());
    }

    #[test]
    fn no_tag_is_zero() {
        assert_eq!(Fingerprint::new(7).tag(), 1);
        assert_ne!(Fingerprint::new(0).word(), 0);
    }
}
