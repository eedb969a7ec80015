//! Reproducible random numbers.

use fastrand::Rng;

/// The random word of this number in the stream of a seed. Neighbouring seeds have unrelated streams.
pub(crate) fn word(seed: u64, number: u64) -> u64 {
    let stream = Rng::with_seed(seed).u64(..);
    Rng::with_seed(stream.wrapping_add(number)).u64(..)
}
