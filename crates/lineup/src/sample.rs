//! Generated matrices: random ones, and all small ones in order of size.

use fastrand::Rng;
use rustc_hash::FxHashSet;

use crate::alphabet::Alphabet;
use crate::call_id::CallId;
use crate::matrix::Matrix;
use crate::played_roles::check_roles;

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
        let alphabet = self.alphabet;
        let roles = alphabet.roles();
        // The roles that are left, and no role at all.
        let mut castable: Vec<Option<usize>> = (0..roles.len()).map(Some).collect();
        if castable.is_empty() || !entries_of(alphabet, None).is_empty() {
            castable.push(None);
        }
        let mut threads = Vec::with_capacity(self.threads);
        while threads.len() < self.threads && !castable.is_empty() {
            let drawn = self.random.usize(..castable.len());
            let role = castable[drawn];
            if role.is_some_and(|role| !roles[role].is_shared) {
                castable.swap_remove(drawn);
            }
            let entries = entries_of(alphabet, role);
            let cells =
                (0..self.cells).filter_map(|_| entries.get(self.random.usize(..entries.len().max(1))));
            threads.push(cells.flat_map(|entry| entry.iter().copied()).collect());
        }
        threads
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

/// All matrices of a number of threads, small ones first: 3 × 1, 3 × 2, 3 × 3, up to the order of their threads.
#[derive(Debug)]
pub(crate) struct GrowingMatrices<'a> {
    alphabet: &'a Alphabet,
    cells: usize,
    /// A column is a number in base "entries"; the columns of a matrix are in ascending order.
    columns: Vec<u64>,
    columns_total: u64,
    is_first: bool,
}

impl<'a> GrowingMatrices<'a> {
    pub(crate) fn of_threads(alphabet: &'a Alphabet, threads: usize) -> Self {
        let cells = 1;
        Self {
            alphabet,
            cells,
            columns: vec![0; threads],
            columns_total: columns_total(alphabet, cells),
            is_first: true,
        }
    }

    /// The number of matrices, or the largest number if there are more.
    pub(crate) fn total(alphabet: &Alphabet, threads: usize) -> u64 {
        (1..=threads)
            .map(|cells| matrices_total(alphabet, threads, cells))
            .fold(0, u64::saturating_add)
    }

