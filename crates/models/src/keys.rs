//! The keys of footprints, and hashes.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use omnilink_engine::Keys;
use omnilink_value::Value;
use rustc_hash::FxHasher;

/// The only key of a state that is not divided.
pub(crate) const WHOLE: u64 = 0;

/// Integers below this are their own keys, so that neighbours get different bits of the engine's 64-bit key masks.
const SMALL_MAX: i64 = 1 << 32;

/// The footprint key of `key`.
pub(crate) fn name_of(key: &Value) -> u64 {
    match key.as_int() {
        Some(small @ 0..SMALL_MAX) => small as u64,
        _ => key.hash64(),
    }
}

/// The set of this one key.
pub(crate) fn key(key: &Value) -> Keys {
    Keys::one(name_of(key))
}

/// The key set of a state that is not divided.
pub(crate) fn whole() -> Keys {
    Keys::one(WHOLE)
}

/// The set of these keys.
pub(crate) fn keys<'a>(keys: impl IntoIterator<Item = &'a Value>) -> Keys {
    Keys::Only(keys.into_iter().map(name_of).collect())
}

/// A hash that is the same in every process.
pub(crate) fn hash_of<T: Hash>(value: &T) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(value)
}

/// Mixes every bit of `word` into all 64 bits; a bijection.
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
