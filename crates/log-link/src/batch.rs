//! Parts of the successors of a state.

/// A part of the successors of a state, in the order in which they are enumerated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// The number of successors that are left out, because they are known already.
    pub skipped: usize,
    /// The largest number of successors that is wanted.
    pub most: usize,
}

impl Batch {
    /// All successors.
    pub const ALL: Self = Self {
        skipped: 0,
        most: usize::MAX,
    };

    /// The batch that an entry is expanded with for the n-th time: 64, then eight times as many each time. A line that leaves thousands of
    /// choices is not enumerated to its end before the first of them is followed.
    pub fn numbered(number: u8) -> Self {
        let end = |number: u32| 64usize.saturating_mul(8usize.saturating_pow(number));
        match u32::from(number) {
            0 => Self {
                skipped: 0,
                most: end(0),
            },
            number => Self {
                skipped: end(number - 1),
                most: end(number) - end(number - 1),
            },
        }
    }
}
