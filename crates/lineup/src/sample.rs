//! Generated matrices: random ones, and all small ones in order of size.

use fastrand::Rng;
use rustc_hash::FxHashSet;

use crate::alphabet::{Alphabet, CallId};
use crate::matrix::Matrix;

/// Random matrices of one shape, all different up to the order of their threads.
#[derive(Debug)]
pub(crate) struct RandomMatrices<'a> {
    alphabet: &'a Alphabet,
    threads: usize,
    cells: usize,
    left: u64,
    random: Rng,
    seen: FxHashSet<Vec<Vec<CallId>>>,
}

impl<'a> RandomMatrices<'a> {
    /// After this many draws in a row that were known already, few matrices are left.
    const KNOWN_DRAWS_MAX: u32 = 1_000;

    pub(crate) fn new(alphabet: &'a Alphabet, threads: usize, cells: usize, samples: u64, seed: u64) -> Self {
        Self {
            alphabet,
            threads,
            cells,
            left: samples,
            random: Rng::with_seed(seed),
            seen: FxHashSet::default(),
        }
    }

    fn draw(&mut self) -> Vec<Vec<CallId>> {
        let entries = self.alphabet.entries();
        let mut column = || {
            let cells =
                (0..self.cells).filter_map(|_| entries.get(self.random.usize(..entries.len().max(1))));
            cells.flatten().copied().collect()
        };
        (0..self.threads).map(|_| column()).collect()
    }
}

impl Iterator for RandomMatrices<'_> {
    type Item = Matrix;

    fn next(&mut self) -> Option<Matrix> {
        self.left = self.left.checked_sub(1)?;
        for _ in 0..Self::KNOWN_DRAWS_MAX {
            let threads = self.draw();
            let mut unordered = threads.clone();
            unordered.sort_unstable();
            if self.seen.insert(unordered) {
                return Some(with_ends(self.alphabet, threads));
            }
        }
        None
    }
}

/// All matrices, small ones first: 2 × 1, 2 × 2, 3 × 1, 3 × 2, 3 × 3, … up to `largest` × `largest`, up to the order of their
/// threads.
#[derive(Debug)]
pub(crate) struct GrowingMatrices<'a> {
    alphabet: &'a Alphabet,
    largest: usize,
    cells: usize,
    /// A column is a number in base "entries"; the columns of a matrix are in ascending order.
    columns: Vec<u64>,
    columns_total: u64,
    is_first: bool,
}

impl<'a> GrowingMatrices<'a> {
    pub(crate) fn new(alphabet: &'a Alphabet, largest: usize) -> Self {
        let cells = 1;
        Self {
            alphabet,
            largest,
            cells,
            columns: vec![0; 2],
            columns_total: columns_total(alphabet, cells),
            is_first: true,
        }
    }

    /// The number of matrices, or the largest number if there are more.
    pub(crate) fn total(alphabet: &Alphabet, largest: usize) -> u64 {
        let shapes = (2..=largest).flat_map(|threads| (1..=threads).map(move |cells| (threads, cells)));
        shapes
            .map(|(threads, cells)| multisets(columns_total(alphabet, cells), threads))
            .fold(0, u64::saturating_add)
    }

    /// The next multiset of columns, or the first of the next shape. `None` if there is no larger shape.
    fn advance(&mut self) -> Option<()> {
        if std::mem::take(&mut self.is_first) {
            return (self.columns.len() <= self.largest).then_some(());
        }
        let last = self.columns_total.saturating_sub(1);
        if let Some(at) = self.columns.iter().rposition(|column| *column < last) {
            let next = self.columns.get(at).map_or(0, |column| column + 1);
            self.columns.iter_mut().skip(at).for_each(|column| *column = next);
            return Some(());
        }
        let mut threads = self.columns.len();
        self.cells += 1;
        if self.cells > threads {
            threads += 1;
            self.cells = 1;
        }
        self.columns = vec![0; threads];
        self.columns_total = columns_total(self.alphabet, self.cells);
        (threads <= self.largest).then_some(())
    }

