//! Options of a check.

use std::time::Instant;

use omnilink_engine::{Interrupt, Limits};
use omnilink_evidence::Limit;
use omnilink_sched::{StopConditions, StopReason};

use crate::executor::Allowance;

/// What counts as an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SerialCriterion {
    /// An order that respects real time: of two calls that did not overlap, the earlier comes first.
    #[default]
    Linearizable,
    /// An order that respects the order of each thread only.
    Sequential,
}

/// Which calls may get stuck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocking {
    /// Those that get stuck in serial runs, where they do: a component may block on purpose.
    #[default]
    AsInSerialRuns,
    /// None: a stuck run is a violation, even a serial one.
    Never,
}

/// How concurrent runs are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSelection {
    /// All runs with 0, then 1, 2, … preemptions, up to this bound.
    Bounded {
        /// The bound.
        preemptions: u32,
    },
    /// Random runs.
    Random {
        /// The number of runs.
        executions: u64,
    },
    /// Random priorities.
    Pct {
        /// The number of runs.
        executions: u64,
        /// The number of ordering constraints.
        depth: u32,
    },
    /// Random priorities of steps (partial-order sampling).
    PartialOrders {
        /// The number of runs.
        executions: u64,
    },
}

/// Options of a check.
#[derive(Clone, Copy, Debug)]
pub struct LineupOptions {
    /// What counts as an explanation.
    pub criterion: SerialCriterion,
    /// Which calls may get stuck.
    pub blocking: Blocking,
    /// How concurrent runs are chosen.
    pub search: RunSelection,
    /// The seed of random matrices and random runs.
    pub seed: u64,
    /// The number of environments (random numbers, hash keys, time, addresses) in which serial runs are made, to see whether the
    /// component depends on them: all serial runs in the first, a few in each of the others.
    pub environments: u64,
    /// The most serial runs of a matrix in each environment. Without all of them nothing can be concluded.
    pub serial_max: u64,
    /// The most concurrent runs of a matrix.
    pub executions_max: u64,
    /// When what was asked for has been checked before this moment, random matrices go on until then.
    pub more_until: Option<Instant>,
    /// Limits on time and memory, and an interrupt.
    pub stop: StopConditions,
    /// Continue after the first unexplained history, to count them all.
    pub count_all: bool,
}

impl Default for LineupOptions {
    fn default() -> Self {
        Self {
            criterion: SerialCriterion::default(),
            blocking: Blocking::default(),
            search: RunSelection::Bounded { preemptions: 2 },
            seed: 0,
            environments: 3,
            serial_max: 200_000,
            executions_max: 20_000,
            more_until: None,
            stop: StopConditions::default(),
            count_all: false,
        }
    }
}

/// The most serial runs of a matrix in an environment other than the first.
const OTHER_ENVIRONMENT_MAX: u64 = 24;

impl LineupOptions {
    /// The serial runs in one environment. A dependence on the environment shows early, so a few are enough in the others.
    pub(crate) fn serial_allowance(&self, environment: u64) -> Allowance {
        let executions = match environment {
            0 => self.serial_max,
            _ => self.serial_max.min(OTHER_ENVIRONMENT_MAX),
        };
        let stop = self.stop;
        Allowance { executions, stop }
    }

    pub(crate) fn concurrent_allowance(&self) -> Allowance {
        Allowance {
            executions: self.executions_max,
            stop: self.stop,
        }
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self) -> Option<Limit> {
        limit_reached(&self.stop)
    }
}

/// The limit that is reached, if one is.
pub(crate) fn limit_reached(stop: &StopConditions) -> Option<Limit> {
    limit_of(stop.reached()?)
}

/// The limit that ended an exploration, if one did.
pub(crate) fn limit_of(reason: StopReason) -> Option<Limit> {
    match reason {
        StopReason::Interrupted => Some(Limit::Interrupt),
        StopReason::MemoryLimit => Some(Limit::Memory),
        StopReason::TimeLimit => Some(Limit::Time),
        StopReason::Exhausted | StopReason::Visitor | StopReason::ExecutionLimit => None,
    }
}

/// What is left of the limits for a search in this process.
pub(crate) fn search_limits(stop: &StopConditions) -> Limits {
    let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
    Limits {
        time: stop.deadline.map(left),
        memory_bytes: stop.memory_bytes_max,
        configurations: None,
        interrupt: stop.interrupt.map(Interrupt::new),
    }
}
