//! Reproducible random numbers (SplitMix64).

/// The random word of this number in the stream of a seed.
pub(crate) fn word(seed: u64, number: u64) -> u64 {
    let state = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let word = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A stream of random words.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    /// A number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.drawn += 1;
        ((u128::from(word(self.seed, self.drawn)) * u128::from(bound)) >> 64) as u64
    }
}
