//! Which matrices a campaign checks, and in which order.
//!
//! Matrices are checked in parts: given ones, then those of two threads, of three, and random ones of each shape. All matrices of a part are checked
//! with at most one preemption before any is checked with two: most bugs need one, and a search that is stopped has then covered all
//! matrices evenly.

use std::fmt;

use crate::alphabet::Alphabet;
use crate::matrix::Matrix;
use crate::options::RunSelection;
use crate::sample::{GrowingMatrices, RandomMatrices};

/// Which matrices to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matrices {
    /// These.
    Given(Vec<Matrix>),
    /// Random ones of one shape, decided by the seed.
    Random {
        /// Threads.
        threads: usize,
        /// Entries of each thread.
        cells: usize,
        /// How many.
        samples: u64,
    },
    /// First these, then those.
    Then(Box<Matrices>, Box<Matrices>),
    /// All, small ones first, up to this number of threads with as many entries each.
    Growing {
        /// The largest.
        largest: usize,
    },
}

impl Default for Matrices {
    fn default() -> Self {
        Self::Random {
            threads: 3,
            cells: 3,
            samples: 100,
        }
    }
}

impl Matrices {
    /// All of two threads with up to two calls each, then as many random ones of 3 × 2, then of 3 × 3. A matrix of 3 × 2 has at most 90 serial
    /// runs, one of 3 × 3 has 1,680: what three threads can go wrong with is mostly found in the smaller ones.
    pub fn small_then_random(samples: u64) -> Self {
        let random = |cells| Self::Random {
            threads: 3,
            cells,
            samples,
        };
        Self::Growing { largest: 2 }.then(random(2)).then(random(3))
    }

    /// First these, then those.
    pub fn then(self, others: Self) -> Self {
        Self::Then(Box::new(self), Box::new(others))
    }

    /// The most checks that these take: one for each matrix and bound.
    pub fn checks_at_most(&self, alphabet: &Alphabet, search: RunSelection) -> u64 {
        let checks = |part: &Part<'_>| {
            part.at_most(alphabet)
                .saturating_mul(part.passes(alphabet, search).len() as u64)
        };
        self.parts().iter().map(checks).fold(0, u64::saturating_add)
    }

    /// The parts, in the order in which they are checked.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        match self {
            Self::Given(matrices) => vec![Part::Given(matrices)],
            Self::Random {
                threads,
                cells,
                samples,
            } => vec![Part::Random {
                threads: *threads,
                cells: *cells,
                samples: *samples,
                skipped: 0,
            }],
            Self::Growing { largest } => (2..=*largest).map(Part::OfThreads).collect(),
            Self::Then(first, second) => [first.parts(), second.parts()].concat(),
        }
    }
}

impl fmt::Display for Matrices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(matrices) if matrices.len() == 1 => f.write_str("1 given matrix"),
            Self::Given(matrices) => write!(f, "{} given matrices", matrices.len()),
            Self::Random {
                threads,
                cells,
                samples,
            } => write!(f, "up to {samples} random matrices of {threads} x {cells}"),
            Self::Growing { largest } => write!(f, "all matrices up to {largest} x {largest}"),
            Self::Then(first, second) if matches!(&**first, Self::Given(none) if none.is_empty()) => {
                second.fmt(f)
            }
            Self::Then(first, second) => write!(f, "{first}, {second}"),
        }
    }
}

/// Matrices that are checked with one bound before any of them is checked with the next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    /// These.
    Given(&'a [Matrix]),
    /// All with this number of threads, and at most as many entries each.
    OfThreads(usize),
    /// Random ones of one shape.
    Random {
        threads: usize,
        cells: usize,
        samples: u64,
        /// How many of them came before these.
        skipped: u64,
    },
}

impl<'a> Part<'a> {
    /// The matrices, in the same order every time.
    pub(crate) fn all(self, alphabet: &'a Alphabet, seed: u64) -> Box<dyn Iterator<Item = Matrix> + 'a> {
        match self {
            Self::Given(matrices) => Box::new(matrices.iter().cloned()),
            Self::OfThreads(threads) => Box::new(GrowingMatrices::of_threads(alphabet, threads)),
            Self::Random {
                threads,
                cells,
                samples,
                skipped,
            } => {
                let before = usize::try_from(skipped).unwrap_or(usize::MAX);
                let all =
                    RandomMatrices::new(alphabet, threads, cells, skipped.saturating_add(samples), seed);
                Box::new(all.skip(before))
            }
        }
    }

    /// As many random matrices again, of the same shape and none of them for the second time. `None` if these are not random.
    pub(crate) fn following(self) -> Option<Self> {
        match self {
            Self::Given(_) | Self::OfThreads(_) => None,
            Self::Random {
                threads,
                cells,
                samples,
                skipped,
            } => Some(Self::Random {
                threads,
                cells,
                samples,
                skipped: skipped.saturating_add(samples),
            }),
        }
    }

    /// The most matrices that these are. Random draws may run out of new matrices.
    pub(crate) fn at_most(self, alphabet: &Alphabet) -> u64 {
        match self {
            Self::Given(matrices) => matrices.len() as u64,
            Self::OfThreads(threads) => GrowingMatrices::total(alphabet, threads),
            Self::Random { samples, .. } => samples,
        }
    }

    /// The runs of each pass over the matrices. One matrix needs one pass: its runs are made in the order of their preemptions
    /// anyway.
    pub(crate) fn passes(self, alphabet: &Alphabet, search: RunSelection) -> Vec<RunSelection> {
        match search {
            RunSelection::Bounded { preemptions } if preemptions > 1 && self.at_most(alphabet) > 1 => (1
                ..=preemptions)
                .map(|preemptions| RunSelection::Bounded { preemptions })
                .collect(),
            search => vec![search],
        }
    }
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(_) => f.write_str("given matrices"),
            Self::OfThreads(threads) => write!(f, "matrices of {threads} threads"),
            Self::Random { threads, cells, .. } => write!(f, "random matrices of {threads} x {cells}"),
        }
    }
}