    fn column(&self, mut number: u64) -> Vec<CallId> {
        let entries = self.alphabet.entries();
        let base = entries.len().max(1) as u64;
        let mut calls = Vec::new();
        for _ in 0..self.cells {
            calls.extend(
                entries
                    .get((number % base) as usize)
                    .into_iter()
                    .flatten()
                    .copied(),
            );
            number /= base;
        }
        calls
    }
}

/// The number of multisets of `members` elements out of `kinds`.
fn multisets(kinds: u64, members: usize) -> u64 {
    let mut ways = 1_u128;
    for chosen in 0..members as u128 {
        // Divides exactly: the quotient is a number of multisets too.
        ways = ways.saturating_mul(u128::from(kinds) + chosen) / (chosen + 1);
    }
    u64::try_from(ways).unwrap_or(u64::MAX)
}

fn columns_total(alphabet: &Alphabet, cells: usize) -> u64 {
    (alphabet.entries().len() as u64).saturating_pow(cells as u32)
}

impl Iterator for GrowingMatrices<'_> {
    type Item = Matrix;

    fn next(&mut self) -> Option<Matrix> {
        self.advance()?;
        let threads = self.columns.iter().map(|column| self.column(*column)).collect();
        Some(with_ends(self.alphabet, threads))
    }
}

fn with_ends(alphabet: &Alphabet, threads: Vec<Vec<CallId>>) -> Matrix {
    Matrix {
        initial: alphabet.initial().to_vec(),
        threads,
        finals: alphabet.finals().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(matrices: impl Iterator<Item = Matrix>, alphabet: &Alphabet) -> Vec<String> {
        matrices
            .map(|matrix| matrix.display(alphabet).to_string())
            .collect()
    }

    #[test]
    fn small_matrices_come_first_and_threads_have_no_order() {
        let alphabet = Alphabet::of_calls(["a", "b"]).unwrap();
        let all = shown(GrowingMatrices::new(&alphabet, 2), &alphabet);
        assert_eq!(all[..4], ["a | a", "a | b", "b | b", "a, a | a, a"]);
        // Three pairs of one call; of the four columns of two calls, ten pairs.
        assert_eq!(all.len(), 3 + 10);
        assert_eq!(GrowingMatrices::new(&alphabet, 1).count(), 0);
        for largest in 0..4 {
            let counted = GrowingMatrices::new(&alphabet, largest).count() as u64;
            assert_eq!(GrowingMatrices::total(&alphabet, largest), counted);
        }
        assert_eq!(GrowingMatrices::total(&alphabet, 60), u64::MAX);
    }

    #[test]
    fn samples_are_decided_by_their_seed_and_never_repeat() {
        let alphabet = Alphabet::of_calls(["a", "b", "c"]).unwrap();
        let draw = |seed| shown(RandomMatrices::new(&alphabet, 3, 3, 100, seed), &alphabet);
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let different: FxHashSet<String> = draw(7).into_iter().collect();
        assert_eq!(different.len(), 100);
        // There are only three matrices of one thread and one call.
        assert_eq!(RandomMatrices::new(&alphabet, 1, 1, 100, 0).count(), 3);
    }

    #[test]
    fn a_sequence_fills_one_cell_and_the_ends_are_added() {
        let mut alphabet = Alphabet::default();
        for part in ["lock()", "unlock()", "len()"] {
            alphabet.add_part(part).unwrap();
        }
        alphabet.add_sequence(["lock()", "unlock()"]).unwrap();
        alphabet.set_initial(["len()"]).unwrap();
        alphabet.set_final(["len()"]).unwrap();
        let all = shown(RandomMatrices::new(&alphabet, 2, 1, 9, 0), &alphabet);
        assert_eq!(all, ["{len()} lock(), unlock() | lock(), unlock() {len()}"]);
    }
}
