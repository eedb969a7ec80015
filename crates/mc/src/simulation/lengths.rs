//! How long simulated behaviours are.

/// Lengths of behaviours, in states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Number of behaviours.
    pub count: u64,
    /// Sum of the lengths.
    pub sum: u64,
    /// Sum of the squares of the lengths.
    pub squares: u128,
    /// The shortest.
    pub min: u32,
    /// The longest.
    pub max: u32,
}

impl Lengths {
    pub(super) fn add(&mut self, length: u32) {
        self.min = if self.count == 0 {
            length
        } else {
            self.min.min(length)
        };
        self.max = self.max.max(length);
        self.count += 1;
        self.sum += u64::from(length);
        self.squares += u128::from(length) * u128::from(length);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.min = if self.count == 0 {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean; 0 if there is none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// The standard deviation.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        (self.squares as f64 / self.count.max(1) as f64 - mean * mean)
            .max(0.0)
            .sqrt()
    }
}
