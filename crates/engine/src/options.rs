//! The options of a check: consistency, strategy, reductions, limits.

use std::time::Duration;

use omnilink_memory::guard::{self, Work, WorkLimits};

use crate::interrupt::Interrupt;

/// The limits beyond which a check answers `unknown`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory in bytes: the resident memory of the process where the system reports it, otherwise the size of the tables.
    /// `None` stands for [`default_limit_bytes`](omnilink_memory::default_limit_bytes).
    pub memory_bytes: Option<u64>,
    /// Configurations explored.
    pub configurations: Option<u64>,
    /// A flag that ends the check, set by Ctrl-C or another thread.
    pub interrupt: Option<Interrupt>,
}

impl Limits {
    /// Begins work with these limits on this thread. They hold inside whatever it does, until the result is dropped.
    pub fn begin(&self) -> Work {
        guard::begin(WorkLimits {
            time: self.time,
            memory_bytes: self.memory_bytes,
            interrupt: self.interrupt.map(Interrupt::flag),
        })
    }

    /// The limits, once so much time has passed.
    pub fn after(self, elapsed: Duration) -> Self {
        Self {
            time: self.time.map(|time| time.saturating_sub(elapsed)),
            ..self
        }
    }
}

/// The order that an explanation must respect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consistency {
    /// Real time: an operation that ended before another started comes first. The order of each thread holds as well,
    /// also where its clock readings are equal.
    #[default]
    Linearizable,
    /// The order of each thread only.
    Sequential,
}

/// The search strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The sweep while it is cheap; after that, sweep and depth-first search alternate with doubling budgets.
    #[default]
    Portfolio,
    /// The event sweep alone: memory does not grow with the trace.
    Sweep,
    /// Depth-first search alone: keeps the whole history in memory.
    DepthFirst,
    /// A near-linear monitor alone: see [`check_as_collections`](crate::check_as_collections). Keeps the whole history in
    /// memory.
    Monitor,
}

/// The reductions, each with a switch. All are sound; `docs/engine.md` has the proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Place pure operations as soon as the model accepts them.
    pub absorption: bool,
    /// Drop configurations that another one reaches by placing one more open operation.
    pub minimal_frontier: bool,
    /// Drop configurations that differ from another one only in fewer placed reads or more placed optional operations.
    pub dominance: bool,
    /// Among open operations of one class, try the one that returns first.
    pub symmetry: bool,
    /// Try only operations that can influence the one that must be placed.
    pub footprints: bool,
    /// Check independent parts of the state separately.
    pub partitions: bool,
}

impl Reductions {
    /// All reductions on.
    pub const ALL: Self = Self {
        absorption: true,
        minimal_frontier: true,
        dominance: true,
        symmetry: true,
        footprints: true,
        partitions: true,
    };
    /// All reductions off: plain just-in-time linearization.
    pub const NONE: Self = Self {
        absorption: false,
        minimal_frontier: false,
        dominance: false,
        symmetry: false,
        footprints: false,
        partitions: false,
    };
}

impl Default for Reductions {
    fn default() -> Self {
        Self::ALL
    }
}

/// The options of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The order that explanations must respect.
    pub consistency: Consistency,
    /// The search strategy.
    pub strategy: Strategy,
    /// The reductions in use.
    pub reductions: Reductions,
    /// The limits.
    pub limits: Limits,
    /// Whether calls of one thread may overlap, so that the thread is only a label. Otherwise, of two operations of one
    /// thread of which one starts at the time at which the other ends, that other one comes first.
    pub async_threads: bool,
    /// Whether an explanation is recorded and replayed before the check answers `valid`.
    pub witness: bool,
    /// Whether every order is tried by the definition of the model, with nothing else: see [`PlainSearch`](crate::PlainSearch). The strategy
    /// and the reductions do not count then.
    pub naive: bool,
    /// The number of candidates that the sweep may try alone before depth-first search joins in. It grows with the number
    /// of operations.
    pub sweep_budget: u64,
    /// The number of waiting operations from which on depth-first search explains them, and the portfolio drops all other explanations: memory
    /// stays that of this many operations. A later violation is then [`CheckError::Committed`](crate::CheckError::Committed): start over
    /// without. `None`: never.
    pub commit_after: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            consistency: Consistency::default(),
            strategy: Strategy::default(),
            reductions: Reductions::default(),
            limits: Limits::default(),
            async_threads: false,
            witness: true,
            naive: false,
            sweep_budget: 4_096,
            commit_after: None,
        }
    }
}
