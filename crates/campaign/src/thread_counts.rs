//! From how many threads the number for each run is drawn.

use std::str::FromStr;

use thiserror::Error;

/// From how many threads a run's number of threads is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadCounts {
    low: u32,
    high: u32,
}

/// Why a text is no number of threads.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is no number of threads; write 4, or 2..8 for another number in each run")]
pub struct ThreadCountsError(String);

impl ThreadCounts {
    /// The number for the run with this seed.
    pub(crate) fn of(self, seed: u64) -> u64 {
        let span = u64::from(self.high - self.low) + 1;
        // Other bits than those that decide about the chaos.
        u64::from(self.low) + (seed >> 16) % span
    }
}

impl FromStr for ThreadCounts {
    type Err = ThreadCountsError;

    fn from_str(text: &str) -> Result<Self, ThreadCountsError> {
        let (low, high) = text.split_once("..").unwrap_or((text, text));
        match (low.trim().parse(), high.trim().parse()) {
            (Ok(low), Ok(high)) if 1 <= low && low <= high => Ok(Self { low, high }),
            _ => Err(ThreadCountsError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::PlannedRun;

    #[test]
    fn thread_counts_are_numbers_or_ranges() {
        let counts: ThreadCounts = "2..4".parse().unwrap();
        let drawn: BTreeSet<u64> = (0..200)
            .map(|number| counts.of(PlannedRun::new(7, number).seed))
            .collect();
        assert_eq!(drawn, BTreeSet::from([2, 3, 4]));
        assert_eq!("5".parse::<ThreadCounts>().unwrap().of(99), 5);
        for bad in ["", "0", "3..2", "..", "1..", "a", "-1", "1..2..3"] {
            assert!(bad.parse::<ThreadCounts>().is_err(), "{bad}");
        }
    }
}
