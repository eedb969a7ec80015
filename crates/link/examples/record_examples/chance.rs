//! Choices, and pauses at the places where a race can happen.

/// A small generator of numbers, one for each thread.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    /// One of `1..=last`.
    pub(crate) fn pick(&mut self, last: i64) -> i64 {
        self.below(last.unsigned_abs()) as i64 + 1
    }
}

/// Lets others run: what is not done in one piece shows.
pub(crate) fn pause() {
    for _ in 0..3 {
        std::thread::yield_now();
    }
}
