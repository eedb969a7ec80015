//! Structural hashing, the same in every process.
//!
//! The hash of a set, tuple or function is a *sum* over its parts, finished by an avalanche. A sum does not depend on order,
//! and replacing one part changes it by a subtraction and an addition, so an evaluator can update `[f EXCEPT ![k] = v]`
//! without traversing `f`.

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
