//! Which of the states that compiled code expands are expanded by the evaluator, too.

use std::time::{Duration, Instant};

use crate::evaluators::Evaluators;

/// The states that are compared with the evaluator: the first ones after code was made; then those whose number is a power of two, among all states
/// and among those from which an action leads; and others as long as comparing takes little time.
#[derive(Debug)]
pub struct Sample {
    compares_all: bool,
    /// For tests of compiled code by itself.
    compares_none: bool,
    /// States since the code was made.
    fresh: u64,
    states: u64,
    /// For each action, how often it has led anywhere.
    taken: Vec<u64>,
    started: Instant,
    spent: Duration,
}

/// States that are compared whenever code was made.
const FRESH: u64 = 16;
/// Up to this many states, each may be compared; later one in [`STRIDE`].
const EACH: u64 = 1 << 12;
const STRIDE: u64 = 1 << 4;
/// Comparing may always take this long, and beyond that one part in [`SHARE`] of the time. So the states of a small search are all compared.
/// As much again is left for states that are drawn at the end.
const FREE: Duration = Duration::from_millis(100);
const SHARE: u32 = 100;

impl Sample {
    /// A sample of states that nothing is known about; all of them, where both are to be run.
    pub fn new(evaluators: Evaluators) -> Self {
        Self {
            compares_all: evaluators == Evaluators::Both,
            compares_none: false,
            fresh: 0,
            states: 0,
            taken: Vec::new(),
            started: Instant::now(),
            spent: Duration::ZERO,
        }
    }

    /// No states at all: for tests that compare answers.
    pub fn none() -> Self {
        Self {
            compares_none: true,
            ..Self::new(Evaluators::Compiled)
        }
    }

    /// How long comparing may still take when all states were found; all of them may be compared where all are to be.
    pub fn left_at_end(&self) -> Duration {
        match self.compares_none {
            true => Duration::ZERO,
            false => (FREE + self.started.elapsed() * 2 / SHARE).saturating_sub(self.spent),
        }
    }

    /// The code was made anew.
    pub fn start(&mut self) {
        self.fresh = 0;
    }

    /// Whether the next state is compared, from which these actions lead.
    pub fn takes(&mut self, actions: impl Iterator<Item = usize>) -> bool {
        self.fresh += 1;
        self.states += 1;
        if self.compares_none {
            return false;
        }
        let mut is_due = self.compares_all || self.fresh <= FRESH || self.states.is_power_of_two();
        let mut before = usize::MAX;
        for action in actions.filter(|action| *action < u32::MAX as usize) {
            // The steps of an action follow each other.
            if std::mem::replace(&mut before, action) == action {
                continue;
            }
            if self.taken.len() <= action {
                self.taken.resize(action + 1, 0);
            }
            self.taken[action] += 1;
            is_due |= self.taken[action].is_power_of_two();
        }
        is_due
            || (self.states <= EACH || self.states.is_multiple_of(STRIDE))
                && self.spent < FREE + self.started.elapsed() / SHARE
    }

    /// A comparison has taken this long.
    pub fn add(&mut self, spent: Duration) {
        self.spent += spent;
    }

    /// Runs a comparison, which takes time.
    pub fn timed<T>(&mut self, compare: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = compare();
        self.add(start.elapsed());
        result
    }
}
