//! What a check is asked to do.

use std::time::{Duration, Instant};

use crate::executor::Allowance;

/// What counts as an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// An order that keeps calls apart that did not overlap.
    #[default]
    Linearizable,
    /// An order that keeps each thread's own calls in order, and no more.
    Sequential,
}

/// Which calls may get stuck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocking {
    /// Those that get stuck in serial runs, where they do: a component may block on purpose.
    #[default]
    AsInSerialRuns,
    /// None: a run that is stuck is a violation, be it serial.
    Never,
}

/// How concurrent runs are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// All runs with 0, then 1, 2, … preemptions, up to this bound.
    Bounded {
        /// The bound.
        preemptions: u32,
    },
    /// Random runs.
    Random {
        /// How many.
        executions: u64,
    },
    /// Random priorities.
    Pct {
        /// How many runs.
        executions: u64,
        /// How many ordering constraints.
        depth: u32,
    },
}

/// What a check is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineupOptions {
    /// What counts as an explanation.
    pub criterion: Criterion,
    /// Which calls may get stuck.
    pub blocking: Blocking,
    /// How concurrent runs are chosen.
    pub search: Search,
    /// Equal seeds give equal samples and equal runs.
    pub seed: u64,
    /// Serial runs are made in so many surroundings (random numbers, hash keys, time, addresses), to see whether these
    /// matter: all of them in the first, a few in each of the others.
    pub environments: u64,
    /// The most serial runs of a matrix in each surrounding. Without all of them nothing can be concluded.
    pub serial_max: u64,
    /// The most concurrent runs of a matrix.
    pub executions_max: u64,
    /// When to stop, whatever is left to do.
    pub deadline: Option<Instant>,
    /// Go on after the first history that nothing explains, to count them all.
    pub count_all: bool,
}

impl Default for LineupOptions {
    fn default() -> Self {
        Self {
            criterion: Criterion::default(),
            blocking: Blocking::default(),
            search: Search::Bounded { preemptions: 2 },
            seed: 0,
            environments: 3,
            serial_max: 200_000,
            executions_max: 20_000,
            deadline: None,
            count_all: false,
        }
    }
}

/// The most serial runs of a matrix in other surroundings than the first.
const ELSEWHERE_MAX: u64 = 24;

impl LineupOptions {
    /// The serial runs in one of the surroundings. What differs there differs at once, so that a few show it.
    pub(crate) fn serial_allowance(&self, environment: u64) -> Allowance {
        self.allowance(match environment {
            0 => self.serial_max,
            _ => self.serial_max.min(ELSEWHERE_MAX),
        })
    }

    pub(crate) fn concurrent_allowance(&self) -> Allowance {
        self.allowance(self.executions_max)
    }

    fn allowance(&self, executions: u64) -> Allowance {
        Allowance {
            executions,
            time: self.time_left(),
        }
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether time is up.
    pub fn is_over(&self) -> bool {
        self.time_left() == Some(Duration::ZERO)
    }
}