    /// The next multiset of columns, or the first of the next shape. `None` if there is no larger shape.
    fn advance(&mut self) -> Option<()> {
        if std::mem::take(&mut self.is_first) {
            return Some(());
        }
        let last = self.columns_total.saturating_sub(1);
        if let Some(at) = self.columns.iter().rposition(|column| *column < last) {
            let next = self.columns.get(at).map_or(0, |column| column + 1);
            self.columns.iter_mut().skip(at).for_each(|column| *column = next);
            return Some(());
        }
        self.cells += 1;
        self.columns.fill(0);
        self.columns_total = columns_total(self.alphabet, self.cells);
        (self.cells <= self.columns.len()).then_some(())
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

/// The number of matrices of one shape that keep to the roles.
///
/// A thread that plays a role makes at least one call of it. The threads without a role and those in shared roles are a multiset
/// of columns; of each other role there is one thread or none.
fn matrices_total(alphabet: &Alphabet, threads: usize, cells: usize) -> u64 {
    let columns = |entries: usize| (entries as u64).saturating_pow(cells as u32);
    let without_role = columns(entries_of(alphabet, None).len());
    let mut repeatable = without_role;
    // The ways to choose columns of this many roles for one thread.
    let mut ways = vec![1_u64];
    for (number, role) in alphabet.roles().iter().enumerate() {
        let playing = columns(entries_of(alphabet, Some(number)).len()).saturating_sub(without_role);
        if role.is_shared {
            repeatable = repeatable.saturating_add(playing);
            continue;
        }
        ways.push(0);
        for chosen in (1..ways.len()).rev() {
            ways[chosen] = ways[chosen].saturating_add(ways[chosen - 1].saturating_mul(playing));
        }
    }
    let of_others = |chosen: usize| {
        threads
            .checked_sub(chosen)
            .map_or(0, |others| multisets(repeatable, others))
    };
    ways.iter()
        .enumerate()
        .map(|(chosen, ways)| ways.saturating_mul(of_others(chosen)))
        .fold(0, u64::saturating_add)
}

/// The entries of a thread in this role: those of the role, and those without one.
fn entries_of(alphabet: &Alphabet, role: Option<usize>) -> Vec<&[CallId]> {
    let fits = |entry: &&Vec<CallId>| {
        entry
            .iter()
            .filter_map(|call| alphabet.role_of(*call))
            .all(|its| Some(its) == role)
    };
    alphabet
        .entries()
        .iter()
        .filter(fits)
        .map(Vec::as_slice)
        .collect()
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
        loop {
            self.advance()?;
            let threads: Vec<_> = self.columns.iter().map(|column| self.column(*column)).collect();
            if check_roles(self.alphabet, &threads).is_ok() {
                return Some(with_ends(self.alphabet, threads));
            }
        }
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
        let all = shown(GrowingMatrices::of_threads(&alphabet, 2), &alphabet);
        assert_eq!(all[..4], ["a | a", "a | b", "b | b", "a, a | a, a"]);
        // Three pairs of one call; of the four columns of two calls, ten pairs.
        assert_eq!(all.len(), 3 + 10);
        for threads in 1..4 {
            let counted = GrowingMatrices::of_threads(&alphabet, threads).count() as u64;
            assert_eq!(GrowingMatrices::total(&alphabet, threads), counted);
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
    fn threads_keep_to_their_roles() {
        let mut alphabet = Alphabet::of_calls(["push(1)", "push(2)", "pop()", "steal()", "len()"]).unwrap();
        alphabet
            .add_role("worker", ["push(1)", "push(2)", "pop()"], false)
            .unwrap();
        alphabet.add_role("stealer", ["steal()"], true).unwrap();
        let small = shown(GrowingMatrices::of_threads(&alphabet, 2), &alphabet);
        let first = "push(1) | steal(), push(1) | len(), push(2) | steal(), push(2) | len(), pop() | steal(), pop() | len(), \
                     steal() | steal(), steal() | len(), len() | len()";
        assert_eq!(small[..9].join(", "), first);
        for threads in 2..4 {
            let all: Vec<Matrix> = GrowingMatrices::of_threads(&alphabet, threads).collect();
            assert_eq!(GrowingMatrices::total(&alphabet, threads), all.len() as u64);
        }
        let drawn: Vec<Matrix> = RandomMatrices::new(&alphabet, 3, 2, 100, 1).collect();
        assert_eq!(drawn.len(), 100);
        for matrix in &drawn {
            check_roles(&alphabet, &matrix.threads).unwrap();
        }
        let wrong = |text: &str| Matrix::parse(text, &alphabet).unwrap_err().to_string();
        assert!(wrong("push(1) | pop()").contains("role \"worker\", which is for one thread"));
        assert!(wrong("push(1), steal() | len()").contains("\"worker\" and \"stealer\""));
        // Two roles for one thread each, and nothing else: a third thread has nothing to do.
        let mut halves = Alphabet::of_calls(["send(1)", "recv()"]).unwrap();
        halves.add_role("sender", ["send(1)"], false).unwrap();
        halves.add_role("receiver", ["recv()"], false).unwrap();
        let drawn: Vec<Matrix> = RandomMatrices::new(&halves, 3, 1, 9, 0).collect();
        assert_eq!(drawn.len(), 1);
        for (threads, count) in [(2, 2), (3, 0)] {
            assert_eq!(GrowingMatrices::total(&halves, threads), count);
            assert_eq!(
                GrowingMatrices::of_threads(&halves, threads).count() as u64,
                count
            );
        }
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
