//! Names for parts of the state, as [`Footprint`](omnilink_engine::Footprint) wants them.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use omnilink_engine::Keys;
use omnilink_value::Value;
use rustc_hash::FxHasher;

/// The one part of a state that is not divided.
pub(crate) const WHOLE: u64 = 0;

/// Integers below this name themselves, so that neighbours get different bits of the engine's 64-bit key masks.
const SMALL_MAX: i64 = 1 << 32;

/// The name of the part of the state that belongs to `key`.
pub(crate) fn name_of(key: &Value) -> u64 {
    match key.as_int() {
        Some(small @ 0..SMALL_MAX) => small as u64,
        _ => key.hash64(),
    }
}

/// The part of the state that belongs to `key`.
pub(crate) fn key(key: &Value) -> Keys {
    Keys::one(name_of(key))
}

/// The whole of a state that is not divided.
pub(crate) fn whole() -> Keys {
    Keys::one(WHOLE)
}

/// Several parts of the state.
pub(crate) fn keys<'a>(keys: impl IntoIterator<Item = &'a Value>) -> Keys {
    Keys::Only(keys.into_iter().map(name_of).collect())
}

/// A hash of anything, the same in every process.
pub(crate) fn word_of<T: Hash>(value: &T) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(value)
}

/// Spreads every bit of `word` over all 64; a bijection.
pub(crate) fn spread(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
