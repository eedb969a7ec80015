//! Structural hashing, the same in every process.
//!
//! The hash of a set, tuple or function is a *sum* over its parts, finished by an avalanche. A sum does not depend on order,
//! and replacing one part changes it by a subtraction and an addition, so an evaluator can update `[f EXCEPT ![k] = v]`
//! without traversing `f`.

use crate::ValueKind;

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const LEFT: u64 = 0xd6e8_feb8_6659_fd93;
const RIGHT: u64 = 0xa076_1d64_78bd_642f;

/// Spreads every input bit over the word; a bijection, so distinct integers never collide.
#[inline]
pub(crate) fn avalanche(word: u64) -> u64 {
    let word = word ^ SEED;
    let word = (word ^ (word >> 32)).wrapping_mul(LEFT);
    let word = (word ^ (word >> 32)).wrapping_mul(LEFT);
    word ^ (word >> 32)
}

/// Mixes two words into one; not symmetric.
#[inline]
pub(crate) fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ LEFT) * u128::from(right.wrapping_add(SEED) ^ RIGHT);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The hash of a text, before its kind is mixed in.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = SEED ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        state = mix(state, word(chunk));
    }
    mix(state, word(chunks.remainder()))
}

/// Up to eight bytes as a number. The length is part of the hash, so padding cannot make two texts alike.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(padded)
}

/// The share of an element in the sum of a set, given its hash. The sum starts with the number of elements.
#[inline]
pub fn of_element(element: u64) -> u64 {
    avalanche(element)
}

/// The share of an entry in the sum of a function, given the hashes of its key and its value. For a tuple, the key is the index
/// itself, from 1. The sum starts with the number of entries.
#[inline]
pub fn of_entry(key: u64, value: u64) -> u64 {
    mix(key, value)
}

/// The hash of a collection of this kind whose parts have this sum.
#[inline]
pub fn of_sum(kind: ValueKind, sum: u64) -> u64 {
    avalanche(mix(sum, kind as u64 + 1))
}

/// The hash of an integer.
#[inline]
pub fn of_int(int: i64) -> u64 {
    avalanche(int as u64)
}

/// The hash of a Boolean.
#[inline]
pub fn of_bool(truth: bool) -> u64 {
    of_sum(ValueKind::Bool, u64::from(truth))
}

/// The share of a variable in the sum from which the fingerprint of a state is made, given the hash of its value and its position.
#[inline]
pub fn of_variable(position: usize, value: u64) -> u64 {
    let seed = SEED.wrapping_add((SEED | 1).wrapping_mul(position as u64));
    let product = u128::from(value ^ RIGHT) * u128::from(seed);
    (product as u64) ^ ((product >> 64) as u64)
}
